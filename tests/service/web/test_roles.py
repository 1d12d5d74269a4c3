"""Roles × routes: every route with every role, from the table of routes itself."""

import pytest

from serving import app_client, make_project
from zerokelvin.service.store import open_store
from zerokelvin.service.web.access import new_key
from zerokelvin.service.web.roles import OPEN, ROLES
from zerokelvin.service.web.route_table import all_routes

ROUTES = all_routes()
STREAMS = {"project_events"}
WANTED = {
    "open": {
        "health",
        "ready",
        "openapi",
        "docs",
        "docs_style",
        "log_in",
        "label_projects",
        "first_page",
        "label_page",
        "label_asset",
    },
    "read": {
        "list_projects",
        "show_project",
        "project_state",
        "label_table",
        "project_events",
        "metrics",
        "log_out",
        "who_am_i",
        "show_page",
        "show_items",
        "show_image",
        "show_map",
        "show_map_colours",
        "show_map_node",
        "show_history",
        "review_items",
        "select_items",
        "show_reviewers",
        "show_certificate",
        "export_labels",
    },
    "predict": {"predict", "explain_node", "rank_nodes"},
    "label": {
        "answer",
        "teach",
        "correct_label",
        "skip_node",
        "next_questions",
        "add_nodes",
        "add_edges",
        "take_turn",
        "look_ahead",
        "label_many",
        "change_page",
        "import_labels",
    },
    "admin": {
        "create_project",
        "archive_project",
        "restore_project",
        "set_budget",
        "export_log",
        "import_log",
        "make_key",
        "list_keys",
        "revoke_key",
        "audit_trail",
    },
}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """An app with a project and a key of every role, for all projects and for another one."""
    folder = tmp_path_factory.mktemp("roles")
    with app_client(folder) as client:
        make_project(client)
    store = open_store(folder)
    keys = {role: new_key(store, role, role) for role in ROLES}
    keys |= {f"other {role}": new_key(store, f"other-{role}", role, ["another"]) for role in ROLES}
    store.close()
    with app_client(folder) as client:
        yield client, keys


def ask(client, info, key):
    """The status of a request to a route that is all right but for its body."""
    path = info.path.replace("{name}", "p").replace("{key}", "nobody")
    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    body = {"content": b"[", "headers": headers | {"content-type": "application/json"}}
    more = body if info.method == "POST" else {"headers": headers}
    return client.request(info.method, path, **more).status_code


def test_the_table_is_as_meant():
    found = {role: {info.name for info in ROUTES if info.role == role} for role in WANTED}
    assert {role: found[role] & WANTED[role] for role in WANTED} == WANTED
    extra = {info.name for info in ROUTES} - set().union(*WANTED.values())
    assert {name for name in extra if not name.startswith("label_studio")} == set()


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("info", [one for one in ROUTES if one.name not in STREAMS], ids=lambda one: one.name)
def test_every_route_with_every_role(service, info, role):
    client, keys = service
    status = ask(client, info, keys[role])
    enough = info.role == OPEN or ROLES.index(role) >= ROLES.index(info.role)
    assert (status not in (401, 403)) == enough, status
    assert status < 500
    if info.role != OPEN:
        assert ask(client, info, None) == 401
        assert ask(client, info, "zk_wrong") == 401
    if "{name}" in info.path:
        assert ask(client, info, keys[f"other {role}"]) == 403


def test_streams_too(service):
    client, keys = service
    for info in ROUTES:
        if info.name in STREAMS:
            assert ask(client, info, None) == 401
            assert ask(client, info, keys["other read"]) == 403


def test_a_key_sees_its_projects_only(service):
    client, keys = service
    seen = client.get("/v1/projects", headers={"authorization": f"Bearer {keys['other read']}"}).json()
    assert seen == {"projects": [], "archived": []}
    mine = client.get("/v1/projects", headers={"authorization": f"Bearer {keys['read']}"}).json()
    assert mine["projects"] == ["p"]
    graph = {"edges": [["a", "b"]]}
    body = {"name": "mine", "graph": graph, "classes": ["x", "y"], "learner": "nearest"}
    made = client.post("/v1/projects", json=body, headers={"authorization": f"Bearer {keys['other admin']}"})
    assert made.status_code == 403
    for path in ("/v1/keys",):
        answer = client.get(path, headers={"authorization": f"Bearer {keys['other admin']}"})
        assert answer.status_code == 403


def test_keys_are_made_and_revoked_while_it_runs(service):
    client, keys = service
    admin = {"authorization": f"Bearer {keys['admin']}"}
    made = client.post("/v1/keys", json={"name": "new", "role": "read"}, headers=admin)
    assert made.status_code == 201
    own = {"authorization": f"Bearer {made.json()['key']}"}
    assert client.get("/v1/projects/p", headers=own).status_code == 200
    listed = client.get("/v1/keys", headers=admin)
    assert "new" in [key["name"] for key in listed.json()["keys"]]
    assert made.json()["key"] not in listed.text
    again = client.post("/v1/keys", json={"name": "new", "role": "admin"}, headers=admin)
    assert again.status_code == 409
    assert client.request("DELETE", "/v1/keys/new", headers=admin).status_code == 200
    assert client.get("/v1/projects/p", headers=own).status_code == 401
    assert client.request("DELETE", "/v1/keys/new", headers=admin).status_code == 404


def test_no_key_is_kept_as_it_is(service, tmp_path_factory):
    client, keys = service
    folder = client.hall.store.folder
    texts = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert not [text for text in texts for key in keys.values() if key.encode() in text]


def test_an_address_that_others_reach_needs_a_key(tmp_path):
    from zerokelvin.errors import ParameterError
    from zerokelvin.service import ServiceSettings, create_app

    with pytest.raises(ParameterError, match="there is no key yet; make one with"):
        create_app(ServiceSettings(tmp_path, host="0.0.0.0"))  # noqa: S104


def test_without_keys_only_this_machine_is_served(tmp_path):
    with app_client(tmp_path) as client:
        make_project(client)
        for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", ""):
            assert client.get("/v1/projects/p", headers={"host": host}).status_code == 421
        for host in ("localhost:8321", "127.0.0.1", "[::1]:80"):
            assert client.get("/v1/projects/p", headers={"host": host}).status_code == 200
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            answer = client.post(
                "/v1/projects/p/skip", content=b'{"node":"a"}', headers={"content-type": kind}
            )
            assert answer.status_code == 415
