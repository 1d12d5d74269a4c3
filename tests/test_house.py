"""The rules of the house that no linter knows (docs/adr/0004-rooms-by-family.md)."""

import ast
from collections import Counter
from pathlib import Path

import zerokelvin

HOUSE = Path(zerokelvin.__file__).parent
FILES = sorted(path for path in HOUSE.rglob("*.py") if "benchmarks" not in path.parts)
NAMED = [path for path in FILES if not path.stem.startswith("__")]


def test_at_most_fifteen_files_in_a_folder():
    crowded = {folder: n for folder, n in Counter(path.parent for path in FILES).items() if n > 15}
    assert not crowded


def test_no_module_name_twice():
    twice = [stem for stem, n in Counter(path.stem for path in NAMED).items() if n > 1]
    assert not twice


def test_every_folder_is_a_package_that_says_what_it_is():
    for folder in {path.parent for path in FILES}:
        assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))), folder
