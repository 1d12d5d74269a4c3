"""Fill in what the package knows better than a page: learners and policies."""

from zerokelvin import learners
from zerokelvin.asking import POLICIES, list_policies
from zerokelvin.experiments import LearnerInfo, list_learners


def learners_table() -> str:
    """One row per registered learner: name, what it is for, when to choose it."""
    rows = ["| learner | for | choose it when |", "|---|---|---|"]
    rows += [f"| [`{info.name}`](#{info.name}) | {info.purpose} | {info.choose} |" for info in list_learners()]
    return "\n".join(rows)


def learner_sections() -> str:
    """A section per registered learner: what it is, cost, bound, parameters with their meaning."""
    return "\n\n".join(_section(info) for info in list_learners())


def _section(info: LearnerInfo) -> str:
    cls = learners.LEARNERS[info.name]
    parts = [
        f"## {info.name}",
        f"{info.summary}. For {info.purpose}. Choose it when {info.choose}.",
        f"**Cost.** {info.cost[:1].upper()}{info.cost[1:]}.",
        f"**Bound.** {info.bound}",
    ]
    if info.parameters:
        rows = [f"| `{key}` | `{value}` | {info.meanings[key]} |" for key, value in info.parameters.items()]
        parts.append("\n".join(["| parameter | default | meaning |", "|---|---|---|", *rows]))
    paper = f"From {info.reference}. " if info.reference else ""
    parts.append(f"{paper}[How it works](python.md#{cls.__module__}.{cls.__name__}).")
    return "\n\n".join(parts)


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
        "<!-- learner sections -->": learner_sections(),
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
