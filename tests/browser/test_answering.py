"""Answering by keyboard: a whole data set, undo, change, skip, and how soon the next question is there."""

import csv
import io

from browsing import labelling, wait_until


def key(node):
    """The right key for a node, whose name tells."""
    return "1" if node.startswith("good") else "2"


def answer_all(person, limit=40):
    """Answer what is asked until nothing is."""
    for _ in range(limit):
        if person.node is None:
            return
        person.press(key(person.node))
        person.saved()
    raise AssertionError("the questions did not end")


def exported(service):
    """The rows of the csv export by node."""
    lines = [line for line in service.get("export?format=csv").splitlines() if not line.startswith("#")]
    return {row["node"]: row for row in csv.DictReader(io.StringIO("\n".join(lines)))}


def test_a_whole_data_set_by_keyboard(service, arrive):
    project = service.first()
    person = arrive(project)
    answer_all(person)
    assert person.page.locator(".done").is_visible()
    rows = exported(project)
    assert len(rows) == 12
    for node, row in rows.items():
        assert row["label"] == node.split("-")[0], row
    assert {row["by"] for row in rows.values() if row["by"]} == {"Ana"}


def test_undo_redo_and_change_leave_what_right_answers_would(cliques, arrive):
    person = arrive(cliques)
    first = person.node
    person.press("2")
    second = person.node
    person.press("1")
    person.saved()
    assert cliques.labels() == {first: "bad", second: "good"}
    person.page.keyboard.press("z")
    person.page.wait_for_selector(f'#item[data-node="{second}"]')
    person.page.keyboard.press("z")
    person.page.wait_for_selector(f'#item[data-node="{first}"]')
    person.saved()
    assert cliques.labels() == {}
    person.press("Shift+Z")
    person.saved()
    assert cliques.labels() == {first: "bad"}
    person.page.keyboard.press("ArrowLeft")
    person.page.wait_for_selector(".changing")
    person.page.keyboard.press("1")
    wait_until(lambda: cliques.labels() == {first: "good"})
    person.page.keyboard.press("z")
    wait_until(lambda: cliques.labels() == {first: "bad"})


def test_other_keyboards_and_caps_lock(cliques, arrive):
    """A French 1 without shift, Z of a Hebrew keyboard, Z under Caps Lock."""
    person = arrive(cliques)
    first = person.node

    def press(key, code):
        person.page.evaluate(
            "([key, code]) => document.body.dispatchEvent("
            "new KeyboardEvent('keydown', {key, code, bubbles: true}))",
            [key, code],
        )
        person.saved()

    for undo in (("\N{HEBREW LETTER ZAYIN}", "KeyZ"), ("Z", "KeyZ")):
        press("&", "Digit1")
        wait_until(lambda: cliques.labels() == {first: "good"})
        press(*undo)
        wait_until(lambda: cliques.labels() == {})
        person.page.wait_for_timeout(400)


def test_undo_goes_back_before_the_tab_was_opened(cliques, arrive):
    person = arrive(cliques)
    first = person.node
    person.press("1")
    person.saved()
    person.enter()
    assert person.page.locator(".past").count() == 1
    person.page.keyboard.press("z")
    person.page.wait_for_selector(f'#item[data-node="{first}"]')
    person.saved()
    assert cliques.labels() == {}


def test_skipped_comes_back_after_the_others(cliques, arrive):
    person = arrive(cliques)
    skipped = person.node
    person.press("s")
    seen = []
    for _ in range(40):
        if person.node is None or person.node == skipped:
            break
        seen.append(person.node)
        person.press(key(person.node))
        person.saved()
    assert person.node == skipped
    assert len(set(seen)) == len(seen) > 0


def test_a_double_click_and_a_held_key_count_once(cliques, arrive):
    person = arrive(cliques)
    person.page.locator(".classes .class").first.dblclick()
    person.saved()
    assert len(cliques.labels()) == 1
    shown = person.node
    person.page.evaluate(
        "() => { for (let i = 0; i < 5; i++) document.body.dispatchEvent("
        "new KeyboardEvent('keydown', {key: '1', bubbles: true, repeat: i > 0})) }"
    )
    person.page.wait_for_function("node => document.querySelector('#item')?.dataset.node !== node", arg=shown)
    person.saved()
    assert len(cliques.labels()) == 2


def test_classes_beyond_nine_are_typed(service, arrive):
    names = [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "zeta",
    ]
    project = service.make("greek", [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"], ["e", "f"]], names)
    person = arrive(project)
    first = person.node
    person.page.keyboard.press("l")
    person.page.wait_for_selector("#typeahead-list:not([hidden])")
    person.page.keyboard.type("am")
    person.press("Enter")
    second = person.node
    person.page.keyboard.press("/")
    person.page.keyboard.type("zeta")
    person.press("Enter")
    third = person.node
    person.press("3")
    person.saved()
    assert project.labels() == {first: "lambda", second: "zeta", third: "gamma"}


def test_classes_typed_in_the_page(tmp_path, reviews, arrive):
    with labelling(tmp_path, reviews, "--text", "body", "--project", tmp_path / "open") as running:
        project = running.first()
        person = arrive(project)
        person.page.fill("#new-classes", "good\nbad")
        person.page.get_by_role("button", name="Start").click()
        person.page.wait_for_selector("#item[data-node]")
        person.press("1")
        person.saved()
        assert list(project.labels().values()) == ["good"]
