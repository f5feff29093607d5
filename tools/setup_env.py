"""Makes .venv and installs what a task needs, unless that has been done already.

    python tools/setup_env.py [lab | test | author | bench]

What is done is done again only when its inputs change: the packages in pyproject.toml, or constraints.txt.
A failure is one line that says what to do. Even a Python too old to run this must be able to read it, so there are
neither f-strings nor annotations here.
"""
import hashlib
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
PIP_LOG = os.path.join(VENV, "setup.log")
OLDEST = (3, 11)
TASKS = ("lab", "test", "author", "bench")  # each is an extra
EVERYTHING = "test"  # this extra holds what all the other tasks need


def say(message):
    """Print a line at once (Python 2 has no print with flush)."""
    sys.stdout.write(message + "\n")
    sys.stdout.flush()


def fail(message):
    """End with one line on stderr."""
    sys.stderr.write("error: {}\n".format(message))
    sys.exit(1)


def check_version():
    """End here if this Python cannot run the course."""
    if sys.version_info < OLDEST:
        fail(
            "Python {}.{} ({}) is too old: install Python {}.{} or newer, then run this with it".format(
                sys.version_info[0], sys.version_info[1], sys.executable, *OLDEST
            )
        )


def venv_python():
    """Path of the Python inside .venv."""
    if os.name == "nt":
        return os.path.join(VENV, "Scripts", "python.exe")
    return os.path.join(VENV, "bin", "python")


def venv_version():
    """(major, minor) of the Python in .venv, or None if it does not run or has no pip."""
    code = "import sys, pip; print('%d %d' % sys.version_info[:2])"
    try:
        answer = subprocess.run([venv_python(), "-c", code], capture_output=True, text=True)
    except OSError:
        return None
    return tuple(int(part) for part in answer.stdout.split()) if answer.returncode == 0 else None


def venv_is_usable():
    """Whether .venv can stay: it runs, is new enough, and is of the version that the user asked for, if any."""
    version = venv_version()
    if version is None or version < OLDEST:
        return False
    return not os.environ.get("PYTHON") or version == sys.version_info[:2]


def make_venv():
    """Create .venv, in place of a broken one if need be."""
    say("Making .venv with Python {}.{} ...".format(*sys.version_info[:2]))
    python = getattr(sys, "_base_executable", None) or sys.executable
    made = subprocess.run([python, "-m", "venv", "--clear", VENV], capture_output=True, text=True)
    if made.returncode == 0:
        return
    said = made.stdout + made.stderr
    if "ensurepip" in said or "No module named venv" in said:
        fail(
            "this Python has no venv module: install it (Debian, Ubuntu: sudo apt install python3-venv), "
            "then run the same command again"
        )
    if "Permission denied" in said:
        fail("cannot write {}: the folder of the course must be yours to write to".format(VENV))
    fail("cannot make .venv: {}; check the disk, then run the same command again".format(last_line(said)))


def last_line(text):
    """The last line of a command's output that says something."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"


def fingerprint(task):
    """Digest of all that decides what is installed for the task. A change of, say, pytest's options is none."""
    import tomllib

    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        project = tomllib.load(file)
    with open(os.path.join(ROOT, "constraints.txt"), encoding="utf-8") as file:
        constraints = file.read()
    inputs = [task, ROOT, project["build-system"], project["project"], project["tool"]["setuptools"], constraints]
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def stamp(task):
    """The file in .venv that holds the fingerprint of the last set-up for the task."""
    return os.path.join(VENV, "ready-" + task)


def is_ready(task):
    """Whether .venv already holds what the task needs."""
    for done in (task, EVERYTHING):
        if os.path.exists(stamp(done)):
            with open(stamp(done)) as file:
                if file.read() == fingerprint(done):
                    return True
    return False


def pip_failure():
    """Why pip failed, out of its log: its first line that names an error, shortened."""
    with open(PIP_LOG, encoding="utf-8", errors="replace") as file:
        log = file.read()
    errors = [line.strip() for line in log.splitlines() if line.lower().startswith("error:")]
    reason = errors[0] if errors else last_line(log)
    offline = any(sign in log for sign in ("Failed to establish", "NewConnectionError", "NameResolutionError",
                                           "ConnectTimeout", "Read timed out", "ProxyError", "SSLError"))
    if offline:
        return "the network or the package index cannot be reached: check the connection and the proxy"
    if "No space left" in log:
        return "the disk is full: free about 1 GB"
    return "pip says '{}'".format(reason[:200])


def install(task):
    """Install the course and the task's packages into .venv, at the versions of constraints.txt."""
    target = ".[{}]".format(task)
    say("Installing the packages for '{}' (a few minutes the first time) ...".format(task))
    command = [venv_python(), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--retries", "3",
               "--constraint", "constraints.txt", "--editable", target]
    with open(PIP_LOG, "w", encoding="utf-8") as log:
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        fail("{}, then run the same command again (the whole story: .venv/setup.log)".format(pip_failure()))
    with open(stamp(task), "w") as file:
        file.write(fingerprint(task))


def ensure(task):
    """Make .venv ready for the task and return the path of its Python; quick when it is ready already."""
    check_version()
    try:
        if not venv_is_usable():
            make_venv()
        if not is_ready(task):
            install(task)
    except OSError as error:
        fail("cannot write {}: {}; check the disk and its permissions".format(error.filename or VENV, error.strerror))
    except KeyboardInterrupt:
        fail("stopped half-way; run the same command again to go on")
    return venv_python()


if __name__ == "__main__":
    check_version()
    wanted = sys.argv[1] if len(sys.argv) > 1 else "lab"
    if wanted not in TASKS:
        fail("there is no task '{}'; there are: {}".format(wanted, ", ".join(TASKS)))
    ensure(wanted)
