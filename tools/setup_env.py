"""Makes .venv and installs what a task needs, unless that has been done already.

    python tools/setup_env.py [lab | test | author | bench]

What is done is done again only when its inputs change: the packages in pyproject.toml, or constraints.txt. packages.py
does the installing. A failure is one line that says what to do. Even a Python too old to run this must be able to read
it, so there are neither f-strings nor annotations here.
"""
import hashlib
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
LOG = os.path.join(VENV, "setup.log")
UNFINISHED = os.path.join(VENV, "unfinished")  # is there while what is in .venv cannot be trusted
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
    """(major, minor) of the Python in .venv, or None if it does not run."""
    code = "import sys; print('%d %d' % sys.version_info[:2])"
    try:
        answer = subprocess.run([venv_python(), "-c", code], capture_output=True, text=True)
    except OSError:
        return None
    return tuple(int(part) for part in answer.stdout.split()) if answer.returncode == 0 else None


def venv_is_usable():
    """Whether .venv can stay: it is whole, runs, is new enough, and of the version that the user asked for, if any."""
    version = venv_version()
    if version is None or version < OLDEST or os.path.exists(UNFINISHED):
        return False
    return not os.environ.get("PYTHON") or version == sys.version_info[:2]


def outside_python():
    """Path of the Python that .venv is made from."""
    return getattr(sys, "_base_executable", None) or sys.executable


def make_venv():
    """Create .venv, in place of a broken one if need be; without pip, which takes longer than all the rest of it."""
    command = [outside_python(), "-m", "venv", "--clear", "--without-pip", VENV]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode == 0:
        open(UNFINISHED, "w").close()
        return
    said = made.stdout + made.stderr
    if "No module named venv" in said:
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


def install(task):
    """Install the course and the task's packages into .venv, at the versions of constraints.txt."""
    import packages
    import progress

    line = progress.Line()
    done = False
    try:
        reason = packages.install(ROOT, venv_python(), outside_python(), ".[{}]".format(task), LOG, line)
        done = reason is None
    finally:
        line.end()
        if not done and packages.began(LOG):
            open(UNFINISHED, "w").close()
    if not done:
        fail("{}, then run the same command again (the whole story: .venv/setup.log)".format(reason))
    with open(stamp(task), "w") as file:
        file.write(fingerprint(task))
    if os.path.exists(UNFINISHED):
        os.remove(UNFINISHED)
    say("Everything is in place after {} s.".format(line.seconds()))
    warm_up()


def warm_up():
    """Let what a notebook imports be compiled, beside what comes next: the first one then starts sooner.

    pip compiles all that it installs; uv leaves that to the first import, and that is a tenth of it.
    """
    code = "import os; hasattr(os, 'nice') and os.nice(5); import ipykernel.kernelapp, mlcore.viz"
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.Popen([venv_python(), "-c", code], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def ensure(task):
    """Make .venv ready for the task and return the path of its Python; quick when it is ready already."""
    check_version()
    try:
        usable = venv_is_usable()
        if not usable or not is_ready(task):
            say("Setting up what '{}' needs, in .venv. This is done once.".format(task))
        if not usable:
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
