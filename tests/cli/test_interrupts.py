"""Ctrl-C at any moment ends a command with exit code 130, without a traceback."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

SCRIPT = Path(sys.executable).with_name("zerokelvin")
WAYS = {"script": [SCRIPT], "module": [sys.executable, "-m", "zerokelvin"]}

MARKER = """
import os, sys
wanted, suffix = os.environ["MARK_EVENT"], os.environ["MARK_SUFFIX"]
pending = [int(os.environ["MARK_PIPE"])]
def hook(event, args):
    if pending and event == wanted and str(args[0]).endswith(suffix):
        os.write(pending.pop(), b"x")
sys.addaudithook(hook)
"""


def heed_interrupts():
    """Let Ctrl-C reach a command although the tests themselves may run in the background, deaf to it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def interrupt(command, tmp_path, event, suffix, delay):
    """Start a command and press Ctrl-C `delay` seconds after an audit event: exit code, stderr, seconds."""
    (tmp_path / "sitecustomize.py").write_text(MARKER)
    reader, writer = os.pipe()
    marks = {"MARK_EVENT": event, "MARK_SUFFIX": suffix, "MARK_PIPE": str(writer)}
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        [str(word) for word in command],
        env=os.environ | marks | {"PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=[writer],
        cwd=tmp_path,
        start_new_session=True,
        preexec_fn=heed_interrupts,  # noqa: PLW1509  # the child only runs one call
    ) as process:
        os.close(writer)
        assert os.read(reader, 1) == b"x", process.communicate()[1]
        os.close(reader)
        time.sleep(delay)
        began = time.perf_counter()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the process and to its children
        try:
            shown = process.communicate(timeout=60)[1]
        finally:
            process.kill()
    return process.returncode, shown, time.perf_counter() - began


def without_progress(shown):
    """What a command said apart from telling what it reads and compiles, which it may have come to."""
    return re.sub("(Compiling .* …|Read .*[.])\n", "", shown)


@pytest.mark.parametrize(
    ("way", "arguments"),
    [("script", ["learners"]), ("module", ["--help"]), ("module", ["run", "edges.csv", "labels.csv"])],
)
def test_during_the_imports(files, way, arguments):
    for delay in (0.0, 0.01, 0.05, 0.1, 0.3, 0.6, 1.0, 1.5):
        found = interrupt([*WAYS[way], *arguments], files, "import", "zerokelvin.cli.commands", delay)
        code, shown, seconds = found
        assert code in (0, 130), found
        assert without_progress(shown) in ("", "Interrupted.\n"), found
        assert seconds < 5, found
        if code == 0:
            break  # a fast machine is done by then


LABELLED = ("edges.csv", "labels.csv")
COMMANDS = {
    "run": (["run", *LABELLED, "--learner", "nearest", "--shuffles", "100000"], "open", "labels.csv"),
    "compare": (
        ["compare", *LABELLED, "--learners", "nearest", "--peers", "none", "--shuffles", "100000"],
        "open",
        "labels.csv",
    ),
    "demo": (["demo"], "open", "digits.csv.gz"),
    "reproduce": (["reproduce", "table5.1", "--no-figures"], "import", "second_order_perceptron.table51"),
    "bench": (["bench", "solvers", "--sizes", "300000"], "subprocess.Popen", ""),
}


@pytest.mark.parametrize("delay", [0.2, 1.5])
@pytest.mark.parametrize("name", COMMANDS)
def test_in_the_middle_of_a_command(files, name, delay):
    arguments, event, suffix = COMMANDS[name]
    found = interrupt([SCRIPT, *arguments], files, event, suffix, delay)
    code, shown, seconds = found
    assert code == 130, found
    assert without_progress(shown) in ("", "Interrupted.\n"), found
    assert seconds < 10, found
    assert not list(files.rglob("*.part"))
    assert not list(files.rglob("*.png"))


def script(tmp_path, body):
    """A program that watches for Ctrl-C as the command does."""
    path = tmp_path / "program.py"
    path.write_text("from zerokelvin import startup\nstartup.watch()\n" + textwrap.dedent(body))
    return [sys.executable, path]


@pytest.mark.parametrize(
    "body",
    [
        # compiled code that does not look at signals
        "import hashlib, mark_here\nhashlib.pbkdf2_hmac('sha256', b'a', b'b', 200_000_000)\n",
        # threads that the end of the program would wait for
        """
        import time, threading
        threading.Thread(target=time.sleep, args=(60,)).start()
        import mark_here
        time.sleep(60)
        """,
        # a library that takes the interrupt for an error of its own
        """
        import time, mark_here
        try:
            time.sleep(60)
        except BaseException:
            time.sleep(60)
        """,
    ],
)
def test_what_does_not_stop_by_itself_is_ended(tmp_path, body):
    (tmp_path / "mark_here.py").write_text("")
    code, shown, seconds = interrupt(script(tmp_path, body), tmp_path, "import", "mark_here", 0.5)
    assert code == 130, shown
    assert shown.endswith("Interrupted.\n")
    assert seconds < 8


def test_an_interrupt_in_a_finaliser_is_not_shown(tmp_path):
    body = """
    import os, signal, time, mark_here
    class Late:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
    Late()
    time.sleep(60)
    """
    (tmp_path / "mark_here.py").write_text("")
    code, shown, _ = interrupt(script(tmp_path, body), tmp_path, "import", "mark_here", 1.0)
    assert (code, shown) == (130, "Interrupted.\n")


def test_other_programs_keep_their_own_handling(tmp_path):
    """Importing the library as such changes nothing, also not in a program called zerokelvin."""
    body = textwrap.dedent("""
    import signal, time, warnings
    import zerokelvin, mark_here
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        print("mine", file=__import__("sys").stderr)
    """)
    (tmp_path / "mark_here.py").write_text("")
    for name in ("program.py", "bin/zerokelvin"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(body)
        found = interrupt([sys.executable, path], tmp_path, "import", "mark_here", 0.5)
        assert found[:2] == (0, "mine\n")
