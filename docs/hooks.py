"""Fill in what the package knows better than a page: learners, policies, commands, figures, notebooks."""

import inspect
import re
from pathlib import Path

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import learner_figures
from notebook_pages import FOLDER, page_of
from zerokelvin import learners
from zerokelvin.asking import POLICIES, list_policies
from zerokelvin.cli.main import cli
from zerokelvin.experiments import LearnerInfo, list_learners


def learners_table() -> str:
    """One row per registered learner: name, what it is for, when to choose it."""
    rows = ["| learner | for | choose it when |", "|---|---|---|"]
    rows += [
        f"| [`{info.name}`](#{info.name}) | {info.purpose} | {info.choose} |" for info in list_learners()
    ]
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


def citation() -> str:
    """The entry for BibTeX, from the citation file."""
    lines = (Path(__file__).parents[1] / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    pairs = (re.match(r"(?:  - )?([a-z-]+): (.+)", line) for line in lines)
    known = {pair[1]: pair[2].strip('"') for pair in pairs if pair}
    fields = {
        "title": known["title"],
        "author": f"{{{known['name']}}}",
        "note": f"version {known['version']}",
    }
    listed = "".join(f"  {name:6} = {{{value}}},\n" for name, value in fields.items())
    return f"```bibtex\n@software{{zerokelvin,\n{listed}}}\n```"


def command_sections() -> str:
    """A section per command, read off the command itself: usage, help, examples, every option."""
    return "\n\n".join(_command(name, cli.commands[name]) for name in cli.list_commands(click.Context(cli)))


def _command(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=f"zerokelvin {name}")
    parts = [f"## zerokelvin {name}", f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```"]
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b\n"):
            title, _, lines = paragraph[2:].partition("\n")
            parts.append(f"{title}\n\n```console\n{_prompted(lines)}\n```")
        else:
            parts.append(_escaped(paragraph))
    options = [option for option in command.params if isinstance(option, click.Option)]
    records = [option.get_help_record(context) for option in options]
    rows = [f"| `{names}` | {_escaped(text)} |" for names, text in filter(None, records)]
    return "\n\n".join([*parts, "\n".join(["| option | meaning |", "|---|---|", *rows])])


def _prompted(lines: str) -> str:
    return "\n".join(f"$ {line.strip()}" for line in lines.splitlines())


def _escaped(text: str) -> str:
    """Plain words in Markdown: what stands in quotes as code, no markup by accident."""
    text = re.sub(r"'(zerokelvin [^']+)'", r"`\1`", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([*_|<>\[\]])", r"\\\1", part)
        for part in re.split(r"(`[^`]+`)", text)
    )


def policies_table() -> str:
    """One row per registered policy: how it is written, and when it asks."""
    rows = [f"| `{form}` | {sentence} |" for form, sentence in list_policies()]
    return "\n".join(["| policy | what it does |", "|---|---|", *rows])


def reference(classes: list[type]) -> str:
    """One mkdocstrings directive per class."""
    return "\n\n".join(f"::: {cls.__module__}.{cls.__name__}" for cls in classes)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """A page of the tutorials for every notebook."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        files.append(File.generated(config, f"tutorials/{path.stem}.md", content=page_of(path)))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Replace the marks in a page."""
    marks = {
        "<!-- learners -->": learners_table,
        "<!-- learner sections -->": learner_sections,
        "<!-- which learner -->": learner_figures.which_learner,
        "<!-- closeness -->": learner_figures.closeness,
        "<!-- learner classes -->": lambda: reference(list(learners.LEARNERS.values())),
        "<!-- citation -->": citation,
        "<!-- commands -->": command_sections,
        "<!-- policies -->": policies_table,
        "<!-- policy classes -->": lambda: reference(list(POLICIES.values())),
    }
    for mark, text in marks.items():
        if mark in markdown:
            markdown = markdown.replace(mark, text())
    return markdown


def on_page_content(html: str, **_: object) -> str:
    """Name the policies in docstrings that leave them to `names_policies`, as Python itself does."""
    return html.replace("{policies}", ", ".join(f"<code>{form}</code>" for form in POLICIES.forms))
