"""Data that is hostile, foreign, huge or missing, and projects at their edges: each has a right behaviour."""

import csv
import json

import numpy as np
import pytest

from browsing import PHONE, labelling

HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script><b>bold</b> http://example.com/a.png'
ROWS = [
    ("hostile", HOSTILE),
    ("hebrew", "שלום עולם, זה טקסט בעברית"),
    ("long", "many words follow one another " * 5000),
    ("unbroken", "x" * 3000),
    ("short", "short"),
]
CLASS = "<img src=x onerror=alert(3)>"


@pytest.fixture(scope="module")
def strange(tmp_path_factory):
    """Five strange texts."""
    folder = tmp_path_factory.mktemp("strange")
    with (folder / "texts.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "body"), *ROWS])
    with labelling(
        folder, "texts.csv", "--text", "body", "--name", "id", "--classes", f"{CLASS},b"
    ) as running:
        yield running.first()


def test_every_strange_text_is_shown_as_text_on_a_phone(strange, arrive):
    person = arrive(strange, HOSTILE[:40], **PHONE)
    seen = set()
    while person.node is not None and len(seen) < 8:
        seen.add(person.node)
        item = person.page.locator("#item")
        assert person.page.evaluate("() => document.documentElement.scrollWidth") <= 390
        assert person.page.locator(".classes .class").first.is_visible()
        assert CLASS in person.page.locator(".classes").inner_text()
        assert person.page.locator("#item script, #item b, #item img").count() == 0
        if person.node == "hostile":
            assert "<script>alert(2)</script>" in item.inner_text()
        if person.node == "hebrew":
            style = "() => getComputedStyle(document.querySelector('#item .prose')).direction"
            assert person.page.evaluate(style) == "rtl"
        if person.node == "long":
            more = item.get_by_role("button", name="Show the other")
            more.click()
            assert more.count() == 0
        person.press("2")
        person.saved()
    assert seen == {name for name, _ in ROWS}
    for tab in ("review", "people", "setup"):
        person.tab(tab)
        person.page.wait_for_timeout(300)
        assert person.page.locator("main b, main script").count() == 0
        assert person.page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_a_hundred_classes(service, arrive):
    project = service.make("hundred", [["a", "b"], ["b", "c"]], [f"kind {place}" for place in range(100)])
    person = arrive(project)
    assert person.page.locator(".classes .class").count() == 100
    person.page.keyboard.press("k")
    person.page.keyboard.type("ind 87")
    person.press("Enter")
    person.saved()
    assert list(project.labels().values()) == ["kind 87"]


def test_one_class_is_refused_in_a_sentence(service, arrive, cliques):
    person = arrive(cliques)
    person.tab("setup")
    person.page.get_by_label("More classes").fill("good")
    person.page.get_by_role("button", name="Add").click()
    assert person.page.get_by_role("alert").inner_text() == "Type at least one name."


def test_all_answered_and_back_again(service, arrive):
    project = service.make("pair", [["a", "b"]], ["p", "q"])
    person = arrive(project)
    for _ in range(2):
        if person.node is not None:
            last = person.node
            person.press("2")
            person.saved()
    assert person.page.locator(".done").is_visible()
    person.page.keyboard.press("z")
    person.page.wait_for_selector(f'#item[data-node="{last}"]')


def test_a_missing_picture_says_so(tmp_path, arrive):
    from PIL import Image

    folder = tmp_path / "pictures"
    folder.mkdir()
    rng = np.random.default_rng(0)
    for place in range(8):
        Image.fromarray(rng.integers(0, 255, (40, 60, 3), dtype=np.uint8)).save(folder / f"p{place}.png")
    with labelling(tmp_path, folder, "--classes", "p,q", "--project", tmp_path / "kept") as running:
        for picture in folder.iterdir():
            picture.unlink()
        project = running.first()
        person = arrive(project)
        person.page.wait_for_selector("#item .missing")
        person.press("1")
        person.saved()
        assert len(json.loads(project.get("history?reviewer=Ana&limit=9"))["answers"]) == 1
