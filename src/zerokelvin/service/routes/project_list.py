"""Projects: make one, list them, look at one, put one away."""

from __future__ import annotations

from datetime import UTC, datetime

from zerokelvin.client.messages import ChosenProject, CreateProject, ProjectList, ProjectShown
from zerokelvin.service.projects.project import Project
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
async def create_project(call: Call) -> ProjectShown:
    """Make a project from a graph."""
    wanted: CreateProject = call.body
    if not call.actor.sees(wanted.name):
        raise ProblemError(403, f"key '{call.actor.name}' is not for project '{wanted.name}'.")
    await call.hall.make(wanted, call.actor.name, call.key, call.fingerprint)
    await call.audit("create", wanted.name)
    async with call.hall.using(wanted.name) as project:
        return await _shown(project)


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
async def archive_project(call: Call) -> ProjectShown:
    """Put a project away: it keeps everything and takes nothing."""
    async with call.hall.using(call.name) as project:
        await project.write(ArchiveWish(True), call.actor.name, call.key, call.fingerprint)
        await call.audit("archive", call.name)
        return await _shown(project)


@route("POST", f"{PATH}/restore", "admin", takes=ChosenProject, gives=ProjectShown, writes=True)
async def restore_project(call: Call) -> ProjectShown:
    """Take a project out again."""
    async with call.hall.using(call.name) as project:
        await project.write(ArchiveWish(False), call.actor.name, call.key, call.fingerprint)
        await call.audit("restore", call.name)
        return await _shown(project)


async def _shown(project: Project) -> ProjectShown:
    def read(session: Session) -> ProjectShown:
        made = project.created
        return ProjectShown(
            name=project.name,
            classes=list(project.known.classes),
            learner=made.learner,
            params=made.params,
            policy=str(session.policy),
            budget=session.budget,
            daily_budget=project.learning.book.daily_budget,
            seed=made.seed,
            nodes=session.graph.num_nodes,
            edges=session.graph.num_edges,
            graph=made.graph,
            created_at=datetime.fromtimestamp(project.created_at, UTC).isoformat(),
            events=project.events,
            archived=project.learning.book.archived,
            audit_share=project.learning.book.audit_share,
        )

    return await project.read("show", read)
