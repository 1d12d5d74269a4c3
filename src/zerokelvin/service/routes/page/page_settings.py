"""What the page of a project is made of: classes, guidelines, target; and changing them."""

from __future__ import annotations

from zerokelvin.client.messages import Named
from zerokelvin.client.page_messages import ChangePage, PageClass, PageShown
from zerokelvin.service.page.desk import book_of, desk_of
from zerokelvin.service.page.work_left import CONFIDENCE
from zerokelvin.service.projects.forecasts import key_of
from zerokelvin.service.projects.project import Project
from zerokelvin.service.records.commands import PageWish
from zerokelvin.service.records.facts import PageSet
from zerokelvin.service.web.problems import ProblemError
from zerokelvin.service.web.route_table import Call, route

PATH = "/v1/projects/{name}/page"
KEYS = "123456789"


@route("GET", PATH, "read", gives=PageShown)
async def show_page(call: Call) -> PageShown:
    """Show what the labelling page of a project is made of."""
    async with call.hall.using(call.name) as project:
        return await _shown(call, project)


@route("POST", PATH, "label", takes=ChangePage, gives=PageShown)
async def change_page(call: Call) -> PageShown:
    """Change settings of the page, or add classes where they are open; all but adding classes needs admin."""
    body: ChangePage = call.body
    fields = (body.guidelines, body.target, body.audit_share, body.overlap, body.hide_guess)
    set_some = bool(body.notes) or any(value is not None for value in fields)
    if set_some and not call.actor.may("admin"):
        raise ProblemError(
            403, f"key '{call.actor.name}' may add classes, and change nothing else of the page."
        )
    changed = PageSet(body.guidelines, body.notes, body.target, body.overlap, body.hide_guess)
    async with call.hall.using(call.name) as project:
        await book_of(project)
        wish = PageWish(
            changed if set_some else None, tuple(map(_stripped, body.add_classes)), body.audit_share
        )
        await project.write(wish, call.actor.name)
        return await _shown(call, project)


async def _shown(call: Call, project: Project) -> PageShown:
    book, desk = await book_of(project), desk_of(project)
    settings, keys = book.settings, _keys(project.known.classes)
    classes = [
        PageClass(
            label=label,
            key=keys[i],
            notes=settings.notes.get(key_of(label), ""),
            colour=None,
        )
        for i, label in enumerate(project.known.classes)
    ]
    return PageShown(
        name=project.name,
        kind=desk.kind,
        items=project.known.graph.num_nodes,
        classes=classes,
        open_classes=project.created.open_classes,
        guidelines=settings.guidelines,
        target=settings.target,
        confidence=CONFIDENCE,
        audit_share=project.known.book.audit_share,
        overlap=settings.overlap,
        hide_guess=settings.hide_guess,
        map=project.known.graph.num_nodes > 1,
        reviewers_enabled=True,
        can_label=call.actor.may("label"),
        can_admin=call.actor.may("admin"),
        events=project.events,
    )


def _keys(classes: tuple[Named, ...]) -> list[str | None]:
    """The key of each class, which never changes: the first nine have 1 to 9.

    Where all classes are digits, each is its own key.
    """
    own = [str(label) for label in classes]
    if own and all(len(text) == 1 and text in f"0{KEYS}" for text in own):
        return list(own)
    return [KEYS[i] if i < len(KEYS) else None for i in range(len(classes))]


def _stripped(label: Named) -> Named:
    return label.strip() if isinstance(label, str) else label
