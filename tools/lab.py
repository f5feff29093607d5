"""Opens the course in JupyterLab.

    python tools/lab.py [--port 8890] [--here] [--course] [notebook]

Opens the learner's own copies in my/ (copies.py), or with --course the notebooks of the course themselves, which
authors look at. Makes .venv ready first (setup_env.py); with --here it uses the Python that runs it as it is, such as
an active conda environment. The server answers on this computer alone. Its address, with the token that lets you in,
is printed once it is up. Readable to an old Python, as setup_env.py is.
"""
import argparse
import errno
import os
import signal
import socket
import subprocess
import sys
import time

import setup_env

HOST = "127.0.0.1"
FIRST_PORT = 8888
FIRST_NOTEBOOK = "00_start_here.ipynb"
CONFIG_FOLDER = os.path.join(setup_env.ROOT, "tools", "jupyter")
PATIENCE = 120  # seconds for the server to come up


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


def choose_port(wanted):
    """The port asked for, which must be free; or the first free one from 8888 on, saying so if it is another."""
    if wanted is not None:
        if not wanted.isdigit() or not 1 <= int(wanted) <= 65535:
            setup_env.fail("there is no port {}: choose one from 1024 to 65535, such as "
                           "make lab PORT=8890".format(wanted))
        wanted = int(wanted)
        if not is_free(wanted):
            other = next((port for port in range(wanted + 1, min(wanted + 100, 65536)) if is_free(port)), 8890)
            setup_env.fail("port {} is taken: stop what uses it, or choose another: make lab PORT={}".format(
                wanted, other))
        return wanted
    for port in range(FIRST_PORT, FIRST_PORT + 100):
        if is_free(port):
            if port != FIRST_PORT:
                setup_env.say("Port {} is taken (another JupyterLab?): using {}.".format(FIRST_PORT, port))
            return port
    setup_env.fail("ports {} to {} are all taken: choose another: make lab PORT=9900".format(FIRST_PORT, port))


def has_display():
    """Whether a browser can open a window here."""
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True


def lab_command(python, port, folder, notebook):
    """The command that starts the server in a folder; the settings that are always the same are in tools/jupyter/."""
    command = [
        python, "-m", "jupyterlab",
        "--ServerApp.root_dir=" + folder,
        "--ServerApp.port={}".format(port),
        "--LabApp.default_url=/lab/tree/" + notebook,
    ]
    if not has_display():
        command.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    return command


def lab_environment(token):
    """The environment of the server: our settings come first, and the user's own kernels last.

    So the kernel named python3 is the one of this environment, not one of the same name in the user's home.
    """
    paths = [CONFIG_FOLDER, os.environ.get("JUPYTER_CONFIG_PATH")]
    return dict(
        # this server is not the hub's: with --course mlcore.memory is to find no learner here
        {name: value for name, value in os.environ.items() if name != "JUPYTERHUB_USER"},
        JUPYTER_TOKEN=token,
        JUPYTER_CONFIG_PATH=os.pathsep.join(path for path in paths if path),
        JUPYTER_PREFER_ENV_PATH="1",
    )


def wait_until_up(server, port):
    """Wait until the server answers. Ends with one line if it stops or takes too long."""
    import urllib.error
    import urllib.request

    end = time.monotonic() + PATIENCE
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # this computer is never behind a proxy
    while time.monotonic() < end:
        if server.poll() is not None:
            setup_env.fail("JupyterLab stopped with code {}: its last lines above say why".format(server.returncode))
        try:
            direct.open("http://{}:{}/api".format(HOST, port), timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    server.terminate()
    setup_env.fail("JupyterLab did not answer within {} seconds: run the same command again".format(PATIENCE))


def serve(python, port, folder, notebook):
    """Run the server until it ends; return its exit code."""
    import secrets

    token = secrets.token_hex(24)
    command = lab_command(python, port, folder, notebook)
    server = subprocess.Popen(command, cwd=setup_env.ROOT, env=lab_environment(token))
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    try:
        wait_until_up(server, port)
        address = "http://localhost:{}/lab/tree/{}?token={}".format(port, notebook, token)
        setup_env.say("\nThe course is open at  {}\nStop it with Ctrl+C.\n".format(address))
        return server.wait()
    except KeyboardInterrupt:
        return stop(server)


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
    options = parser.parse_args()
    setup_env.check_version()
    import copies  # only now: it is not readable to an old Python

    notebook = os.path.basename(options.notebook)
    if not os.path.exists(os.path.join(copies.COURSE, notebook)):
        setup_env.fail("there is no {}: name a notebook, such as {}".format(notebook, FIRST_NOTEBOOK))
    port = choose_port(options.port)
    python = sys.executable if options.here else setup_env.ensure("lab")
    if not options.course:
        try:
            copies.say_what_was_kept(copies.update()[2])
        except OSError as error:
            setup_env.fail(copies.trouble(error))
    setup_env.say("Starting JupyterLab ...")
    return serve(python, port, copies.COURSE if options.course else copies.MINE, notebook)


if __name__ == "__main__":
    sys.exit(main())
