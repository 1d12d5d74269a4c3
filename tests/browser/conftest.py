"""One browser for a worker's tests, and people in it who share nothing."""

import os
import warnings

import pytest

from browsing import CHROMIUM, DESKTOP, ROBUST, WITHOUT_CHROMIUM, Person, labelling

if CHROMIUM is None and os.environ.get("CI"):
    raise pytest.UsageError(f"{WITHOUT_CHROMIUM}; CI must run the tests in a browser")


@pytest.fixture(scope="session")
def chromium():
    """Debian's chromium, without a window."""
    if CHROMIUM is None:
        pytest.skip(WITHOUT_CHROMIUM)
    from playwright.sync_api import sync_playwright

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ROBUST)
            yield browser
            browser.close()


@pytest.fixture
def arrive(chromium):
    """Function that lets someone enter a service's page, in a browser profile of their own."""
    contexts, people = [], []

    def come(service, name="Ana", enter=True, **options):
        context = chromium.new_context(**(DESKTOP | options))
        context.set_default_timeout(20000)
        contexts.append(context)
        person = Person(context.new_page(), service.page, name)
        people.append(person)
        return person.enter() if enter else person

    yield come
    for context in contexts:
        context.close()
    for person in people:
        assert person.errors == []
        assert person.foreign == []
        assert person.dialogs == []


@pytest.fixture
def reviews(tmp_path):
    """Twelve short texts of two kinds."""
    good = [
        "a good film",
        "good acting and a good plot",
        "very good",
        "good fun",
        "good, good, good",
        "so good",
    ]
    bad = [text.replace("good", "bad") for text in good]
    rows = [f'r{place},"{text}"' for place, text in enumerate(good + bad)]
    path = tmp_path / "reviews.csv"
    path.write_text("id,body\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def served_reviews(reviews, tmp_path):
    """The page of the twelve texts, without random checks so that the order of questions is the model's."""
    with labelling(tmp_path, reviews, "--text", "body", "--classes", "good,bad") as service:
        yield service
