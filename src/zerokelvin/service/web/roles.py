"""Who may do what: roles, and who has one."""

from __future__ import annotations

from typing import NamedTuple, get_args

from zerokelvin.client.messages import Role

__all__ = ["OPEN", "ROLES", "Actor"]

OPEN = "open"
"""The role that a route asks of nobody."""

ROLES: tuple[Role, ...] = get_args(Role)
"""Who has a role has those before it."""


class Actor(NamedTuple):
    """Who sent a request: a name, a role, and the projects it is for (none: all)."""

    name: str
    role: Role
    projects: tuple[str, ...] = ()

    def may(self, role: str) -> bool:
        """Whether the role of this actor is at least the one asked for."""
        return role == OPEN or ROLES.index(self.role) >= ROLES.index(role)

    def sees(self, project: str) -> bool:
        """Whether a project is among those it is for."""
        return not self.projects or project in self.projects
