"""The set-up: .venv is made, packages are installed by uv or pip, a line moves meanwhile; errors say what to do."""

import ast
import io
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.test_house import PROJECT, ROOT, read
from tests.tools.test_make import one_error_line

sys.path.insert(0, str(ROOT / "tools"))  # as `python tools/setup_env.py` has it
import packages  # noqa: E402
import progress  # noqa: E402
import setup_env  # noqa: E402


def run_tool(code: str) -> subprocess.CompletedProcess:
    """Run Python code with the tools' folder on its path, as `python tools/lab.py` has."""
    code = "import sys; sys.path.insert(0, 'tools')\n" + textwrap.dedent(code)
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)


class TestSetUp:
    def test_the_oldest_python_is_the_same_everywhere(self):
        oldest = PROJECT["requires-python"].removeprefix(">=")
        assert run_tool("import setup_env; print(*setup_env.OLDEST, sep='.')").stdout.strip() == oldest
        assert f"3.{re.search(r'^oldest=([0-9]+)', read('tools/find_python.sh'), re.MULTILINE).group(1)}" == oldest

    @pytest.mark.parametrize("name", ["setup_env.py", "lab.py", "packages.py", "progress.py"])
    def test_an_old_python_can_read_it(self, name):
        tree = ast.parse(read(f"tools/{name}"))
        new = ast.JoinedStr | ast.AnnAssign | ast.NamedExpr | ast.Match | ast.AsyncFunctionDef | ast.Nonlocal
        assert [node.lineno for node in ast.walk(tree) if isinstance(node, new)] == []
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        arguments = [argument for f in functions for argument in [*f.args.args, *f.args.kwonlyargs]]
        assert [f.name for f in functions if f.returns or f.args.kwonlyargs or f.args.posonlyargs] == []
        assert [argument.arg for argument in arguments if argument.annotation] == []
        calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
        assert "print" not in {call.id for call in calls if isinstance(call, ast.Name)}

    def test_python_too_old(self):
        line = one_error_line(run_tool("import setup_env; sys.version_info = (3, 8); setup_env.ensure('lab')"))
        assert "Python 3.8" in line and "install Python 3.11 or newer" in line

    def test_a_folder_that_is_not_yours(self):
        line = one_error_line(
            run_tool(
                """
                import setup_env, subprocess
                answer = subprocess.CompletedProcess([], 1, "", "Error: [Errno 13] Permission denied: '/course/.venv'")
                setup_env.subprocess.run = lambda *a, **k: answer
                setup_env.make_venv()
                """
            )
        )
        assert "must be yours to write to" in line

    def test_no_venv_module(self):
        line = one_error_line(
            run_tool(
                """
                import setup_env, subprocess
                answer = subprocess.CompletedProcess([], 1, "", "/usr/bin/python3: No module named venv")
                setup_env.subprocess.run = lambda *a, **k: answer
                setup_env.make_venv()
                """
            )
        )
        assert "sudo apt install python3-venv" in line

    def test_a_venv_runs_and_is_unfinished_until_packages_are_in_it(self, tmp_path, monkeypatch):
        monkeypatch.setattr(setup_env, "VENV", str(tmp_path / "venv"))
        monkeypatch.setattr(setup_env, "UNFINISHED", str(tmp_path / "venv" / "unfinished"))
        monkeypatch.delenv("PYTHON", raising=False)
        assert not setup_env.venv_is_usable()
        setup_env.make_venv()
        assert setup_env.venv_version() == sys.version_info[:2]
        assert not setup_env.venv_is_usable()
        os.remove(setup_env.UNFINISHED)
        assert setup_env.venv_is_usable()

    @pytest.mark.parametrize(
        "said, touched",
        [
            ("Resolved 105 packages in 815ms\nDownloading numpy (16.1MiB)\n", False),
            ("Resolved 105 packages in 815ms\nPrepared 105 packages in 10.33s\n", True),
            ("Collecting numpy\n", False),
            ("Collecting numpy\nInstalling collected packages: numpy\n", True),
        ],
    )
    def test_what_was_stopped_while_files_were_put_in_place_is_not_trusted(self, said, touched, tmp_path, monkeypatch):
        def stopped(root, python, outside, target, log, line):
            Path(log).write_text("$ pip install uv\nInstalling collected packages: uv\n$ more\n" + said)
            raise KeyboardInterrupt

        monkeypatch.setattr(packages, "install", stopped)
        for name in ("LOG", "UNFINISHED", "VENV"):
            monkeypatch.setattr(setup_env, name, str(tmp_path / name))
        with pytest.raises(KeyboardInterrupt):
            setup_env.install("lab")
        assert (tmp_path / "UNFINISHED").exists() is touched

    def test_set_up_is_not_repeated_until_its_inputs_change(self, tmp_path):
        done = run_tool(
            f"""
            import setup_env, shutil, os
            installed = []
            def install(task):
                installed.append(task)
                open(setup_env.stamp(task), "w").write(setup_env.fingerprint(task))
            for name in ("pyproject.toml", "constraints.txt"):
                shutil.copy(name, {str(tmp_path)!r})
            setup_env.ROOT = setup_env.VENV = {str(tmp_path)!r}
            setup_env.venv_is_usable = lambda: True
            setup_env.say = lambda message: None
            setup_env.install = install
            def change(name, old, new):
                path = os.path.join(setup_env.ROOT, name)
                text = open(path, encoding="utf-8").read()
                assert old in text
                open(path, "w", encoding="utf-8").write(text.replace(old, new))
            for task in ("lab", "lab", "test", "lab", "author", "bench"):
                setup_env.ensure(task)
            print(*installed)
            change("pyproject.toml", "line-length = 120", "line-length = 100")
            setup_env.ensure("test")
            print(*installed)
            change("constraints.txt", "ipywidgets==", "ipywidgets==9")
            setup_env.ensure("lab")
            setup_env.ensure("lab")
            print(*installed)
            change("pyproject.toml", "numpy>=2.0", "numpy>=2.1")
            setup_env.ensure("lab")
            print(*installed)
            """
        )
        assert done.stderr == ""
        assert done.stdout.splitlines() == ["lab test", "lab test", "lab test lab", "lab test lab lab"]


class Answers:
    """Stands for packages.Runner: remembers commands, and gives the answers it was made with, one after the other."""

    def __init__(self, *answers):
        self.answers, self.commands, self.environments = list(answers), [], []

    def __call__(self, words, command, share=None, environment=None):
        self.commands.append(command)
        self.environments.append(environment)
        return self.answers.pop(0)


class TestPackages:
    """uv installs; pip does where uv cannot be had or fails; both have pip's settings."""

    @pytest.fixture
    def install(self, monkeypatch):
        """Install with made-up answers; return what came of it, the commands and what the line said."""

        def install(*answers, environment=None):
            run, out = Answers(*answers), io.StringIO()
            for name, value in (environment or {}).items():
                monkeypatch.setenv(name, value)
            monkeypatch.setattr(packages, "Runner", lambda root, log, line: run)
            monkeypatch.setattr(sys, "stdout", out)
            line = progress.Line()
            reason = packages.install(str(ROOT), sys.executable, sys.executable, ".[lab]", "setup.log", line)
            return reason, [" ".join(command) for command in run.commands], out.getvalue(), run.environments

        return install

    def test_pip_brings_uv_which_brings_the_rest(self, install):
        reason, commands, said, _ = install((True, ""), (True, ""))
        assert reason is None and said == ""
        assert re.search(r"-m pip .*install .*--only-binary :all: --constraint constraints.txt uv$", commands[0])
        assert f"-m uv pip install --python {sys.executable} " in commands[1]
        assert commands[1].endswith("--constraint constraints.txt --editable .[lab] pip")
        assert len(commands) == 2

    @pytest.mark.parametrize("answers", [[(False, "no uv")], [(True, ""), (False, "error: failed")]])
    def test_where_uv_cannot_be_had_or_fails_pip_does_it(self, install, answers):
        reason, commands, said, _ = install(*answers, (True, ""))
        assert reason is None
        assert re.search("-m pip .*install .*--constraint constraints.txt --editable .\\[lab\\]$", commands[-1])
        assert said.splitlines() == ["uv does not work here, so pip does it: that takes a minute or two."]

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "log, advice",
        [
            ("NewConnectionError('Failed to establish a new connection')\nERROR: No matching", "check the connection"),
            ("ERROR: Could not install packages due to an OSError: No space left on device", "disk is full"),
            ("ERROR: Cannot install numpy==1.0\nmore", "pip says 'ERROR: Cannot install numpy==1.0'"),
            ("/usr/bin/python3: No module named pip", "sudo apt install python3-venv"),
            ("killed", "pip says 'killed'"),
            ("", "pip says 'nothing'"),
        ],
    )
    def test_why_pip_failed(self, install, log, advice):
        reason, *_ = install((False, "ERROR: No matching distribution found for uv"), (False, log))
        assert advice in reason

    def test_where_pip_would_fare_no_better_it_is_not_tried(self, install):
        reason, commands, said, _ = install((False, "NewConnectionError('Failed to establish a new connection')"))
        assert "check the connection" in reason and len(commands) == 1 and said == ""
        reason, commands, said, _ = install((True, ""), (False, "error: No space left on device (os error 28)"))
        assert "disk is full" in reason and len(commands) == 2 and said == ""

    def test_a_failure_is_one_line(self, tmp_path):
        done = run_tool(
            f"""
            import setup_env, packages
            setup_env.LOG = {str(tmp_path / "setup.log")!r}
            open(setup_env.LOG, "w").close()
            packages.install = lambda *a: "the disk is full: free about 1 GB"
            setup_env.install("lab")
            """
        )
        assert one_error_line(done).endswith("then run the same command again (the whole story: .venv/setup.log)")

    def test_pip_tells_its_settings(self, tmp_path, monkeypatch):
        (tmp_path / "pip.conf").write_text(
            "[global]\nindex-url = https://me:secret@a.example/simple\ntimeout = 20\n"
            "[install]\ntimeout = 40\ntrusted_host =\n  a.example\n  b.example\n"
        )
        monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
        monkeypatch.setenv("PIP_TRUSTED_HOST", "c.example")
        told = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True).stdout
        found = packages.pip_settings(told)
        expected = {"index-url": "https://me:secret@a.example/simple", "timeout": "40", "trusted-host": "c.example"}
        assert found.items() >= expected.items()

    def test_uv_gets_the_settings_of_pip(self, tmp_path):
        settings = {
            "index-url": "https://user:secret@index.example/simple",
            "extra-index-url": "https://one.example/simple\nfile:///two/simple",
            "find-links": f"{tmp_path} {tmp_path / 'gone'} {tmp_path.as_uri()} file:///gone https://three.example/",
            "trusted-host": "a.example b.example",
            "constraint": "/etc/constraints.txt",
            "cert": "/etc/ca.pem",
            "default-timeout": "180",
            "proxy": "http://proxy.example:3128",
            "no-cache-dir": "true",
            "no-index": "no",
        }
        options, environment = packages.for_uv(settings, {"UV_HTTP_TIMEOUT": "5", "HOME": "x"})
        assert options == ["--color", "never", "--constraint", "/etc/constraints.txt"]
        assert environment == {
            "UV_DEFAULT_INDEX": "https://user:secret@index.example/simple",
            "UV_INDEX": "https://one.example/simple file:///two/simple",
            "UV_INDEX_STRATEGY": "unsafe-best-match",
            "UV_FIND_LINKS": f"{tmp_path},{tmp_path.as_uri()},https://three.example/",
            "UV_INSECURE_HOST": "a.example b.example",
            "UV_HTTP_TIMEOUT": "5",  # uv had been told
            "UV_NO_CACHE": "1",
            "SSL_CERT_FILE": "/etc/ca.pem",
            "HTTP_PROXY": "http://proxy.example:3128",
            "HTTPS_PROXY": "http://proxy.example:3128",
            "HOME": "x",
        }
        assert packages.for_uv({"no-index": "1"}, {})[0][-1] == "--no-index"
        assert packages.for_uv({}, {})[1] == {"UV_INDEX_STRATEGY": "unsafe-best-match"}

    def test_how_much_uv_has_fetched(self):
        text = "Resolved 106 packages in 815ms\n"
        assert packages.uv_share(text) == ()
        text += "   Building mlcore @ file:///x\nDownloading pillow (6.8MiB)\nDownloading numpy (1.0GiB)\n"
        assert packages.uv_share(text) == (0, 1030, "MB")
        assert packages.uv_share(text + " Downloaded pillow\n Downloaded other\n") == (6, 1030, "MB")

    @pytest.mark.slow
    def test_pip_does_it_in_earnest(self, tmp_path):
        """A course of one module and one package, an index that has no uv: both are there in the end."""
        course, wheels = tmp_path / "a course", tmp_path / "wheels"
        wheels.mkdir()
        (course / "tools").mkdir(parents=True)
        for name in ("setup_env.py", "packages.py", "progress.py"):
            (course / "tools" / name).write_text(read(f"tools/{name}"), encoding="utf-8")
        (course / "constraints.txt").write_text("tiny==1.0\n")
        (course / "pyproject.toml").write_text(
            '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
            '[project]\nname = "course"\nversion = "1"\noptional-dependencies = { lab = ["tiny"] }\n[tool.setuptools]\n'
        )
        (course / "backend.py").write_text(textwrap.dedent(WHEELS) + textwrap.dedent(
            """
            def build_editable(folder, config_settings=None, metadata_directory=None):
                return wheel(folder, "course", "1", "Provides-Extra: lab\\nRequires-Dist: tiny; extra == 'lab'\\n")
            def get_requires_for_build_editable(config_settings=None):
                return []
            """
        ))
        exec(textwrap.dedent(WHEELS), names := {})
        names["wheel"](wheels, "tiny", "1.0")
        names["wheel"](wheels, "tiny", "2.0")  # which constraints.txt does not want
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
        environment.pop("PYTHON", None)
        environment.update(PIP_NO_INDEX="1", PIP_FIND_LINKS=str(wheels), PIP_CONFIG_FILE=os.devnull)

        def set_up():
            command = [sys.executable, "tools/setup_env.py", "lab"]
            return subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True)

        done = set_up()
        assert done.returncode == 0, done.stderr + (course / ".venv" / "setup.log").read_text(encoding="utf-8")
        assert re.sub("[0-9]+ s", "0 s", done.stdout).splitlines() == [
            "Setting up what 'lab' needs, in .venv. This is done once.",
            "Fetching uv, which fetches the rest ...",
            "uv does not work here, so pip does it: that takes a minute or two.",
            "Making pip ...",
            "Fetching the packages ...",
            "Everything is in place after 0 s.",
        ]
        python = course / ".venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        code = "import course, tiny; print(tiny.version)"
        assert subprocess.run([python, "-c", code], capture_output=True, text=True).stdout == "1.0\n"
        assert set_up().stdout == ""


WHEELS = """
    import os, zipfile
    def wheel(folder, name, version, more=""):
        file = "{}-{}-py3-none-any.whl".format(name, version)
        info = "{}-{}.dist-info/".format(name, version)
        with zipfile.ZipFile(os.path.join(str(folder), file), "w") as archive:
            archive.writestr(name + ".py", "version = '{}'".format(version))
            head = "Metadata-Version: 2.1\\nName: {}\\nVersion: {}\\n".format(name, version)
            archive.writestr(info + "METADATA", head + more)
            archive.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
            archive.writestr(info + "RECORD", "")
        return file
"""


class Terminal(io.StringIO):
    """Stands for a terminal; ``screen`` is what is seen on it."""

    def isatty(self):
        return True

    @property
    def screen(self):
        lines = []
        for line in self.getvalue().split("\n"):
            shown = ""
            for part in line.split("\r"):
                shown = part + shown[len(part):]
            lines.append(shown.rstrip())
        return lines


class TestLine:
    def test_on_a_terminal_it_is_written_over_and_taken_away(self, monkeypatch):
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(sys, "stdout", terminal := Terminal())
        monkeypatch.setattr(progress.time, "time", iter(range(100)).__next__)
        line = progress.Line()
        line.show("Fetching the packages", 31, 62, "MB")
        assert terminal.screen == ["Fetching the packages ...  1 s  [############............] 31 of 62 MB"]
        line.show("Fetching")
        assert terminal.screen == ["Fetching ...  2 s"]
        line.end()
        assert terminal.screen == [""]
        line.end("Done.")
        assert terminal.screen == ["Done.", ""]
        assert terminal.getvalue().isascii()

    def test_it_fits_into_a_narrow_terminal(self, monkeypatch):
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "20")
        monkeypatch.setattr(sys, "stdout", terminal := Terminal())
        progress.Line().show("Fetching the packages", 31, 62, "MB")
        assert len(terminal.screen[0]) == 19

    @pytest.mark.parametrize("stream, term", [(io.StringIO, "xterm"), (Terminal, "dumb")])
    def test_elsewhere_each_step_is_a_line(self, stream, term, monkeypatch):
        monkeypatch.setenv("TERM", term)
        monkeypatch.setattr(sys, "stdout", out := stream())
        line = progress.Line()
        for done in (1, 2, 3):
            line.show("Fetching", done, 3, "MB")
        line.show("Starting")
        line.end("Done.")
        assert out.getvalue() == "Fetching ...\nStarting ...\nDone.\n"

    @pytest.mark.parametrize("share, full", [(-1, 0), (0, 0), (0.5, 12), (1, 24), (7, 24)])
    def test_bar(self, share, full):
        assert progress.bar(share) == "[" + full * "#" + (24 - full) * "." + "]"
