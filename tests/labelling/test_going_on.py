"""A project is opened again by what it was made of, and by nothing else."""

import os

import numpy as np
import pytest

from zerokelvin.errors import DataError
from zerokelvin.labelling.source import ItemOptions
from zerokelvin.service.page.opening_folder import kept_project, open_project

OPTIONS = ItemOptions(text="body", name="id")


@pytest.fixture
def mails(tmp_path):
    """A file of three texts, labelled in a folder beside it."""
    path = tmp_path / "mails.csv"
    path.write_text("id,body,kind\n1,good day,a\n2,bad luck,b\n3,good luck,a\n", encoding="utf-8")
    assert start(path)[0] == f"3 items in '{path.parent / 'kept'}'."
    return path


def start(path, options=OPTIONS):
    return open_project(path.parent / "kept", "mails", path, options, ("x", "y"))


def test_the_same_file_goes_on_whenever_it_was_written(mails):
    going_on = [f"Going on with '{mails.parent / 'kept'}'."]
    assert start(mails) == going_on
    os.utime(mails, ns=(1, 1))
    assert start(mails) == going_on
    assert start(mails, ItemOptions()) == going_on  # what is not said again is as it was


@pytest.mark.parametrize("more", ["4,new day,a\n", ""])
def test_a_file_that_has_changed_is_refused_with_the_ways_out(mails, more):
    text = mails.read_text(encoding="utf-8")
    mails.write_text(text + more if more else text.replace("luck", "duck"), encoding="utf-8")
    with pytest.raises(DataError, match=r"mails.csv' is not what '.*kept' was made of; .*--project"):
        start(mails)


def test_another_column_is_refused(mails):
    with pytest.raises(DataError, match="was made with --text body, not kind"):
        start(mails, ItemOptions(text="kind"))
    with pytest.raises(DataError, match="was made without --label, not kind"):
        start(mails, ItemOptions(text="body", label="kind"))


def test_an_embedding_that_was_not_there_is_refused(mails):
    np.save(mails.parent / "e.npy", np.eye(3))
    with pytest.raises(DataError, match=r"e\.npy' is not what"):
        start(mails, ItemOptions(text="body", embedding=mails.parent / "e.npy"))


def test_the_digits_do_not_go_on_with_a_file(mails):
    with pytest.raises(DataError, match="was made of a file and not of the digits"):
        open_project(mails.parent / "kept", "mails", None, ItemOptions(), ())


def test_a_project_goes_on_without_its_file_and_by_its_folder(mails):
    mails.unlink()
    folder = mails.parent / "kept"
    assert start(mails)[1:] == [f"'{mails}' is not there; the items are kept in '{folder}'."]
    assert kept_project(folder) == "mails"
    assert open_project(folder, "mails", folder, ItemOptions(), ()) == [f"Going on with '{folder}'."]
    assert kept_project(mails.parent) is None
    assert kept_project(None) is None


def test_a_folder_of_images_that_has_one_more_is_refused(tmp_path):
    image = pytest.importorskip("PIL.Image")
    folder = tmp_path / "photos"
    folder.mkdir()
    rng = np.random.default_rng(0)

    def add(name):
        image.fromarray(rng.integers(0, 255, (8, 8, 3), dtype=np.uint8)).save(folder / name)

    for name in ("a.png", "b.png"):
        add(name)

    def begin():
        return open_project(tmp_path / "kept", "photos", folder, ItemOptions(), ("x", "y"))

    begin()
    assert begin() == [f"Going on with '{tmp_path / 'kept'}'."]
    add("c.png")
    with pytest.raises(DataError, match="photos' is not what"):
        begin()
