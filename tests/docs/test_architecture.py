"""The page on the house names what is there, and its map has every room."""

import re
from pathlib import Path

import zerokelvin

DOCS = Path(__file__).resolve().parents[2] / "docs"
HOUSE = Path(zerokelvin.__file__).parent


def rooms(folder):
    return {path.parent.name for path in folder.glob("*/__init__.py")} - {"benchmarks"}


def test_every_file_that_is_named_exists():
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:[a-z_]+/)*[a-z_]+(?:\.py|/))`", text)
    assert len(named) > 30
    beside = DOCS.parent
    assert [name for name in named if not (HOUSE / name).exists() and not (beside / name).exists()] == []


def test_the_map_has_every_room_and_every_family():
    drawn = set(re.findall(r'class="n"[^>]*>(\w+)<', (DOCS / "images" / "house.svg").read_text("utf-8")))
    files = {path.stem for path in HOUSE.glob("*.py")} - {"__init__", "__main__"}
    assert rooms(HOUSE) | files <= drawn
    families = rooms(HOUSE / "learners") | {"nearest"}
    assert families <= drawn
    assert drawn <= rooms(HOUSE) | files | families
