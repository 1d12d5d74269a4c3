"""Every view on a desktop and a phone, light and dark: axe finds no fault, and a picture can be looked at."""

import os
from pathlib import Path

import pytest

from browsing import AXE, DESKTOP, PHONE, WITHOUT_PACKAGES, labelling

VIEWS = ("label", "map", "review", "people", "setup")
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}

CUT = """() => [...document.querySelectorAll(".card")].filter((card) => card.scrollWidth > card.clientWidth)
    .map((card) => card.textContent.slice(0, 60))"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The digits, as ``zerokelvin label --demo`` shows them."""
    with labelling(tmp_path_factory.mktemp("looks"), "--demo") as service:
        yield service.first()


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Where the pictures go: ZEROKELVIN_SCREENSHOTS, or away with the test."""
    folder = Path(os.environ.get("ZEROKELVIN_SCREENSHOTS") or tmp_path_factory.mktemp("pictures"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def faults(page):
    """What axe finds, in words."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("rules => axe.run(document, rules)", RULES)["violations"]
    return [(one["id"], [node["html"][:160] for node in one["nodes"]][:3]) for one in found]


@pytest.mark.skipif(not AXE.exists(), reason=WITHOUT_PACKAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("device", ["desktop", "phone"])
def test_axe_finds_nothing(demo, arrive, pictures, device, scheme):
    options = (PHONE if device == "phone" else DESKTOP) | {"color_scheme": scheme, "reduced_motion": "reduce"}
    person = arrive(demo, f"{device} {scheme}", enter=False, **options)
    person.page.goto(person.url)
    person.page.wait_for_selector("#name")
    found = {"name": faults(person.page)}
    person.page.screenshot(path=pictures / f"name-{device}-{scheme}.png")
    person.enter()
    for key in "123":
        person.press(key)
    person.saved()
    for view in VIEWS:
        person.tab(view)
        person.page.wait_for_timeout(1200 if view == "map" else 500)
        found[view] = faults(person.page)
        wide = person.page.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= options["viewport"]["width"], view
        assert person.page.evaluate(CUT) == [], view
        person.page.screenshot(path=pictures / f"{view}-{device}-{scheme}.png")
    person.tab("label")
    person.page.get_by_role("button", name="Help").click()
    found["help"] = faults(person.page)
    person.page.screenshot(path=pictures / f"help-{device}-{scheme}.png")
    person.page.keyboard.press("Escape")
    person.page.get_by_role("button", name="Export").first.click()
    found["export"] = faults(person.page)
    assert {view: wrong for view, wrong in found.items() if wrong} == {}


def test_everything_is_reached_by_the_tab_key(demo, arrive):
    person = arrive(demo, "Tab")
    reached = set()
    for _ in range(60):
        person.page.keyboard.press("Tab")
        reached.add(
            person.page.evaluate(
                "() => (document.activeElement.textContent || document.activeElement.ariaLabel || '').trim()"
            )
        )
    for words in ("Label", "Review", "Export", "Skip", "Certificate"):
        assert any(words in one for one in reached), (words, reached)
