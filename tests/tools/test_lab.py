"""make lab: a server starts here, its address stays, its settings hold, and news of the course are told."""

import hashlib
import json
import os
import re
import secrets
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import IPython
import pytest
import websocket
from nbformat.v4 import new_code_cell, new_notebook, new_output
from traitlets.config import Config

from mlcore.classroom import memory, news, server
from tests.test_house import ROOT
from tests.tools.test_make import one_error_line
from tests.tools.test_setup import run_tool

import lab  # isort: skip  (on the path since the line above)

posix_only = pytest.mark.skipif(os.name == "nt", reason="about what Windows does not have: rights of a file, make")


class TestLab:
    def test_port_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            line = one_error_line(run_tool(f"import lab; lab.choose_port({port})"))
        assert f"port {port} is taken" in line and re.search(r"make lab PORT=\d+$", line)

    @pytest.mark.parametrize("port", ["70000", "0", "-1", "eight"])
    def test_port_that_is_none(self, port):
        assert f"there is no port {port}" in one_error_line(run_tool(f"import lab; lab.read_port({port!r})"))

    def test_next_port_if_none_was_asked_for(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            done = run_tool(f"import lab; lab.FIRST_PORT = {port}; print(lab.choose_port(None) - {port})")
        assert f"Port {port} is taken" in done.stdout
        assert int(done.stdout.splitlines()[-1]) >= 1

    def test_notebook_that_does_not_exist(self):
        done = subprocess.run(
            [sys.executable, "tools/lab.py", "99_nothing.ipynb"], cwd=ROOT, capture_output=True, text=True
        )
        assert "there is no 99_nothing.ipynb" in one_error_line(done)

    @pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has no root")
    def test_root_and_no_display(self):
        code = """
            import lab
            lab.os.geteuid = lambda: {}
            lab.has_display = lambda: {}
            print(*lab.lab_command('', 0, '', ''))
        """
        root, user = (run_tool(code.format(*values)).stdout.split() for values in [(0, False), (1000, True)])
        assert {"--allow-root", "--no-browser"} <= set(root)
        assert not {"--allow-root", "--no-browser"} & set(user)

    def test_here_the_settings_are_ones_that_jupyter_knows(self):
        from jupyter_client.manager import KernelManager
        from jupyter_server.serverapp import ServerApp
        from jupyter_server.services.kernels.kernelmanager import MappingKernelManager
        from jupyterlab.labapp import LabApp

        config = here()
        assert config.ServerApp.ip == "127.0.0.1" and config.LabApp.news_url is None
        classes = {kind.__name__: kind for kind in (KernelManager, LabApp, MappingKernelManager, ServerApp)}
        for name, section in config.items():
            assert set(section) <= set(classes[name].class_traits(config=True)), name

    def test_only_kernels_that_nobody_looks_at_and_that_do_nothing_end(self):
        rules = here().MappingKernelManager
        assert rules.cull_idle_timeout >= 600 and not rules.cull_connected and not rules.cull_busy

    def test_settings_come_before_the_users_own(self, monkeypatch):
        monkeypatch.setenv("JUPYTER_CONFIG_PATH", "own")
        paths = lab.lab_environment("")["JUPYTER_CONFIG_PATH"].split(os.pathsep)
        assert paths == [str(ROOT / "tools" / "jupyter" / name) for name in ("here", "anywhere")] + ["own"]

    def test_a_server_is_started_without_the_package_that_takes_long(self):
        code = lab.WITHOUT_GRAMMAR + "import jupyter_events, jsonschema; print('lark' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


class TestProgress:
    """What a page of the site has saved is added to the learner's own progress."""

    def take_up(self, folder, path):
        code = f"import lab; lab.take_up(lab.sys.executable, lab.read_progress({str(path)!r}), {str(folder)!r})"
        return run_tool(code)

    @pytest.mark.parametrize("name", ["progress (1).json", "王芳 é.json"])
    def test_is_taken_up_and_said(self, tmp_path, name):
        (tmp_path / "my").mkdir()
        own, saved = tmp_path / "my" / memory.FILE, tmp_path / name
        own.write_text('{"exercises": ["2.1"], "guesses": {"k": 1}}', encoding="utf-8")
        saved.write_text('{"exercises": ["2.1", "2.2"], "goals": ["2.A"], "guesses": {"k": 2}}', encoding="utf-8")
        done = self.take_up(tmp_path / "my", saved)
        assert done.returncode == 0 and done.stderr == ""
        assert done.stdout.rstrip().endswith(": new are 1 exercises, 1 goals, 0 guesses, 0 places")
        assert json.loads(own.read_text(encoding="utf-8")) == {
            "version": memory.VERSION, "exercises": ["2.1", "2.2"], "goals": ["2.A"], "guesses": {"k": 1}
        }  # fmt: skip

    @pytest.mark.parametrize("content", [b"", b"{", b"{}", b'{"cells": []}', b'{"exercises": 3}', b"\xff"])
    def test_what_is_none_is_one_line_and_changes_nothing(self, tmp_path, content):
        (tmp_path / "my").mkdir()
        (tmp_path / "my" / memory.FILE).write_bytes(b'{"exercises": ["2.1"]}')
        (tmp_path / "saved.json").write_bytes(content)
        line = one_error_line(self.take_up(tmp_path / "my", tmp_path / "saved.json"))
        assert "no file of the course's progress; nothing was taken from it" in line
        assert [path.name for path in (tmp_path / "my").iterdir()] == [memory.FILE]
        assert (tmp_path / "my" / memory.FILE).read_bytes() == b'{"exercises": ["2.1"]}'

    def test_a_folder_that_cannot_be_written_to(self, tmp_path):
        (tmp_path / "saved.json").write_text('{"exercises": ["2.1"]}')
        assert "nothing was taken from it" in one_error_line(self.take_up(tmp_path / "no", tmp_path / "saved.json"))

    def test_no_such_file_and_with_the_courses_own(self, tmp_path):
        def ran(*arguments):
            return one_error_line(subprocess.run(
                [sys.executable, "tools/lab.py", *arguments], cwd=ROOT, capture_output=True, text=True
            ))  # fmt: skip

        for name in ("nowhere.json", str(tmp_path)):
            assert f"{name}: name one" in ran("--progress", name)
        (tmp_path / "saved.json").write_text('{"exercises": ["2.1"]}')
        assert "leave out --course" in ran("--course", "--progress", str(tmp_path / "saved.json"))

    @posix_only
    def test_make_hands_it_on(self):
        told = subprocess.run(
            ["make", "--no-print-directory", "-n", "lab", "PROGRESS=progress (1).json"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert told.stdout.rstrip().endswith('tools/lab.py  --progress "progress (1).json"')


def here():
    """The settings of tools/jupyter/here."""
    config = Config()
    path = ROOT / "tools" / "jupyter" / "here" / "jupyter_server_config.py"
    exec(path.read_text(encoding="utf-8"), {"get_config": lambda: config})
    return config


def a_notebook(*cells, **metadata):
    """A notebook with an output that has a picture and a view, one that has a view alone, and more cells."""
    view = {server.VIEW: {"model_id": "1"}}
    outputs = [new_output("display_data", {"image/png": "AA==", **view}), new_output("display_data", view)]
    return new_notebook(cells=[new_code_cell("1", outputs=outputs), *map(new_code_cell, cells)], metadata=metadata)


class TestPictures:
    def kept(self, notebook):
        server.keep_pictures({"type": "notebook", "content": notebook}, path="", contents_manager=None)
        return [set(output.data) for output in notebook.cells[0].outputs]

    def test_a_saved_picture_has_no_view(self):
        notebook = a_notebook("from mlcore.viz import explore", widgets={"state": {}})
        assert self.kept(notebook) == [{"image/png"}, {server.VIEW}]
        assert "widgets" not in notebook.metadata

    def test_other_notebooks_stay_as_they_are(self):
        notebook = a_notebook("import ipywidgets", widgets={"state": {}})
        assert self.kept(notebook) == [{"image/png", server.VIEW}, {server.VIEW}]
        assert "widgets" in notebook.metadata


class TestToken:
    """The address of yesterday works today, and nobody else knows it."""

    @pytest.fixture
    def path(self, tmp_path, monkeypatch):
        monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "jupyter"))
        monkeypatch.setenv("JUPYTER_TOKEN", "of somebody")
        return tmp_path / "jupyter" / "mlcore_token"

    def test_is_kept_in_a_file_of_the_users_alone(self, path):
        assert lab.token_file() == str(path) and lab.kept_token(path) is None
        token = lab.make_token(path)
        assert re.fullmatch("[0-9a-f]{48}", token)
        assert lab.kept_token(path) == token == path.read_text()
        assert [entry.name for entry in path.parent.iterdir()] == [path.name]
        if os.name != "nt":
            assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        environment = lab.lab_environment(token)
        assert environment["JUPYTER_TOKEN_FILE"] == str(path) and "JUPYTER_TOKEN" not in environment

    @pytest.mark.parametrize("content", [b"", b"abc", b"g" * 48, b"\xff" * 48, b"a" * 49, b"a" * 48 + b"\n", b"A" * 48])
    def test_a_broken_file_is_replaced(self, path, content):
        path.parent.mkdir()
        path.write_bytes(content)
        path.chmod(0o600)
        assert lab.kept_token(path) is None
        assert lab.make_token(path) == lab.kept_token(path)

    @posix_only
    def test_one_that_others_can_read_is_replaced(self, path):
        old = lab.make_token(path)
        path.chmod(0o640)
        assert lab.kept_token(path) is None
        assert old != lab.make_token(path) == lab.kept_token(path)

    @posix_only
    def test_a_link_is_neither_followed_nor_written_through(self, path, tmp_path):
        token = lab.make_token(tmp_path / "elsewhere")
        path.parent.mkdir()
        path.symlink_to(tmp_path / "elsewhere")
        assert lab.kept_token(path) is None
        assert token != lab.make_token(path) == lab.kept_token(path)
        assert (tmp_path / "elsewhere").read_text() == token

    def test_where_none_can_be_kept_there_is_one_for_today(self, path):
        path.mkdir(parents=True)  # a folder of that name
        token = lab.make_token(path)
        assert re.fullmatch("[0-9a-f]{48}", token)
        assert [entry.name for entry in path.parent.iterdir()] == [path.name]
        environment = lab.lab_environment(token)
        assert environment["JUPYTER_TOKEN"] == token and "JUPYTER_TOKEN_FILE" not in environment
        path.rmdir()
        path.parent.rmdir()
        path.parent.write_text("a file where the folder should be")
        assert re.fullmatch("[0-9a-f]{48}", lab.make_token(path))


class TestNews:
    @pytest.fixture
    def folders(self, tmp_path, monkeypatch):
        """A course of three notebooks and copies of them, in a kernel."""
        course, mine = tmp_path / "notebooks", tmp_path / "my"
        course.mkdir()
        mine.mkdir()
        record = {}
        for name in ("00_start_here.ipynb", "02_two.ipynb", "07_seven.ipynb", "glossary.ipynb"):
            (course / name).write_text(name)
            record[name] = [hashlib.sha256(name.encode()).hexdigest(), "texts"]
        (mine / ".copies.json").write_text(json.dumps(record))
        monkeypatch.chdir(mine)
        monkeypatch.setattr(IPython, "get_ipython", lambda: type("Shell", (), {"kernel": None})())
        monkeypatch.setattr(os, "name", "posix")
        return course, mine

    def told(self, name, monkeypatch, capsys):
        monkeypatch.setenv("JPY_SESSION_NAME", name)
        news.tell_news()
        return capsys.readouterr().out

    def test_nothing_new(self, folders, monkeypatch, capsys):
        for name in ("00_start_here.ipynb", "02_two.ipynb", "own.ipynb", ""):
            assert self.told(name, monkeypatch, capsys) == ""

    def test_a_newer_chapter_is_told_there_and_in_chapter_0(self, folders, monkeypatch, capsys):
        (folders[0] / "02_two.ipynb").write_text("newer")
        how = "than your copy.\nIn a terminal, make reset CHAPTER=2 brings it and puts yours aside.\n"
        for name in ("02_two.ipynb", "sub/02_two.ipynb"):
            assert self.told(name, monkeypatch, capsys) == f"The course has a newer version of this notebook {how}"
        start = self.told("00_start_here.ipynb", monkeypatch, capsys)
        assert start == f"The course has a newer version of chapter 2 {how}"
        assert self.told("07_seven.ipynb", monkeypatch, capsys) == ""
        for name in ("07_seven.ipynb", "glossary.ipynb"):
            (folders[0] / name).write_text("newer")
        start = self.told("00_start_here.ipynb", monkeypatch, capsys)
        assert start == f"The course has a newer version of chapter 2, chapter 7 and the glossary {how}"
        assert "make reset CHAPTER=glossary" in self.told("glossary.ipynb", monkeypatch, capsys)

    def test_nothing_outside_a_kernel_or_the_copies(self, folders, monkeypatch, capsys):
        (folders[0] / "02_two.ipynb").write_text("newer")
        monkeypatch.chdir(folders[0])
        assert self.told("02_two.ipynb", monkeypatch, capsys) == ""
        monkeypatch.chdir(folders[1])
        monkeypatch.setattr(IPython, "get_ipython", lambda: None)
        assert self.told("02_two.ipynb", monkeypatch, capsys) == ""

    @pytest.mark.parametrize("record", ["", "[]", "{", '{"02_two.ipynb": []}', '{"02_two.ipynb": null}', "[" * 9999])
    def test_a_broken_record_says_nothing(self, folders, record, monkeypatch, capsys):
        (folders[1] / ".copies.json").write_text(record)
        assert self.told("02_two.ipynb", monkeypatch, capsys) == ""

    def test_a_course_that_is_gone_says_nothing(self, folders, monkeypatch, capsys):
        (folders[0] / "02_two.ipynb").unlink()
        assert self.told("02_two.ipynb", monkeypatch, capsys) == ""


class Running:
    """A server as lab.py starts it, with kernels that end after three idle seconds."""

    def __init__(self, home, folder):
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.token = secrets.token_hex(24)
        command = lab.lab_command(sys.executable, self.port, str(folder), "02_two.ipynb")
        command += ["--no-browser"] + [f"--MappingKernelManager.cull_{x}" for x in ("idle_timeout=3", "interval=1")]
        self.log = open(home / "server.log", "wb")
        self.process = subprocess.Popen(command, cwd=ROOT, env=lab.lab_environment(self.token), stdout=self.log,
                                        stderr=subprocess.STDOUT)  # fmt: skip
        wait_for(lambda: lab.answers(self.port))

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()

    def ask(self, method, where, **content):
        """Ask the server; return its answer, None where there is nothing (any more)."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/{where}", method=method, headers={"Authorization": f"token {self.token}"},
            data=json.dumps(content).encode() if content else None,
        )  # fmt: skip
        try:
            with urllib.request.urlopen(request) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            assert error.code == 404, error.read()
            return None

    def open(self, name, code, until):
        """Open a notebook as a page does, and run code in it; return its kernel, the connection and what came last."""
        wanted = {"path": name, "name": name, "type": "notebook", "kernel": {"name": "python3"}}
        while True:
            kernel = self.ask("POST", "api/sessions", **wanted)["kernel"]["id"]
            url = f"ws://127.0.0.1:{self.port}/api/kernels/{kernel}/channels?token={self.token}"
            try:
                connection = websocket.create_connection(url, timeout=120)
                return kernel, connection, self.run(connection, code, until)
            except (websocket.WebSocketException, OSError):
                pass  # on a slow machine the kernel may have ended before

    def run(self, connection, code, until):
        """Run code; read what comes until it holds a text."""
        header = {"msg_id": secrets.token_hex(8), "msg_type": "execute_request", "username": "", "session": "x",
                  "date": "2000-01-01T00:00:00Z", "version": "5.3"}  # fmt: skip
        content = {"code": code, "silent": False, "store_history": False, "user_expressions": {}, "allow_stdin": False}
        connection.send(json.dumps({"header": header, "parent_header": {}, "metadata": {}, "content": content,
                                    "channel": "shell", "buffers": []}))  # fmt: skip
        while until not in (heard := connection.recv()):
            pass
        return heard


def wait_for(condition, seconds=120):
    end = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < end
        time.sleep(0.2)
    return result


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    (home / "notebooks").mkdir()
    (home / "notebooks" / "02_two.ipynb").write_text("newer")
    (home / "my").mkdir()
    (home / "my" / ".copies.json").write_text(json.dumps({"02_two.ipynb": ["older", ""]}))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR"):
            patch.setenv(f"JUPYTER_{name}", str(home / name))
        patch.setenv("PYTHONPATH", str(ROOT))
        running = Running(home, home / "my")
        yield running
        running.close()


@pytest.mark.slow
class TestServer:
    """A real server with the settings of make lab."""

    def test_kernels_end_that_nobody_looks_at(self, running):
        looked_at, page, _ = running.open("looked_at.ipynb", "1", '"execute_reply"')
        busy, other, _ = running.open("busy.ipynb", "import time; time.sleep(10000)", '"busy"')
        other.close()
        left, third, _ = running.open("left.ipynb", "1", '"execute_reply"')
        third.close()
        wait_for(lambda: running.ask("GET", f"api/kernels/{left}") is None)
        assert running.ask("GET", f"api/kernels/{looked_at}")["connections"] == 1
        assert running.ask("GET", f"api/kernels/{busy}")["execution_state"] == "busy"
        before = running.ask("GET", f"api/kernels/{looked_at}")["last_activity"]
        page.close()  # idle for longer than allowed, but only now is nobody there
        wait_for(lambda: running.ask("GET", f"api/kernels/{looked_at}")["connections"] == 0)
        assert running.ask("GET", f"api/kernels/{looked_at}")["last_activity"] > before
        wait_for(lambda: running.ask("GET", f"api/kernels/{looked_at}") is None)

    def test_news_are_told_on_the_page(self, running):
        _, page, told = running.open("02_two.ipynb", "import mlcore.classroom.viz", '"stream"')
        page.close()
        assert "newer version of this notebook" in told

    @pytest.mark.parametrize("code, views", [("import mlcore", 1), ("import ipywidgets", 2)])
    def test_saved_pictures_have_no_view(self, running, code, views):
        running.ask("PUT", "api/contents/saved.ipynb", type="notebook", format="json", content=a_notebook(code))
        assert (running.folder / "saved.ipynb").read_text(encoding="utf-8").count(server.VIEW) == views

    @pytest.mark.parametrize(
        "plugin, name, value",
        [
            ("apputils-extension:notification", "fetchNews", "false"),
            ("docmanager-extension:plugin", "autosaveInterval", 12),
        ],
    )
    def test_the_page_has_the_settings_of_the_course(self, running, plugin, name, value):
        settings = running.ask("GET", f"lab/api/settings/@jupyterlab/{plugin}")
        assert settings["schema"]["properties"][name]["default"] == value

    def test_that_it_runs_is_known(self, running):
        assert lab.open_already(sys.executable, str(running.folder.parent)) is None
        port, token, page = lab.open_already(sys.executable, str(running.folder))
        assert (port, token) == (running.port, running.token)
        assert f"/lab/tree/02_two.ipynb?token={token}" in Path(page).read_text(encoding="utf-8")
