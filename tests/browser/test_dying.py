"""Nothing is lost when the server, the connection or the tab dies in mid-answer, and nothing counts twice."""

import json


def labels(service):
    rows = json.loads(service.get("review?show=answered&limit=100"))["rows"]
    return {row["node"]: row["label"] for row in rows}


def test_the_server_is_killed_between_answer_and_question(served_reviews, arrive):
    person = arrive(served_reviews)
    first = person.node
    person.press("1")
    person.saved()
    second = person.node
    served_reviews.kill()
    person.page.keyboard.press("2")
    person.page.wait_for_selector('[data-state="offline"][data-waiting="1"]')
    assert "1 answer kept here" in person.page.locator("[data-state]").inner_text()
    served_reviews.start()
    person.saved(30000)
    assert labels(served_reviews) == {first: "good", second: "bad"}
    person.page.wait_for_selector("#item[data-node]")
    third = person.node
    assert third not in (first, second)
    person.press("1")
    person.saved()
    assert labels(served_reviews)[third] == "good"


def test_offline_answers_wait_and_are_sent_once(served_reviews, arrive):
    person = arrive(served_reviews)
    nodes = [person.node]
    person.press("1")
    person.saved()
    person.page.wait_for_timeout(500)
    person.page.context.set_offline(True)
    for key in "12":
        nodes.append(person.node)
        person.page.keyboard.press(key)
        person.page.wait_for_selector('[data-state="offline"]')
        if key == "1":
            person.page.wait_for_selector("#item[data-node]")
    person.page.wait_for_selector('[data-waiting="2"]')
    assert len(labels(served_reviews)) == 1
    person.page.context.set_offline(False)
    person.saved(30000)
    assert labels(served_reviews) == dict(zip(nodes, ["good", "good", "bad"], strict=True))
    acts = json.loads(served_reviews.get("history?reviewer=Ana&limit=50"))["answers"]
    assert len(acts) == 3


def test_a_tab_that_dies_offline_leaves_its_answer_to_the_next(served_reviews, arrive):
    person = arrive(served_reviews)
    node = person.node
    person.page.context.set_offline(True)
    person.page.keyboard.press("2")
    person.page.wait_for_selector('[data-state="offline"][data-waiting="1"]')
    context, url = person.page.context, person.url
    person.page.close()
    context.set_offline(False)
    assert labels(served_reviews) == {}
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector('[data-state="saved"][data-waiting="0"]')
    page.wait_for_function("() => document.querySelectorAll('.past').length === 1")
    assert labels(served_reviews) == {node: "bad"}


def test_a_reply_that_is_lost_is_asked_for_again(served_reviews, arrive):
    """The service saves, the answer to the request never arrives: the same act is sent again and counts once."""
    person = arrive(served_reviews)
    node, lost = person.node, []

    def lose(route):
        if lost or '"acts":[]' in route.request.post_data:
            route.continue_()
        else:
            lost.append(json.loads(route.request.post_data))
            route.fetch()
            route.abort()

    person.page.route("**/turn", lose)
    person.page.keyboard.press("1")
    person.saved(30000)
    assert lost[0]["acts"][0]["node"] == node
    assert labels(served_reviews) == {node: "good"}
    acts = json.loads(served_reviews.get("history?reviewer=Ana&limit=50"))["answers"]
    assert len(acts) == 1
