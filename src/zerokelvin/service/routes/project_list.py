"""Projects: make one, list them, look at one, put one away."""

from __future__ import annotations

from zerokelvin.client.messages import ChosenProject, CreateProject, ProjectList, ProjectShown
from zerokelvin.service.projects.project import Project
from zerokelvin.service.projects.project_shown import project_shown
from zerokelvin.service.records.commands import ArchiveWish
from zerokelvin.service.web.problems import ProblemError
from zerokelvin.service.web.route_table import Call, route
from zerokelvin.session import Session

PATH = "/v1/projects/{name}"
AFTER = ("show_project", "project_state", "predict", "next_questions", "label_table")


@route(
    "POST",
    "/v1/projects",
    "admin",
    takes=CreateProject,
    gives=ProjectShown,
    status=201,
    writes=True,
    seconds=600.0,
    links=AFTER,
)
async def create_project(call: Call) -> bytes:
    """Make a project from a graph."""
    wanted: CreateProject = call.body
    if not call.actor.sees(wanted.name):
        raise ProblemError(403, f"key '{call.actor.name}' is not for project '{wanted.name}'.")
    made = await call.hall.make(wanted, call.actor.name, call.key, call.fingerprint)
    if made.now:
        await call.audit("create", wanted.name)
        async with call.hall.using(wanted.name):  # so that it is awake when it is used
            pass
    return made.answer


@route("GET", "/v1/projects", "read", gives=ProjectList)
async def list_projects(call: Call) -> ProjectList:
    """List the projects that the key may see."""
    there, away = await call.hall.names(), await call.hall.names(archived=True)
    sees = call.actor.sees
    return ProjectList(projects=[n for n in there if sees(n)], archived=[n for n in away if sees(n)])


@route("GET", PATH, "read", gives=ProjectShown)
async def show_project(call: Call) -> ProjectShown:
    """Show what a project was made with."""
    async with call.hall.using(call.name) as project:
        return await _shown(project)


@route("POST", f"{PATH}/archive", "admin", takes=ChosenProject, gives=ProjectShown, writes=True)
async def archive_project(call: Call) -> bytes:
    """Put a project away: it keeps everything and takes nothing."""
    return await _put(call, True, "archive")


@route("POST", f"{PATH}/restore", "admin", takes=ChosenProject, gives=ProjectShown, writes=True)
async def restore_project(call: Call) -> bytes:
    """Take a project out of the archive, so that it can be used again."""
    return await _put(call, False, "restore")


async def _put(call: Call, away: bool, what: str) -> bytes:
    async with call.hall.using(call.name) as project:
        answer = await project.write(ArchiveWish(away), call.actor.name, call.key, call.fingerprint)
        await call.audit(what, call.name)
        return answer


async def _shown(project: Project) -> ProjectShown:
    def read(session: Session) -> ProjectShown:
        book = project.learning.book
        return project_shown(project.known, session.graph, session.budget, book, project.events)

    return await project.read("show", read)
