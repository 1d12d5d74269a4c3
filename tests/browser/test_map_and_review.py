"""The map with its lasso and one act for many, and the review tab: lists, search, filter, change in place."""

import json

from browsing import wait_until


def start(person, answers=2):
    """Answer some questions rightly."""
    for _ in range(answers):
        person.press("1" if person.node.startswith("good") else "2")
        person.saved()


def lasso(person):
    """Draw around the whole map."""
    person.page.get_by_role("button", name="Lasso").click()
    box = person.page.locator(".map-stage canvas[role]").bounding_box()
    left, top, right, bottom = 6, 70, box["width"] - 6, box["height"] - 6
    mouse = person.page.mouse
    mouse.move(box["x"] + left, box["y"] + top)
    mouse.down()
    for x, y in [(right, top), (right, bottom), (left, bottom), (left, top)]:
        mouse.move(box["x"] + x, box["y"] + y, steps=4)
    mouse.up()


def test_a_lasso_labels_many_items_in_one_act_and_z_takes_it_back(cliques, arrive):
    person = arrive(cliques)
    start(person)
    before = cliques.labels()
    person.tab("map")
    person.page.wait_for_selector(".legend li")
    wait_until(lambda: json.loads(cliques.get("state"))["events"] > 0)
    person.page.wait_for_timeout(1500)  # places are drawn in steps
    lasso(person)
    title = person.page.locator("#selection-title")
    person.page.wait_for_function(
        "() => /disagrees|to the model/.test(document.querySelector('#selection-title')?.textContent)"
    )
    assert title.inner_text().startswith("12 items, mostly “")
    assert "the model disagrees on 6: check these 5 first" in title.inner_text()
    assert person.page.locator(".check-first li").count() == 5
    person.page.locator(".map-classes .class", has_text="bad").click()
    wait_until(lambda: set(cliques.labels().values()) == {"bad"} and len(cliques.labels()) == 12)
    assert sum(not act["undone"] for act in cliques.acts("Ana")) == 3
    person.page.keyboard.press("z")
    wait_until(lambda: cliques.labels() == before)
    person.page.keyboard.press("Shift+Z")
    wait_until(lambda: len(cliques.labels()) == 12)


def test_a_point_is_seen_and_answered_by_keys_alone(cliques, arrive):
    person = arrive(cliques)
    start(person)
    person.tab("map")
    person.page.wait_for_selector(".legend li")
    person.page.wait_for_timeout(1500)
    person.page.locator(".map-stage canvas[role]").focus()
    person.page.keyboard.press("ArrowRight")
    person.page.keyboard.press("Enter")
    person.page.wait_for_selector("#point-title")
    node = person.page.locator("#point-title").inner_text()
    person.page.locator(".map-classes .class", has_text=node.split("-")[0]).click()
    wait_until(lambda: cliques.labels().get(node) == node.split("-")[0])


def titles(person):
    return person.page.locator(".review-title").all_inner_texts()


def test_review_lists_searches_filters_and_changes(cliques, arrive):
    person = arrive(cliques)
    start(person, 3)
    answered = cliques.labels()
    person.tab("review")
    person.page.wait_for_function("() => document.querySelectorAll('.review-row').length === 9")
    assert set(titles(person)).isdisjoint(answered)  # the least sure of those that are open
    person.page.get_by_role("button", name="Answered").click()
    person.page.wait_for_function("() => document.querySelectorAll('.review-row').length === 3")
    assert set(titles(person)) == set(answered)
    person.page.get_by_role("button", name="All", exact=True).click()
    person.page.wait_for_function("() => document.querySelectorAll('.review-row').length === 12")
    person.page.get_by_placeholder("Search").fill("GOOD-")
    person.page.wait_for_function("() => document.querySelectorAll('.review-row').length === 6")
    assert all(title.startswith("good") for title in titles(person))
    person.page.get_by_label("Only the class").select_option("bad")
    person.page.wait_for_selector(".empty")
    person.page.get_by_placeholder("Search").fill("")
    person.page.wait_for_function("() => document.querySelectorAll('.review-row').length === 6")
    assert all(title.startswith("bad") for title in titles(person))
    person.page.get_by_label("Only the class").select_option("")
    person.page.get_by_placeholder("Search").fill("bad-3")
    person.page.wait_for_function("() => document.querySelectorAll('.review-row').length === 1")
    person.page.locator(".review-row").focus()
    person.page.keyboard.press("1")
    wait_until(lambda: cliques.labels().get("bad-3") == "good")
    person.page.get_by_placeholder("Search").fill("")
    person.page.get_by_role("button", name="Disagreements").click()
    person.page.wait_for_function("() => document.querySelector('.review-title')?.textContent === 'bad-3'")
    person.page.locator("#main").focus()
    person.page.keyboard.press("z")
    wait_until(lambda: cliques.labels() == answered)
