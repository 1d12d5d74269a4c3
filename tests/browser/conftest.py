"""One browser for the tests of a file, and people in it who share nothing."""

import os
import re
import warnings

import pytest

from browsing import CHROMIUM, DESKTOP, ROBUST, WITHOUT_CHROMIUM, Person, labelling

if CHROMIUM is None and os.environ.get("CI"):
    raise pytest.UsageError(f"{WITHOUT_CHROMIUM}; CI must run the tests in a browser")


@pytest.fixture(scope="module")
def chromium():
    """Debian's chromium, without a window; an event loop runs as long, so other files must not find it."""
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
    """Function that lets someone enter a project's page, in a browser profile of their own."""
    contexts, people = [], []

    def come(project, name="Ana", enter=True, **options):
        context = chromium.new_context(**(DESKTOP | options))
        context.set_default_timeout(20000)
        contexts.append(context)
        person = Person(context.new_page(), project.page, name)
        people.append(person)
        return person.enter() if enter else person

    yield come
    for context in contexts:
        context.close()
    for person in people:
        assert person.errors == []
        assert person.foreign == []
        assert person.dialogs == []


@pytest.fixture(scope="session")
def reviews(tmp_path_factory):
    """Twelve short texts of two kinds in a folder of their own."""
    kinds = {"good": "splendid moving warm funny", "bad": "dull tiresome cold clumsy"}
    things = ["film", "plot", "music", "acting", "ending", "camera"]
    rows = []
    for kind, words in kinds.items():
        rows += [f'{kind}-{thing},"{words}: a {kind} {thing}"' for thing in things]
    path = tmp_path_factory.mktemp("reviews") / "reviews.csv"
    path.write_text("id,body\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def service(reviews):
    """``zerokelvin label`` on the twelve texts, running as long as the tests of this worker."""
    with labelling(
        reviews.parent, reviews, "--text", "body", "--name", "id", "--classes", "good,bad"
    ) as running:
        yield running


@pytest.fixture
def cliques(service, request):
    """A fresh project: two groups of six nodes, named good-0 to bad-5, joined by one edge."""
    edges = [["good-0", "bad-0"]]
    for kind in ("good", "bad"):
        edges += [[f"{kind}-{i}", f"{kind}-{j}"] for i in range(6) for j in range(i)]
    return service.make(re.sub(r"\W+", "-", request.node.name), edges, ["good", "bad"])
