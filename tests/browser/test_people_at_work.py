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
