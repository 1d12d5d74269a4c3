"""Data that is hostile, foreign, huge or missing, and projects at their edges: each has a right behaviour."""

import json

import pytest

from browsing import PHONE, labelling

HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script><b>bold</b> http://example.com/a.png'


def table(path, rows):
    """A csv of id and body."""
    path.write_text(
        "id,body\n"
        + "".join(
            f"{name},{json.dumps(text).replace(chr(92) + chr(34), chr(34) * 2)}\n" for name, text in rows
        )
    )
    return path


def test_html_is_shown_and_never_run(tmp_path, arrive):
    rows = [(f"r{place}", f"{HOSTILE} {place}") for place in range(4)]
    name = "<img src=x onerror=alert(3)>"
    with labelling(
        tmp_path, table(tmp_path / "t.csv", rows), "--text", "body", "--classes", f"{name},b"
    ) as service:
        person = arrive(service, HOSTILE[:40])
        assert "<script>alert(2)</script>" in person.page.locator("#item").inner_text()
        assert person.page.locator("#item script, #item b, #item img").count() == 0
        assert name in person.page.locator(".classes").inner_text()
        person.press("1")
        person.saved()
        for tab in ("review", "people", "setup"):
            person.tab(tab)
            person.page.wait_for_timeout(300)
        assert person.page.locator("main b, main script").count() == 0


def test_right_to_left_and_very_long_texts(tmp_path, arrive):
    rows = [("a", "שלום עולם, זה טקסט בעברית"), ("b", "word " * 30000), ("c", "x" * 3000), ("d", "short")]
    with labelling(
        tmp_path, table(tmp_path / "t.csv", rows), "--text", "body", "--classes", "p,q"
    ) as service:
        person = arrive(service, **PHONE)
        seen = set()
        while person.node is not None:
            seen.add(person.node)
            item = person.page.locator("#item")
            wide = person.page.evaluate("() => document.documentElement.scrollWidth")
            assert wide <= 390
            assert person.page.locator(".classes .class").first.is_visible()
            if "שלום" in item.inner_text():
                direction = person.page.evaluate(
                    "() => getComputedStyle(document.querySelector('#item .prose')).direction"
                )
                assert direction == "rtl"
            more = item.get_by_role("button", name="Show the other")
            if more.count():
                more.click()
                assert more.count() == 0
            person.press("1")
            person.saved()
        assert len(seen) >= 1


@pytest.mark.parametrize("classes", [1, 100])
def test_one_class_and_a_hundred(tmp_path, arrive, classes, reviews):
    names = [f"kind {place}" for place in range(classes)]
    with labelling(tmp_path, reviews, "--text", "body", "--classes", ",".join(names)) as service:
        person = arrive(service)
        assert person.page.locator(".classes .class").count() == classes
        person.press("1")
        person.saved()
        assert json.loads(service.get("review?show=answered&limit=5"))["rows"][0]["label"] == "kind 0"


def test_one_item_then_all_done(tmp_path, arrive):
    with labelling(
        tmp_path, table(tmp_path / "t.csv", [("only", "the only text")]), "--text", "body", "--classes", "p,q"
    ) as service:
        person = arrive(service)
        person.press("2")
        person.saved()
        assert person.page.locator(".done").is_visible()
        person.page.keyboard.press("z")
        person.page.wait_for_selector('#item[data-node="only"]')


def test_a_missing_picture_says_so(tmp_path, arrive):
    from PIL import Image

    folder = tmp_path / "pictures"
    folder.mkdir()
    for place in range(4):
        Image.new("RGB", (60, 40), (60 * place, 80, 120)).save(folder / f"p{place}.png")
    with labelling(tmp_path, folder, "--classes", "p,q") as service:
        person = arrive(service)
        person.page.wait_for_selector("#item img.picture")
        for picture in folder.iterdir():
            picture.unlink()
        person.page.context.clear_cookies()
        second = arrive(service, "Ben")
        second.page.wait_for_selector("#item .missing")
        second.press("1")
        second.saved()
