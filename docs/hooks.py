"""Fill in what the package knows better than a page: the tables of learners and policies."""

from zerokelvin import learners
from zerokelvin.asking import POLICIES, list_policies


def learners_table() -> str:
    """One row per registered learner: name, what it is, its parameters."""
    rows = ["| name | what it is | parameters |", "|---|---|---|"]
    for name in learners.names():
        cls = learners.LEARNERS[name]
        summary = (cls.__doc__ or "").strip().splitlines()[0]
        defaults = ", ".join(f"`{key}={value!r}`" for key, value in cls().params().items())
        rows.append(
            f"| [`{name}`](python.md#{cls.__module__}.{cls.__name__}) | {summary} | {defaults or '–'} |"
        )
    return "\n".join(rows)


def policies_table() -> str:
    """One row per registered policy: how it is written, and when it asks."""
    rows = [f"| `{form}` | {sentence} |" for form, sentence in list_policies()]
    return "\n".join(["| policy | what it does |", "|---|---|", *rows])


def reference(classes: list[type]) -> str:
    """One mkdocstrings directive per class."""
    return "\n\n".join(f"::: {cls.__module__}.{cls.__name__}" for cls in classes)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Replace the marks in a page."""
    marks = {
        "<!-- learners -->": learners_table(),
        "<!-- learner classes -->": reference(list(learners.LEARNERS.values())),
        "<!-- policies -->": policies_table(),
        "<!-- policy classes -->": reference(list(POLICIES.values())),
    }
    for mark, text in marks.items():
        markdown = markdown.replace(mark, text)
    return markdown


def on_page_content(html: str, **_: object) -> str:
    """Name the policies in docstrings that leave them to `names_policies`, as Python itself does."""
    return html.replace("{policies}", ", ".join(f"<code>{form}</code>" for form in POLICIES.forms))
