"""A real browser on a real page: chromium driven by playwright, and ``zerokelvin label`` as a process."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path

import httpx

PAGE = Path(__file__).resolve().parent.parent / "src" / "zerokelvin" / "web"
AXE = PAGE / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = shutil.which("chromium")
WITHOUT_CHROMIUM = "no chromium: apt-get install chromium"
WITHOUT_PACKAGES = "no packages of the page's source: npm ci --prefix src/zerokelvin/web"
ROBUST = ["--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader"]

DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}


class LabelService:
    """``zerokelvin label`` as a process; can be killed and started again on the same port."""

    def __init__(self, *arguments, folder):
        self.arguments, self.folder = [str(value) for value in arguments], Path(folder)
        self.process, self.url, self.port = None, "", 0

    def start(self):
        """Start and wait for the line that says where it listens."""
        command = [sys.executable, "-m", "zerokelvin", "label", *self.arguments, "--no-browser", "--port"]
        self.errors = (self.folder / "errors.txt").open("a")
        self.process = subprocess.Popen(
            [*command, str(self.port)], cwd=self.folder, stdout=subprocess.PIPE, stderr=self.errors, text=True
        )
        line = self.process.stdout.readline()
        if "listening on " not in line:
            said = (self.folder / "errors.txt").read_text()
            raise AssertionError(f"zerokelvin label said {line!r} and {said}")
        self.url = line.split("listening on ")[1].split()[0].rstrip("/")
        self.port = urllib.parse.urlsplit(self.url).port
        self.base = f"{urllib.parse.urlsplit(self.url).scheme}://127.0.0.1:{self.port}"
        return self

    def kill(self):
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self):
        """End it as a person would."""
        self._end(signal.SIGTERM)

    def _end(self, number):
        if self.process is not None:
            if self.process.poll() is None:
                os.kill(self.process.pid, number)
            self.process.wait(60)
            self.process.stdout.close()
            self.errors.close()
            self.process = None

    def first(self):
        """The project it was started for."""
        return Labelled(self, httpx.get(f"{self.base}/v1/projects").json()["projects"][0])

    def make(self, name, edges, classes):
        """Another project, of a graph."""
        body = {"name": name, "graph": {"edges": edges}, "classes": classes}
        answer = httpx.post(f"{self.base}/v1/projects", json=body, timeout=60)
        assert answer.status_code in (200, 201), answer.text
        return Labelled(self, name)


class Labelled:
    """A project of a service."""

    def __init__(self, service, name):
        self.service, self.path = service, urllib.parse.quote(name)

    @property
    def page(self):
        """The address of the page."""
        return f"{self.service.base}/label/{self.path}"

    def get(self, what):
        """Something of the project, as text."""
        answer = httpx.get(f"{self.service.base}/v1/projects/{self.path}/{what}", timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.text

    def labels(self):
        """The labels that people gave, by node."""
        rows = json.loads(self.get("review?show=answered&limit=100"))["rows"]
        return {row["node"]: row["label"] for row in rows}

    def acts(self, reviewer):
        """What a person did."""
        return json.loads(self.get(f"history?reviewer={reviewer}&limit=100"))["answers"]


@contextlib.contextmanager
def labelling(folder, *arguments):
    """A running ``zerokelvin label``, ended whatever happens."""
    service = LabelService(*arguments, folder=folder)
    try:
        service.start()
        yield service
    finally:
        service.stop()


class Person:
    """Someone at the page, with keys and eyes."""

    def __init__(self, page, url, name):
        self.page, self.url, self.name = page, url, name
        self.foreign, self.errors, self.dialogs = [], [], []
        home = urllib.parse.urlsplit(url).netloc
        page.on("request", lambda request: self._watch(request.url, home))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        page.on("console", lambda said: self._listen(said.text))

    def _watch(self, url, home):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.netloc != home:
            self.foreign.append(url)

    def _listen(self, text):
        if "Content Security Policy" in text:
            self.errors.append(text)

    def enter(self):
        """Open the page, say the name if it is asked, wait for a question or what stands in its place."""
        self.page.goto(self.url)
        self.page.wait_for_selector("#name, #main")
        if self.page.locator("#name").count():
            self.page.fill("#name", self.name)
            self.page.keyboard.press("Enter")
        self.page.wait_for_selector("#item[data-node], .done, #new-classes")
        return self

    @property
    def node(self):
        """The node that is asked about, or None."""
        shown = self.page.locator("#item[data-node]")
        return shown.get_attribute("data-node") if shown.count() else None

    def press(self, key):
        """Press a key on the page itself, and wait until something else than this question is shown."""
        before = self.node
        self.page.keyboard.press(key)
        self.page.wait_for_function(
            "node => document.querySelector('.done') || "
            "![null, undefined, node].includes(document.querySelector('#item[data-node]')?.dataset.node)",
            arg=before,
        )

    def saved(self, timeout=15000):
        """Wait until everything is saved."""
        self.page.wait_for_selector('[data-state="saved"][data-waiting="0"]', timeout=timeout)

    def tab(self, name):
        """Go to a tab."""
        self.page.evaluate("name => location.hash = name", name)
        self.page.wait_for_selector(f"main.view-{name}")


def wait_until(true, seconds=20.0, every=0.05):
    """Wait until it is true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(every)


class OthersAtWork:
    """How much of the processors programs had that are no children of this one, since it was made."""

    def __init__(self):
        self.began, self.before = time.monotonic(), _ticks_of_others()

    def share(self):
        """From 0, nothing, to 1, all of them."""
        passed = (time.monotonic() - self.began) * os.sysconf("SC_CLK_TCK") * os.cpu_count()
        return max(_ticks_of_others() - self.before, 0) / passed


def _ticks_of_others():
    """Clock ticks that all processors worked, but for this process and those it started."""
    user, nice, system, _, _, irq, softirq = map(int, Path("/proc/stat").read_text().split()[1:8])
    parents, ticks = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            fields = stat.read_text().rpartition(")")[2].split()
            parents[int(stat.parent.name)] = int(fields[1])
            ticks[int(stat.parent.name)] = sum(map(int, fields[11:15]))
    own, more = set(), {os.getpid()}
    while more:
        own |= more
        more = {process for process, parent in parents.items() if parent in more} - own
    return user + nice + system + irq + softirq - sum(ticks.get(process, 0) for process in own)
