"""Fill in what the package knows better than a page: the table of learners."""

from zerokelvin import learners

MARK = "<!-- learners -->"


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


def learners_reference() -> str:
    """One mkdocstrings directive per learner class."""
    names = (f"{cls.__module__}.{cls.__name__}" for cls in learners.LEARNERS.values())
    return "\n\n".join(f"::: {name}" for name in names)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Replace the marks in a page."""
    return markdown.replace(MARK, learners_table()).replace("<!-- learner classes -->", learners_reference())
