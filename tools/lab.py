"""Opens the course in JupyterLab.

    python tools/lab.py [--port 8890] [--here] [--course] [--progress FILE] [notebook]

Opens the learner's own copies in my/ (copies.py), or with --course the notebooks of the course themselves, which
authors look at. Makes .venv ready first (setup_env.py); with --here it uses the Python that runs it as it is, such as
an active conda environment. The server answers on this computer alone. Its address, with the token that lets you in,
is printed once it is up; the token is kept, so that the address of yesterday works today. Where the course is open
already, that is said. What a page of the site, or another machine, has saved as FILE is added to the learner's own
progress first. Readable to an old Python, as setup_env.py is.
"""
import argparse
import errno
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

import progress
import setup_env

HOST = "127.0.0.1"
FIRST_PORT = 8888
FIRST_NOTEBOOK = "00_start_here.ipynb"
CONFIG_FOLDER = os.path.join(setup_env.ROOT, "tools", "jupyter")
LONGEST_WAIT = 120  # seconds for the server to come up
# Without rfc3987_syntax, which compiles a grammar each time it is imported: as long as all the rest of the start. It
# tells whether an address with letters beyond ASCII is well formed; jsonschema, which asks it, does without it.
WITHOUT_GRAMMAR = "import sys; sys.modules['rfc3987_syntax'] = None\n"
START = WITHOUT_GRAMMAR + "from jupyterlab.labapp import main; sys.exit(main())"
RUNNING = WITHOUT_GRAMMAR + """
import json, os
from jupyter_core.paths import jupyter_runtime_dir
from jupyter_server.serverapp import list_running_servers
for server in list_running_servers():
    if os.path.realpath(server["root_dir"]) == os.path.realpath(sys.argv[1]):
        page = os.path.join(jupyter_runtime_dir(), "jpserver-{}-open.html".format(server["pid"]))
        print(json.dumps([server["port"], server["token"], page]))
"""
MERGE = """
import sys
from mlcore.memory import merge
try:
    new = merge(*sys.argv[1:])
except (OSError, ValueError, RecursionError) as error:
    sys.exit(getattr(error, "strerror", None) or error)
print("new are", ", ".join("{} {}".format(count, field) for field, count in new.items()))
"""


def is_free(port):
    """Whether nothing listens on the port of this computer."""
    with socket.socket() as probe:
        if os.name != "nt":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            if error.errno == errno.EACCES:
                setup_env.fail("port {} is not open to you: choose one above 1023, such as "
                               "make lab PORT=8890".format(port))
            return False
    return True


def read_port(text):
    """The port as a number."""
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        setup_env.fail("there is no port {}: choose one from 1024 to 65535, such as make lab PORT=8890".format(text))
    return int(text)


def choose_port(wanted):
    """The port asked for, which must be free; or the first free one from 8888 on, saying so if it is another."""
    if wanted is not None:
        if not is_free(wanted):
            other = next((port for port in range(wanted + 1, min(wanted + 100, 65536)) if is_free(port)), 8890)
            setup_env.fail("port {} is taken: stop what uses it, or choose another: make lab PORT={}".format(
                wanted, other))
        return wanted
    for port in range(FIRST_PORT, FIRST_PORT + 100):
        if is_free(port):
            if port != FIRST_PORT:
                setup_env.say("Port {} is taken (another JupyterLab?), so the address is another this time, "
                              "with {}.".format(FIRST_PORT, port))
            return port
    setup_env.fail("ports {} to {} are all taken: choose another: make lab PORT=9900".format(FIRST_PORT, port))


def open_already(python, folder):
    """[port, token, file that opens it] of a server that runs in the folder; None if there is none."""
    try:
        asked = subprocess.run([python, "-c", RUNNING, folder], capture_output=True, text=True)
    except OSError:  # no .venv yet
        return None
    found = [json.loads(line) for line in asked.stdout.splitlines()]
    return next((server for server in found if answers(server[0])), None)


def read_progress(name):
    """The path of the file of progress; None if none was named."""
    path = name and os.path.abspath(os.path.expanduser(name))
    if path and not os.path.isfile(path):
        setup_env.fail("there is no file {}: name one that a page of the course has saved, such as "
                       "make lab PROGRESS=progress.json".format(path))
    return path


def take_up(python, path, folder):
    """Add what a file of progress holds, if there is one, to the learner's own, and say what is new."""
    if path:
        command = [python, "-c", MERGE, os.path.join(folder, "progress.json"), path]
        done = subprocess.run(command, cwd=setup_env.ROOT, capture_output=True, text=True)
        if done.returncode:
            setup_env.fail("{}: {}; nothing was taken from it".format(path, setup_env.last_line(done.stderr)))
        setup_env.say("From {}: {}".format(path, done.stdout.strip()))


def has_display():
    """Whether a browser can open a window here."""
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True


def lab_command(python, port, folder, notebook):
    """The command that starts the server in a folder; the settings that are always the same are in tools/jupyter/."""
    command = [
        python, "-c", START,
        "--ServerApp.root_dir=" + folder,
        "--ServerApp.port={}".format(port),
        "--LabApp.default_url=/lab/tree/" + notebook,
    ]
    if not has_display():
        command.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    return command


def token_file():
    """Where the token is kept: in Jupyter's own folder for settings, which is in the user's home."""
    folder = os.environ.get("JUPYTER_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".jupyter")
    return os.path.join(folder, "mlcore_token")


def kept_token(path):
    """The token in a file; None if there is none in it, or if it may be known to others."""
    try:
        state = os.lstat(path)
        private = os.name == "nt" or (state.st_uid == os.geteuid() and not state.st_mode & 0o077)
        if not stat.S_ISREG(state.st_mode) or not private:
            return None
        with open(path, encoding="ascii", errors="replace") as file:
            text = file.read(100)
    except OSError:
        return None
    return text if re.fullmatch("[0-9a-f]{48}", text) else None


def make_token(path):
    """A new token, written to a file that nobody else can read, whole or not at all."""
    import secrets

    token = secrets.token_hex(24)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor, new = tempfile.mkstemp(dir=os.path.dirname(path), prefix="mlcore_token.")
        try:
            with os.fdopen(descriptor, "w") as file:
                file.write(token)
            os.replace(new, path)
        except OSError:
            os.remove(new)
            raise
    except OSError:
        pass  # it holds for today then
    return token


def lab_environment(token):
    """The environment of the server: our settings come first, and the user's own kernels last.

    So the kernel named python3 is the one of this environment, not one of the same name in the user's home. Compiled
    files may be written: uv has left that to the first import, and otherwise each kernel would do it anew.
    """
    paths = [os.path.join(CONFIG_FOLDER, name) for name in ("here", "anywhere")]
    paths.append(os.environ.get("JUPYTER_CONFIG_PATH"))
    environment = dict(
        # this server is not the hub's: with --course mlcore.memory is to find no learner here
        {name: value for name, value in os.environ.items() if name != "JUPYTERHUB_USER"},
        JUPYTER_TOKEN=token,
        JUPYTER_CONFIG_PATH=os.pathsep.join(path for path in paths if path),
        JUPYTER_PREFER_ENV_PATH="1",
    )
    if kept_token(token_file()) == token:  # so that it is not in the environment of every kernel
        del environment["JUPYTER_TOKEN"]
        environment["JUPYTER_TOKEN_FILE"] = token_file()
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def answers(port):
    """Whether a server answers on a port of this computer."""
    import urllib.error
    import urllib.request

    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # this computer is never behind a proxy
    try:
        direct.open("http://{}:{}/api".format(HOST, port), timeout=5).close()
    except (urllib.error.URLError, OSError):
        return False
    return True


def wait_until_up(server, port):
    """Wait until the server answers. Ends with one line if it stops or takes too long."""
    line = progress.Line()
    end = time.monotonic() + LONGEST_WAIT
    while not answers(port):
        if server.poll() is not None:
            line.end()
            setup_env.fail("JupyterLab stopped with code {}: its last lines above say why".format(server.returncode))
        if time.monotonic() > end:
            server.terminate()
            line.end()
            setup_env.fail("JupyterLab did not answer in {} seconds: run the same command again".format(LONGEST_WAIT))
        line.show("Starting JupyterLab")
        time.sleep(0.1)
    line.end()


def address(port, notebook, token):
    """The address that opens a notebook."""
    return "http://localhost:{}/lab/tree/{}?token={}".format(port, notebook, token)


def serve(python, port, folder, notebook):
    """Run the server until it ends; return its exit code."""
    token = kept_token(token_file()) or make_token(token_file())
    command = lab_command(python, port, folder, notebook)
    server = subprocess.Popen(command, cwd=setup_env.ROOT, env=lab_environment(token))
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    try:
        wait_until_up(server, port)
        setup_env.say("\nThe course is open at  {}\nStop it with Ctrl+C.\n".format(
            address(port, notebook, token)))
        return server.wait()
    except KeyboardInterrupt:
        return stop(server)


def show_again(port, token, page, notebook):
    """Say where the course is open already, and open it in the browser."""
    import webbrowser
    from pathlib import Path

    setup_env.say("The course is open already at  {}".format(address(port, notebook, token)))
    if has_display() and os.path.exists(page):
        webbrowser.open(Path(page).as_uri())  # the token is in that file, not in a command that others see


def stop(server):
    """Let the server, which got the same Ctrl+C, save and end. That is a good end."""
    try:
        server.wait(timeout=20)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        server.terminate()
        server.wait()
    return 0


def main():
    """Read the command line, set up, choose a port, serve."""
    parser = argparse.ArgumentParser(description="Open the course in JupyterLab.")
    parser.add_argument("notebook", nargs="?", default=FIRST_NOTEBOOK, help="which notebook to open")
    parser.add_argument("--course", action="store_true", help="open the course's own files, not your copies in my/")
    parser.add_argument("--port", help="port to listen on; the first free one from 8888 on if left out")
    parser.add_argument("--here", action="store_true", help="use this Python as it is (conda), without making .venv")
    parser.add_argument("--progress", metavar="FILE", help="add what a page of the course has saved to your progress")
    options = parser.parse_args()
    setup_env.check_version()
    import copies  # only now: it is not readable to an old Python

    notebook = os.path.basename(options.notebook)
    if not os.path.exists(os.path.join(copies.COURSE, notebook)):
        setup_env.fail("there is no {}: name a notebook, such as {}".format(notebook, FIRST_NOTEBOOK))
    folder = copies.COURSE if options.course else copies.MINE
    saved = read_progress(options.progress)
    if saved and options.course:
        setup_env.fail("--progress is for your own copies: leave out --course")
    wanted = None if options.port is None else read_port(options.port)
    if not is_free(wanted or FIRST_PORT):
        python = sys.executable if options.here else setup_env.venv_python()
        running = open_already(python, folder)
        if running:
            take_up(python, saved, folder)
            show_again(running[0], running[1], running[2], notebook)
            return 0
    port = choose_port(wanted)
    python = sys.executable if options.here else setup_env.ensure("lab")
    if not options.course:
        try:
            copies.say_what_was_kept(copies.update()[2])
        except OSError as error:
            setup_env.fail(copies.trouble(error))
        take_up(python, saved, folder)
    return serve(python, port, folder, notebook)


if __name__ == "__main__":
    sys.exit(main())
