"""Data that is hostile, foreign, huge or missing, and projects at their edges: each has a right behaviour."""

import csv
import json
import re

import numpy as np
import pytest

from browsing import AXE, PHONE, labelling, wait_until

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
    assert person.page.locator(".classes").count() == 0  # nothing is asked, so there is nothing to answer
    person.page.set_viewport_size({"width": 390, "height": 844})
    assert person.page.locator(".done").get_by_role("button", name="Export").inner_text().strip() == "Export"
    if AXE.exists():
        person.page.evaluate(AXE.read_text(encoding="utf-8"))
        assert person.page.evaluate("() => axe.run(document)")["violations"] == []
    person.page.keyboard.press("ArrowLeft")  # a past answer can still be changed
    person.page.wait_for_selector(".changing")
    person.page.keyboard.press("1")
    wait_until(lambda: "p" in project.labels().values())
    person.page.keyboard.press("z")
    wait_until(lambda: "p" not in project.labels().values())
    person.page.keyboard.press("z")
    person.page.wait_for_selector(f'#item[data-node="{last}"]')


def test_the_neighbours_of_a_node_are_drawn_whole_and_readable(cliques, arrive):
    person = arrive(cliques, viewport={"width": 1280, "height": 720})
    for _ in range(3):
        person.press("1" if person.node.startswith("good") else "2")
        person.saved()
    assert person.page.evaluate(
        "() => { const it = document.querySelector('#item'); return it.scrollHeight <= it.clientHeight }"
    )
    signs = person.page.evaluate(
        """() => [...document.querySelectorAll(".neighbourhood circle.known")].map((circle) =>
            [circle, circle.parentElement.querySelector(".sign")].map((one) => getComputedStyle(one).fill))"""
    )
    assert signs
    for pair in signs:
        low, high = sorted(_luminance(colour) for colour in pair)
        assert (high + 0.05) / (low + 0.05) >= 4.5, pair


def _luminance(colour):
    """Of WCAG 2, from a colour as the browser writes it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


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
