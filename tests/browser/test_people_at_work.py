"""Two people on one project: never the same question, who is on what, all done for both."""

import json


def test_two_people(served_reviews, arrive):
    ana, ben = arrive(served_reviews, "Ana"), arrive(served_reviews, "Ben")
    assert ana.node != ben.node
    for _ in range(40):
        for person in (ana, ben):
            if person.node is not None:
                text = json.loads(served_reviews.get(f"items?node={person.node}"))["items"][0]["text"]
                person.press("1" if "good" in text else "2")
                person.saved()
        if ana.node is None and ben.node is None:
            break
    for person in (ana, ben):
        person.page.wait_for_selector(".done")
    rows = json.loads(served_reviews.get("reviewers"))["reviewers"]
    assert {row["reviewer"]: row["answers"] > 0 for row in rows} == {"Ana": True, "Ben": True}
    ana.tab("people")
    ana.page.wait_for_selector("table")
    assert "Ben" in ana.page.locator("table").inner_text()


def test_a_name_is_asked_once(served_reviews, arrive):
    person = arrive(served_reviews)
    person.enter()
    assert person.page.locator("#name").count() == 0
    assert "Ana" in person.page.locator(".who").inner_text()
