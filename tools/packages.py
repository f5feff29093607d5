"""Installs the course and its packages into .venv: with uv, which takes seconds, or with pip where uv cannot be had.

Both take their versions from constraints.txt and their index from pip's settings. What they say is kept in a log.
Readable to an old Python, as setup_env.py is.
"""
import ast
import os
import re
import subprocess
import time

try:
    from urllib.request import url2pathname
except ImportError:  # a Python too old to come this far
    pass

PIP_FOR_OTHERS = (22, 3)  # the first pip that can install into the environment of another Python
PIP = ["-m", "pip", "--disable-pip-version-check", "--no-input"]
OFFLINE = ("Failed to establish", "NewConnectionError", "NameResolutionError", "ConnectTimeout", "Read timed out",
           "ProxyError", "SSLError")
FULL = "No space left"


def install(root, python, outside, target, log, line):
    """Install a target such as .[lab] for a Python; return None, or why it could not be done.

    root is the folder of the course, outside the Python that python's environment was made from.
    """
    wanted = ["--constraint", "constraints.txt", "--editable", target]
    run = Runner(root, log, line)
    pip = pip_for(python, outside, run)
    settings = subprocess.Popen(pip + ["config", "list"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL)  # takes a second, so uv is fetched meanwhile
    good, said = run("Fetching uv, which fetches the rest", pip + ["install", "--retries", "1", "--no-deps",
                     "--only-binary", ":all:", "--constraint", "constraints.txt", "uv"])  # fmt: skip
    told = settings.communicate()[0].decode("utf-8", "replace")
    if good:
        options, environment = for_uv(pip_settings(told), os.environ)
        # pip itself too, for a learner who wants more packages
        command = [python, "-m", "uv", "pip", "install", "--python", python] + options + wanted + ["pip"]
        good, said = run("Fetching the packages", command, uv_share, environment)
    if not good and not is_hopeless(said):
        line.end("uv does not work here, so pip does it: that takes a minute or two.")
        if not pip_version(python):
            run("Making pip", [python, "-m", "ensurepip"])
        pip = pip_for(python, outside, run)
        good, said = run("Fetching the packages", pip + ["install", "--retries", "3"] + wanted)
    return None if good else pip_failure(said)


def began(log):
    """Whether the last command in the log had begun to put packages in their place."""
    with open(log, "rb") as file:
        said = file.read().decode("utf-8", "replace").rpartition("\n$ ")[2]
    return re.search("^(Installing collected packages|Prepared|Uninstalled|Installed) ?", said, re.M) is not None


class Runner(object):
    """Runs a command in the folder of the course, with its output in the log while the line moves."""

    def __init__(self, root, log, line):
        self.root, self.log, self.line = root, log, line
        open(log, "wb").close()

    def __call__(self, words, command, share=None, environment=None):
        """Return whether the command went well, and what it said; share reads out of that how much is done."""
        with open(self.log, "ab") as writing, open(self.log, "rb") as reading:
            writing.write(("$ " + " ".join(command) + "\n").encode("utf-8", "replace"))
            writing.flush()
            reading.seek(0, os.SEEK_END)
            said = b""
            process = subprocess.Popen(command, cwd=self.root, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=writing, stderr=subprocess.STDOUT)
            try:
                ended = False
                while not ended:
                    ended = process.poll() is not None  # asked first, so that its last words are read
                    said += reading.read()
                    text = said.decode("utf-8", "replace")
                    self.line.show(words, *(share(text) if share else ()))
                    time.sleep(0 if ended else 0.1)
            except KeyboardInterrupt:
                process.terminate()
                process.wait()
                raise
        return process.returncode == 0, text


def pip_for(python, outside, run):
    """The pip for a Python: its own; or that of the Python outside; or a new one, which takes seconds to make."""
    if pip_version(python):
        return [python] + PIP
    if pip_version(outside) >= PIP_FOR_OTHERS:
        return [outside] + PIP + ["--python", python]
    run("Making pip", [python, "-m", "ensurepip"])
    return [python] + PIP


def pip_version(python):
    """(major, minor) of a Python's pip; () if it has none."""
    asked = subprocess.run([python, "-c", "import pip; print(pip.__version__)"], capture_output=True, text=True)
    return tuple(int(part) for part in re.findall("[0-9]+", asked.stdout)[:2]) if asked.returncode == 0 else ()


def pip_settings(told):
    """{name: value} out of what `pip config list` tells: a variable before a file, [install] before [global]."""
    found = {}
    for section in ("global", "install", ":env:"):
        for name, value in re.findall("^{}[.]([^=]+)=(.*)$".format(section), told, re.MULTILINE):
            found[name.replace("_", "-")] = ast.literal_eval(value.strip())
    return found


def for_uv(settings, environment):
    """The options and the environment that give uv, which does not read them, the settings of pip.

    What the environment tells uv itself stays. An address may hold a password, so none is among the options.
    """
    options = ["--color", "never"]
    for path in settings.get("constraint", "").split():
        options += ["--constraint", path]
    if is_on(settings.get("no-index")):
        options.append("--no-index")
    timeout = settings.get("timeout", settings.get("default-timeout", ""))
    proxy = settings.get("proxy")
    told = {
        "UV_DEFAULT_INDEX": settings.get("index-url"),
        "UV_INDEX": " ".join(settings.get("extra-index-url", "").split()),
        "UV_INDEX_STRATEGY": "unsafe-best-match",  # as pip does: the pinned version, wherever it is
        "UV_FIND_LINKS": ",".join(filter(exists, settings.get("find-links", "").split())),
        "UV_INSECURE_HOST": " ".join(settings.get("trusted-host", "").split()),
        "UV_HTTP_TIMEOUT": timeout if timeout.isdigit() else None,
        "UV_NO_CACHE": is_on(settings.get("no-cache-dir")) and "1",
        "SSL_CERT_FILE": settings.get("cert"),
        "SSL_CLIENT_CERT": settings.get("client-cert"),
        "HTTP_PROXY": proxy,
        "HTTPS_PROXY": proxy,
    }
    result = {name: value for name, value in told.items() if value}
    result.update(environment)
    return options, result


def is_on(value):
    """Whether a setting that can be on or off is on."""
    return (value or "").lower() in ("1", "true", "yes", "on")


def exists(place):
    """Whether a place to find packages in is there: pip passes over a folder that is not, and uv fails."""
    if place.startswith("file:"):
        place = url2pathname(re.sub("^file:(//)?", "", place))
    return "://" in place or os.path.exists(os.path.expanduser(place))


def uv_share(text):
    """How much of the large packages uv has fetched: (done, whole, unit); () while it is not known."""
    units = {"KiB": 1 / 1024.0, "MiB": 1.0, "GiB": 1024.0}
    sizes = {name: float(size) * units[unit]
             for name, size, unit in re.findall(r"^ *Downloading (\S+) \(([0-9.]+)(KiB|MiB|GiB)\)", text, re.MULTILINE)}
    here = set(re.findall(r"^ *Downloaded (\S+)", text, re.MULTILINE))
    if not sizes:
        return ()
    return int(sum(sizes[name] for name in here & set(sizes))), int(sum(sizes.values())), "MB"


def is_hopeless(said):
    """Whether what was said means that nothing else would go better."""
    return any(sign in said for sign in OFFLINE + (FULL,))


def pip_failure(said):
    """Why it failed: the first line that names an error, shortened, or what that means."""
    if any(sign in said for sign in OFFLINE):
        return "the network or the package index cannot be reached: check the connection and the proxy"
    if FULL in said:
        return "the disk is full: free about 1 GB"
    if "No module named pip" in said:
        return "this Python has no pip: install it (Debian, Ubuntu: sudo apt install python3-venv)"
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["nothing"]
    errors = [line for line in lines if line.lower().startswith("error:")] or lines[-1:]
    return "pip says '{}'".format(errors[0][:200])
