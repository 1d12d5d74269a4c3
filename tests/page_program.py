"""A page as a program: its fences in order, in one folder, and what they print beside what the page shows.

Every ``python`` fence is run. On a tutorial so are the commands of ``console`` fences, and what is printed
must be what the page shows: the lines under a command, and the ``text`` fence right after a ``python`` fence.
The pictures of a tutorial are those its snippets save. After a change,
``python tests/page_program.py docs/tutorials/PAGE.md`` writes what is printed and drawn now.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from click.testing import CliRunner

from zerokelvin.cli.main import cli

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "images" / "tutorials"
FENCE = re.compile(r"^```(python|console|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHOWN = "http://127.0.0.1:8321"  # where pages say the service is; here it gets a free port


class PageProgram:
    """The page of `path`; `run` gives its text with what is printed now in place of what it showed."""

    def __init__(self, path):
        self.path, self.text = path, path.read_text(encoding="utf-8")
        self.tutorial = path.parent.name == "tutorials"
        self.names = {"__name__": "snippet"}
        self.url, self.service = SHOWN, None

    def run(self):
        """Run it in the current folder."""
        parts, end, printed = [], 0, None
        try:
            for fence in FENCE.finditer(self.text):
                kind, body = fence.groups()
                adjacent = not self.text[end : fence.start()].strip()
                if kind == "python":
                    printed = self._python(body)
                elif kind == "console" and self.tutorial:
                    body, printed = self._console(body), None
                elif kind == "text" and self.tutorial and printed is not None and adjacent:
                    body, printed = printed.replace(self.url, SHOWN), None
                parts += [self.text[end : fence.start()], f"```{kind}\n{body}```"]
                end = fence.end()
        finally:
            if self.service is not None:
                self.service.terminate()
                self.service.communicate(timeout=60)
        return "".join([*parts, self.text[end:]])

    def _python(self, code):
        """What a fence prints."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            program = compile(code.replace(SHOWN, self.url), str(self.path), "exec", dont_inherit=True)
            exec(program, self.names)  # noqa: S102
        return out.getvalue()

    def _console(self, body):
        """The commands of a fence, each with what it prints where the page shows anything."""
        done = []
        for part in filter(None, re.split(r"^(?=\$ )", body, flags=re.MULTILINE)):
            command, _, shown = part.partition("\n")
            printed = self._command(shlex.split(command.removeprefix("$ "), comments=True))
            done.append(f"{command}\n{printed if shown else ''}")
        return "".join(done)

    def _command(self, words):
        if words[:2] == ["zerokelvin", "serve"]:
            return self._serve(words[1:])
        if words[0] == "head":
            return subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert words[0] == "zerokelvin", words
        done = CliRunner(env={"COLUMNS": "100"}).invoke(cli, words[1:])
        assert done.exit_code == 0, done.stderr
        return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())

    def _serve(self, words):
        """Start the service, which a page lets run while it goes on."""
        command = [sys.executable, "-m", "zerokelvin", *words, "--port", "0"]
        self.service = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=dict(os.environ)
        )
        line = self.service.stdout.readline()
        self.url = line.split()[-1]
        return line.replace(self.url, SHOWN)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        page = Path(name).resolve()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            page.write_text(PageProgram(page).run(), encoding="utf-8")
            for picture in Path().glob("*.png"):
                shutil.copy(picture, PICTURES / picture.name)
