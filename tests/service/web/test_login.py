"""Cookies for the page: given for a key, as good as the key, useless to other sites, taken back."""

import pytest

from serving import app_client, label, make_project, problem
from zerokelvin.errors import ParameterError
from zerokelvin.service import ServiceSettings
from zerokelvin.service.cookies import COOKIE, SignedCookies
from zerokelvin.service.store import open_store
from zerokelvin.service.web.access import new_key
from zerokelvin.service.web.roles import OPEN, ROLES
from zerokelvin.service.web.route_table import all_routes

STREAMS = {"project_events", "export_log", "label_table"}


@pytest.fixture
def service(tmp_path):
    """An app with two projects and keys; the client keeps no cookies of its own."""
    with app_client(tmp_path / "data") as client:
        make_project(client)
        make_project(client, "q")
    store = open_store(tmp_path / "data")
    keys = {role: new_key(store, role, role) for role in ROLES}
    keys["scoped"] = new_key(store, "scoped", "label", ["q"])
    store.close()
    with app_client(tmp_path / "data") as client:
        yield client, keys


class Browser:
    """One that has logged in: it sends its cookie, and the token if told to."""

    def __init__(self, client, key, scheme="http"):
        self.client = client
        answer = client.post(f"{scheme}://127.0.0.1/label/login", json={"key": key})
        assert answer.status_code == 200, answer.text
        self.set_cookie, self.said = answer.headers["set-cookie"], answer.json()
        self.cookie = self.set_cookie.partition(";")[0]
        client._http.cookies.clear()

    def headers(self, token=True):
        return {"cookie": f"other=1; {self.cookie}"} | (
            {"zerokelvin-csrf": self.said["csrf"]} if token else {}
        )

    def get(self, path):
        return self.client.get(path, headers=self.headers(token=False))

    def post(self, path, body, token=True):
        return self.client.post(path, json=body, headers=self.headers(token))


def test_a_key_is_shown_once_for_a_cookie(service):
    client, keys = service
    ann = Browser(client, keys["label"])
    assert ann.said["name"] == ann.said["role"] == "label"
    parts = {part.strip() for part in ann.set_cookie.split(";")[1:]}
    assert {"HttpOnly", "SameSite=Strict", "Path=/", f"Max-Age={12 * 3600}"} == parts
    assert "Secure" in Browser(client, keys["label"], "https").set_cookie
    assert keys["label"] not in ann.set_cookie
    assert ann.get("/v1/me").json() == ann.said
    one = {"labels": [{"node": "a", "label": "ok"}]}
    assert ann.post("/v1/projects/p/labels", one).json() == {"events": 1}
    assert ann.get("/v1/projects/p/next").status_code == 200
    problem(client.post("/label/login", json={"key": "zk_wrong"}), 401)
    problem(client.get("/v1/me"), 401)


def test_writing_needs_the_token(service):
    client, keys = service
    ann, bob = Browser(client, keys["label"]), Browser(client, keys["admin"])
    one = {"labels": [{"node": "a", "label": "ok"}]}
    wrong = problem(ann.post("/v1/projects/p/labels", one, token=False), 403)
    assert "Zerokelvin-CSRF" in wrong["detail"]
    stolen = ann.headers() | {"zerokelvin-csrf": bob.said["csrf"]}
    problem(client.post("/v1/projects/p/labels", json=one, headers=stolen), 403)
    problem(client.request("DELETE", "/v1/keys/label", headers=bob.headers(token=False)), 403)
    assert ann.get("/v1/projects/p/state").json()["events"] == 0
    for kind in ("text/plain", "application/x-www-form-urlencoded"):  # what a form of another site can send
        forged = ann.headers(token=False) | {"content-type": kind}
        assert client.post("/v1/projects/p/skip", content=b'{"node":"a"}', headers=forged).status_code == 403


@pytest.mark.parametrize("role", ROLES)
def test_every_route_takes_a_cookie_as_it_takes_its_key(service, role):
    client, keys = service
    ann = Browser(client, keys[role])
    for info in all_routes():
        if info.name in STREAMS or info.role == OPEN or info.name == "log_out":
            continue
        path = info.path.replace("{name}", "p").replace("{key}", "nobody")
        body = {"content": b"[", "headers": ann.headers() | {"content-type": "application/json"}}
        more = body if info.method == "POST" else {"headers": ann.headers()}
        status = client.request(info.method, path, **more).status_code
        enough = ROLES.index(role) >= ROLES.index(info.role)
        assert (status not in (401, 403)) == enough, (info.name, status)


def test_a_cookie_has_the_scope_of_its_key(service):
    client, keys = service
    ann = Browser(client, keys["scoped"])
    assert ann.get("/v1/projects").json()["projects"] == ["q"]
    assert ann.said["projects"] == ["q"]
    problem(ann.get("/v1/projects/p/state"), 403)
    assert ann.get("/v1/projects/q/state").status_code == 200


def test_logging_out_ends_the_cookie(service):
    client, keys = service
    ann = Browser(client, keys["read"])
    problem(ann.post("/label/logout", {}, token=False), 403)
    answer = ann.post("/label/logout", {})
    assert answer.status_code == 200
    assert f"{COOKIE}=; Path=/; Max-Age=0" in answer.headers["set-cookie"]
    problem(ann.get("/v1/me"), 401)


def test_a_cookie_ends_with_its_key(service):
    client, keys = service
    ann, admin = Browser(client, keys["label"]), Browser(client, keys["admin"])
    assert client.request("DELETE", "/v1/keys/label", headers=admin.headers()).status_code == 200
    problem(ann.get("/v1/projects"), 401)
    problem(client.post("/label/login", json={"key": keys["label"]}), 401)


def test_cookies_end_by_themselves_and_with_their_secret(tmp_path):
    with app_client(tmp_path) as client:
        make_project(client)
    store = open_store(tmp_path)
    key = new_key(store, "ann", "label")
    store.close()
    with app_client(tmp_path, cookie_lifetime=1e-6) as client:
        problem(Browser(client, key).get("/v1/me"), 401)
    with app_client(tmp_path, cookie_secret="s" * 40) as client:
        kept = Browser(client, key)
    with app_client(tmp_path, cookie_secret="s" * 40) as client:
        assert client.get("/v1/me", headers=kept.headers()).json()["name"] == "ann"
    for settings in ({}, {"cookie_secret": "t" * 40}):
        with app_client(tmp_path, **settings) as client:
            problem(client.get("/v1/me", headers=kept.headers()), 401)
    with pytest.raises(ParameterError, match="cookie_secret has 3 characters; give at least 32"):
        ServiceSettings(tmp_path, cookie_secret="abc")  # noqa: S106 - too short on purpose
    assert "ssss" not in repr(ServiceSettings(tmp_path, cookie_secret="s" * 40))


def test_bent_cookies_are_none(service):
    client, keys = service
    name, _, value = Browser(client, keys["label"]).cookie.partition("=")
    other = Browser(client, keys["admin"]).cookie.partition("=")[2]
    bent = [value[:i] + ("A" if value[i] != "A" else "B") + value[i + 1 :] for i in range(len(value) - 1)]
    for text in [*bent, "", "=", "é", value + "AAAA", value[:-4], value[:20] + other[20:], "A" * 5000]:
        assert client.get("/v1/me", headers={"cookie": f"{name}={text}".encode()}).status_code == 401


def test_what_is_kept_of_a_key_makes_no_cookie(service):
    """Who can read the store, which has digests of keys, cannot make a cookie."""
    client, _ = service
    kept = list(client.hall.store.keys())
    known = next(key for key in kept if key.key == "admin")
    for secret in (None, known.digest, b"", b"zerokelvin"):
        forged = SignedCookies(secret, 3600.0).issue("admin", known.digest)
        problem(client.get("/v1/me", headers={"cookie": f"{COOKIE}={forged}"}), 401)


def test_without_keys_nobody_logs_in(tmp_path):
    with app_client(tmp_path) as client:
        path = make_project(client)
        shown = client.get("/v1/me").json()
        assert (shown["name"], shown["role"], shown["keys"]) == ("local", "admin", False)
        problem(client.post("/label/login", json={"key": "zk_any"}), 409)
        assert label(client, path, "a", "ok").status_code == 200
        assert client.get("/v1/me", headers={"cookie": f"{COOKIE}=AAAA"}).json()["name"] == "local"


def test_no_secret_in_the_log(tmp_path, capsys):
    with app_client(tmp_path) as client:
        make_project(client)
    store = open_store(tmp_path)
    key = new_key(store, "ann", "label")
    store.close()
    from serving import AppClient
    from zerokelvin.service import create_app

    client = AppClient(create_app(ServiceSettings(tmp_path, cookie_secret="very-secret" * 4)))
    try:
        ann = Browser(client, key)
        ann.get("/v1/me")
        problem(client.post("/label/login", json={"key": key + "x"}), 401)
    finally:
        client.close()
    lines = capsys.readouterr().err
    assert '"route":"log_in"' in lines
    for secret in (key, "very-secret", ann.cookie.partition("=")[2], ann.said["csrf"]):
        assert secret not in lines
    audit = open_store(tmp_path)
    assert ("ann", "log in") in [(one.actor, one.action) for one in audit.audited()]
    audit.close()


def test_logging_in_is_limited_by_address(tmp_path):
    with app_client(tmp_path) as client:
        make_project(client)
    store = open_store(tmp_path)
    new_key(store, "ann", "label")
    store.close()
    with app_client(tmp_path, rate=5.0) as client:
        statuses = [client.post("/label/login", json={"key": "zk_x"}).status_code for _ in range(12)]
        assert statuses[0] == 401
        assert 429 in statuses
