"""Nothing is lost when the server, the connection or the tab dies in mid-answer, and nothing counts twice."""

import json


def test_the_server_is_killed_between_answer_and_question(cliques, arrive):
    person = arrive(cliques)
    first = person.node
    person.press("1")
    person.saved()
    second = person.node
    cliques.service.kill()
    person.page.keyboard.press("2")
    person.page.wait_for_selector('[data-state="offline"][data-waiting="1"]')
    assert "1 answer kept here" in person.page.locator("[data-state]").inner_text()
    cliques.service.start()
    person.saved(30000)
    assert cliques.labels() == {first: "good", second: "bad"}
    person.page.wait_for_selector("#item[data-node]")
    third = person.node
    assert third not in (first, second)
    person.press("1")
    person.saved()
    assert cliques.labels()[third] == "good"


def test_offline_answers_wait_and_are_sent_once(cliques, arrive):
    person = arrive(cliques)
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
    assert len(cliques.labels()) == 1
    person.page.context.set_offline(False)
    person.saved(30000)
    assert cliques.labels() == dict(zip(nodes, ["good", "good", "bad"], strict=True))
    acts = cliques.acts("Ana")
    assert len(acts) == 3


def test_a_tab_that_dies_offline_leaves_its_answer_to_the_next(cliques, arrive):
    person = arrive(cliques)
    node = person.node
    person.page.context.set_offline(True)
    person.page.keyboard.press("2")
    person.page.wait_for_selector('[data-state="offline"][data-waiting="1"]')
    assert cliques.labels() == {}  # with the tab goes its being offline, so this is asked before
    context, url = person.page.context, person.url
    person.page.close()
    context.set_offline(False)
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector('[data-state="saved"][data-waiting="0"]')
    page.wait_for_function("() => document.querySelectorAll('.past').length === 1")
    assert cliques.labels() == {node: "bad"}


def test_a_reply_that_is_lost_is_asked_for_again(cliques, arrive):
    """The service saves, its reply never arrives: the same act is sent again and counts once."""
    person = arrive(cliques)
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
    assert cliques.labels() == {node: "good"}
    acts = cliques.acts("Ana")
    assert len(acts) == 1
