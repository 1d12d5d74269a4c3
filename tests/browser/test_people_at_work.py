"""Two people on one project: never the same question, who is on what, all done for both."""

import json


def test_two_people(cliques, arrive):
    ana, ben = arrive(cliques, "Ana"), arrive(cliques, "Ben")
    assert ana.node != ben.node
    for _ in range(40):
        for person in (ana, ben):
            if person.node is not None:
                person.page.wait_for_timeout(400)  # a question that came by itself takes no answer at first
                person.press("1" if person.node.startswith("good") else "2")
                person.saved()
        if ana.node is None and ben.node is None:
            break
    for person in (ana, ben):
        person.page.wait_for_selector(".done")
    rows = json.loads(cliques.get("reviewers"))["reviewers"]
    assert {row["reviewer"]: row["answers"] > 0 for row in rows} == {"Ana": True, "Ben": True}
    ana.tab("people")
    ana.page.wait_for_selector("table.grid")
    assert "Ben" in ana.page.locator("table.grid").inner_text()


def test_a_name_is_asked_once(cliques, arrive):
    person = arrive(cliques)
    person.enter()
    assert person.page.locator("#name").count() == 0
    assert "Ana" in person.page.locator(".who").inner_text()


def key(node):
    return "1" if node.startswith("good") else "2"


def test_someone_else_is_asked_what_was_handed_over(cliques, arrive):
    ana = arrive(cliques)
    handed = ana.node
    ana.press("o")
    ana.saved()
    ben = arrive(cliques, "Ben")
    assert ben.node == handed
    seen = []
    for _ in range(30):
        if ana.node is None:
            break
        seen.append(ana.node)
        ana.page.wait_for_timeout(400)
        ana.press(key(ana.node))
        ana.saved()
    assert handed not in seen
    ben.press(key(handed))
    ben.saved()
    assert cliques.labels()[handed] == handed.split("-")[0]


def test_what_one_was_unsure_of_comes_back_last_and_is_listed(cliques, arrive):
    person = arrive(cliques)
    first = person.node
    person.press("u")
    person.saved()
    seen = []
    for _ in range(30):
        if person.node in (None, first):
            break
        seen.append(person.node)
        person.press(key(person.node))
        person.saved()
    assert person.node == first
    assert len(seen) == len(set(seen)) > 0
    person.tab("review")
    person.page.get_by_role("button", name="Unsure", exact=True).click()
    person.page.wait_for_function("() => document.querySelectorAll('.review-row').length === 1")
    assert person.page.locator(".review-title").inner_text() == first


def test_overlap_shows_how_far_two_people_agree(cliques, arrive):
    ana = arrive(cliques)
    ana.tab("setup")
    ana.page.get_by_label("Overlap").fill("100")
    ana.page.keyboard.press("Enter")
    ana.page.wait_for_timeout(300)
    ana.tab("label")
    people = (ana, arrive(cliques, "Ben"))
    for _ in range(8):
        for person in people:
            if person.node is not None:
                person.page.wait_for_timeout(400)
                person.press(key(person.node))
                person.saved()
    found = json.loads(cliques.get("reviewers"))
    assert found["overlap"] > 2
    assert found["kappa"] == found["alpha"] == 1.0
    ana.tab("people")
    ana.page.wait_for_selector("text=Cohen’s κ")
    assert "almost perfect" in ana.page.locator("dl.facts").inner_text()
    ana.page.set_viewport_size({"width": 390, "height": 844})
    assert ana.page.locator("dl.facts").is_visible()  # on a phone too
