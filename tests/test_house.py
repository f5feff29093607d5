"""The house keeps its own rules: packages, imports, make, errors of the set-up, and how notebooks are built."""

import ast
import json
import os
import re
import socket
import stat
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from traitlets.config import Config

from mlcore.course import CHAPTERS
from tools import build_notebooks, copies, make_student, run_tests

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONDA_NAMES = {"playwright-python": "playwright"}  # what conda calls by another name


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


# ---------------------------------------------------------------------------------------------------------------
# Packages
# ---------------------------------------------------------------------------------------------------------------
def as_bounds(requirements) -> dict[str, str]:
    """{name: version bound} of requirement strings."""
    parsed = [Requirement(text) for text in requirements]
    return {canonicalize_name(item.name): str(item.specifier) for item in parsed}


def project_bounds() -> dict[str, str]:
    """Every package that pyproject.toml names, run-time and extras; a name has one bound throughout."""
    lists = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    pairs = {pair for requirements in lists for pair in as_bounds(requirements).items()}
    assert len(dict(pairs)) == len(pairs), "a package has two different bounds in pyproject.toml"
    return dict(pairs)


def conda_bounds() -> dict[str, str]:
    """The packages of environment.yml under pip's names, without pip and python themselves."""
    lines = re.findall(r"^ +- ([a-z].*?)(?:\s+#.*)?$", read("environment.yml").split("dependencies:")[1], re.MULTILINE)
    bounds = as_bounds(line for line in lines if line not in ("pip", "pip:"))
    assert bounds.pop("python") == PROJECT["requires-python"]
    return {CONDA_NAMES.get(name, name): bound for name, bound in bounds.items()}


def pins() -> list[Requirement]:
    return [Requirement(line) for line in read("constraints.txt").splitlines() if line and not line.startswith("#")]


def test_environment_yml_holds_the_packages_of_pyproject():
    assert conda_bounds() == project_bounds()


def test_learners_need_only_five_packages_and_mlcore_four():
    assert set(as_bounds(PROJECT["dependencies"])) == {"numpy", "matplotlib", "ipywidgets", "anywidget"}
    assert set(as_bounds(PROJECT["optional-dependencies"]["lab"])) == {"jupyterlab"}


def test_test_extra_holds_what_every_task_needs():
    # setup_env.py relies on it: who has the test packages needs no set-up for another task
    everything = as_bounds(PROJECT["optional-dependencies"]["test"])
    for name, requirements in PROJECT["optional-dependencies"].items():
        assert as_bounds(requirements).items() <= everything.items(), name


@pytest.mark.parametrize("name, bound", sorted(project_bounds().items()))
def test_constraints_pin_every_package_within_its_bound(name, bound):
    versions = [str(pin.specifier) for pin in pins() if canonicalize_name(pin.name) == name]
    assert versions, f"constraints.txt does not pin {name}"
    for version in versions:
        assert Requirement(f"{name}{bound}").specifier.contains(version.removeprefix("==")), version


@pytest.mark.parametrize("python", ["3.11.0", "3.11.9", "3.12.1", "3.13.0", "3.14.0"])
@pytest.mark.parametrize(
    "system, machine", [("linux", "x86_64"), ("darwin", "x86_64"), ("darwin", "arm64"), ("win32", "AMD64")]
)
def test_constraints_pin_each_package_once_on_every_system(python, system, machine):
    where = {
        "python_full_version": python,
        "python_version": python.rpartition(".")[0],
        "sys_platform": system,
        "platform_machine": machine,
    }
    names = [canonicalize_name(pin.name) for pin in pins() if pin.marker is None or pin.marker.evaluate(where)]
    assert len(names) == len(set(names))
    assert set(project_bounds()) <= set(names)


def test_constraints_are_names_and_versions_alone():
    for pin in pins():
        assert pin.url is None and not pin.extras
        assert re.fullmatch(r"==[0-9a-z.]+", str(pin.specifier)), pin
    assert "mlcore" not in {pin.name for pin in pins()}
    assert "://" not in read("constraints.txt")
    assert not re.search(r"^\s*-", read("constraints.txt"), re.MULTILINE), "an option, such as an index"


# ---------------------------------------------------------------------------------------------------------------
# Imports point one way
# ---------------------------------------------------------------------------------------------------------------
CHAPTER_NAMES = {chapter.name for chapter in CHAPTERS}
MAY_IMPORT = {chapter.name: set(chapter.imports) for chapter in CHAPTERS}
MODULES = sorted((ROOT / "mlcore").rglob("*.py"))
FOREIGN = {"scipy", "sklearn", "imblearn", "pandas", "playwright", "hypothesis", "pytest", "nbformat", "nbclient"}
DRAWING = {"matplotlib", "ipywidgets", "anywidget", "IPython", "PIL", "contourpy", "pygments"}


def module_name(path: Path) -> str:
    """``mlcore.viz.plots`` for mlcore/viz/plots.py; a package's ``__init__`` has the package's own name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(source: str, module: str, is_package: bool = False) -> list[str]:
    """Full names of all modules that a module's text imports, anywhere in it, relative ones resolved."""
    package = module if is_package else module.rpartition(".")[0]
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                stem = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*stem, *filter(None, [base])])
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return names


def room(module: str) -> str | None:
    """The part of mlcore a module belongs to: ``viz`` for mlcore.viz.plots; None for what is not in mlcore."""
    parts = module.split(".")
    return parts[1] if parts[0] == "mlcore" and len(parts) > 1 else None


def forbidden(module: str, names: list[str]) -> list[str]:
    """The imports that a module of mlcore must not have."""
    here = room(module)
    top = {name.split(".")[0] for name in names}
    bad = top & (FOREIGN - ({"sklearn", "pandas"} if here == "base" else set()))
    if here != "viz":
        bad |= top & DRAWING
    rooms = {room(name) for name in names} - {None, here}
    if here == "viz":
        bad |= rooms & (CHAPTER_NAMES | {"exercises"})
    elif here in CHAPTER_NAMES:
        bad |= rooms & ((CHAPTER_NAMES - MAY_IMPORT[here]) | {"viz", "exercises"})
    elif here == "engines":
        bad |= rooms & (CHAPTER_NAMES | {"viz", "exercises"})
    elif here == "numerics":  # the lowest room: even base stands on it
        bad |= rooms
    elif here != "exercises":
        bad |= rooms & (CHAPTER_NAMES | {"viz", "exercises", "engines"})
    else:
        bad |= rooms & {"viz"}
    return sorted(bad)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_point_one_way(path):
    names = imported(path.read_text(encoding="utf-8"), module_name(path), path.name == "__init__.py")
    assert forbidden(module_name(path), names) == []


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_scikit_learn_is_imported_only_inside_functions(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = {id(node) for function in functions for node in ast.walk(function)}
    lines = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in inside and "sklearn" in ast.unparse(node)
    ]
    assert lines == []


@pytest.mark.parametrize(
    "module, source, bad",
    [
        ("mlcore.clustering", "import matplotlib.pyplot as plt", ["matplotlib"]),
        ("mlcore.clustering", "def f():\n    from scipy.special import logsumexp", ["scipy"]),
        ("mlcore.clustering", "from . import boosting", ["boosting"]),
        ("mlcore.clustering", "from mlcore.viz import show", ["viz"]),
        ("mlcore.mixture_models", "from .clustering import KMeans", []),
        ("mlcore.viz.plots", "from ..decision_trees import tree", ["decision_trees"]),
        ("mlcore.viz.plots", "import matplotlib", []),
        ("mlcore.exercises.ch07", "from mlcore import boosting", []),
        ("mlcore.exercises.ch07", "from mlcore.viz import show", ["viz"]),
        ("mlcore.optimize", "from mlcore import boosting", ["boosting"]),
        ("mlcore.optimize", "from mlcore.engines import trees", ["engines"]),
        ("mlcore.decision_trees", "from mlcore.engines import trees", []),
        ("mlcore.engines.trees", "from mlcore import decision_trees", ["decision_trees"]),
        ("mlcore.numerics.units", "from mlcore import base", ["base"]),
        ("mlcore.base", "def tags():\n    from sklearn.utils import Tags", []),
        ("mlcore.optimize", "def tags():\n    from sklearn.utils import Tags", ["sklearn"]),
    ],
)
def test_the_import_rule_catches_what_it_should(module, source, bad):
    assert forbidden(module, imported(source, module)) == bad


def test_each_chapter_that_another_is_built_on_exists():
    assert set().union(*MAY_IMPORT.values()) <= CHAPTER_NAMES


def test_importing_any_room_but_viz_loads_neither_drawing_nor_foreign_packages():
    names = ["mlcore", *sorted(name for name in map(module_name, MODULES) if room(name) != "viz")]
    code = f"""
        import importlib, sys
        for name in {names}:
            importlib.import_module(name)
            loaded = {{module.split(".")[0] for module in sys.modules}} & {FOREIGN | DRAWING}
            if loaded:
                sys.exit(f"{{name}} loads {{loaded}}")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------------------------------------------------------
# make, and the errors of the set-up
# ---------------------------------------------------------------------------------------------------------------
posix_only = pytest.mark.skipif(os.name == "nt", reason="make and sh are not Windows' own; it has tools/setup_env.py")


@posix_only
def test_make_help_lists_every_target():
    phony = re.search(r"^\.PHONY: (.*)$", read("Makefile"), re.MULTILINE).group(1).split()
    command = ["make", "--no-print-directory"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE) == phony
    assert set(re.findall(r"^([a-z][a-z-]*):", read("Makefile"), re.MULTILINE)) == set(phony)


def fake_python(folder: Path, name: str, version: str | None) -> Path:
    """A program that answers like the Python of that version, as the finder asks; None: one that cannot run."""
    answer = "exit 127" if version is None else f"echo {version.replace('.', ' ')}"
    path = folder / name
    path.write_text(f"#!/bin/sh\n{answer}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def find_python(folder: Path, **variables) -> subprocess.CompletedProcess:
    """Run the finder where nothing is on the PATH but what is in the folder."""
    environment = {"PATH": str(folder), **variables}
    return subprocess.run(
        ["/bin/sh", str(ROOT / "tools" / "find_python.sh")], cwd=folder, env=environment, capture_output=True, text=True
    )


def one_error_line(done: subprocess.CompletedProcess) -> str:
    """The one line that a failed command must have printed, and nothing else."""
    assert done.returncode != 0
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("error: "), done.stderr
    return lines[0]


@posix_only
class TestFindPython:
    def test_takes_the_first_that_is_new_enough(self, tmp_path):
        fake_python(tmp_path, "python3", "3.9")
        right = fake_python(tmp_path, "python", "3.11")
        fake_python(tmp_path, "python3.14", "3.14")
        assert find_python(tmp_path).stdout.strip() == str(right)

    def test_skips_a_python_that_does_not_run(self, tmp_path):
        fake_python(tmp_path, "python3", None)
        right = fake_python(tmp_path, "python3.13", "3.13")
        assert find_python(tmp_path).stdout.strip() == str(right)

    def test_python_4_is_not_older_than_3(self, tmp_path):
        right = fake_python(tmp_path, "python3", "4.0")
        assert find_python(tmp_path).stdout.strip() == str(right)

    def test_takes_the_one_that_is_named(self, tmp_path):
        fake_python(tmp_path, "python3", "3.12")
        right = fake_python(tmp_path, "my python", "3.13")
        assert find_python(tmp_path, PYTHON=str(right)).stdout.strip() == str(right)

    def test_takes_the_one_in_venv_first(self, tmp_path):
        fake_python(tmp_path, "python3", "3.12")
        (tmp_path / ".venv" / "bin").mkdir(parents=True)
        fake_python(tmp_path / ".venv" / "bin", "python", "3.11")
        assert find_python(tmp_path).stdout.strip() == ".venv/bin/python"

    def test_none_at_all(self, tmp_path):
        line = one_error_line(find_python(tmp_path))
        assert "no Python found" in line and "install Python 3.11 or newer" in line

    def test_all_too_old_names_the_newest(self, tmp_path):
        fake_python(tmp_path, "python3", "3.8")
        fake_python(tmp_path, "python", "2.7")
        line = one_error_line(find_python(tmp_path))
        assert f"Python 3.8 ({tmp_path}/python3) is too old" in line and "install Python 3.11 or newer" in line

    def test_named_one_too_old(self, tmp_path):
        fake_python(tmp_path, "python3", "3.12")
        old = fake_python(tmp_path, "old", "3.10")
        assert "Python 3.10" in one_error_line(find_python(tmp_path, PYTHON=str(old)))

    def test_named_one_missing(self, tmp_path):
        assert "PYTHON=nowhere cannot be run" in one_error_line(find_python(tmp_path, PYTHON="nowhere"))


def run_tool(code: str) -> subprocess.CompletedProcess:
    """Run Python code with the tools' folder on its path, as `python tools/lab.py` has."""
    code = "import sys; sys.path.insert(0, 'tools')\n" + textwrap.dedent(code)
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)


class TestSetUp:
    def test_the_oldest_python_is_the_same_everywhere(self):
        oldest = PROJECT["requires-python"].removeprefix(">=")
        assert run_tool("import setup_env; print(*setup_env.OLDEST, sep='.')").stdout.strip() == oldest
        assert f"3.{re.search(r'^oldest=([0-9]+)', read('tools/find_python.sh'), re.MULTILINE).group(1)}" == oldest

    @pytest.mark.parametrize("name", ["setup_env.py", "lab.py"])
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
                setup_env.say = lambda message: None
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
                answer = subprocess.CompletedProcess([], 1, "... because ensurepip is not available ...", "")
                setup_env.say = lambda message: None
                setup_env.subprocess.run = lambda *a, **k: answer
                setup_env.make_venv()
                """
            )
        )
        assert "sudo apt install python3-venv" in line

    @pytest.mark.parametrize(
        "log, advice",
        [
            ("NewConnectionError('Failed to establish a new connection')\nERROR: No matching", "check the connection"),
            ("ERROR: Could not install packages due to an OSError: No space left on device", "disk is full"),
            ("ERROR: Cannot install numpy==1.0", "pip says 'ERROR: Cannot install numpy==1.0'"),
        ],
    )
    def test_pip_fails(self, log, advice, tmp_path):
        line = one_error_line(
            run_tool(
                f"""
                import setup_env, subprocess
                def pip(command, stdout=None, **options):
                    stdout.write({log!r})
                    return subprocess.CompletedProcess(command, 1)
                setup_env.say = lambda message: None
                setup_env.PIP_LOG = {str(tmp_path / "setup.log")!r}
                setup_env.subprocess.run = pip
                setup_env.install("lab")
                """
            )
        )
        assert advice in line and "run the same command again" in line

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


class TestLab:
    def test_port_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            line = one_error_line(run_tool(f"import lab; lab.choose_port('{port}')"))
        assert f"port {port} is taken" in line and re.search(r"make lab PORT=\d+$", line)

    @pytest.mark.parametrize("port", ["70000", "0", "-1", "eight"])
    def test_port_that_is_none(self, port):
        assert f"there is no port {port}" in one_error_line(run_tool(f"import lab; lab.choose_port({port!r})"))

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

    def test_settings_local_and_without_look_ups(self):
        folder = ROOT / "tools" / "jupyter"
        config = Config()
        exec((folder / "jupyter_server_config.py").read_text(encoding="utf-8"), {"get_config": lambda: config})
        assert config.ServerApp.ip == "127.0.0.1" and config.LabApp.news_url is None
        overrides = json.loads((folder / "labconfig" / "default_setting_overrides.json").read_text(encoding="utf-8"))
        assert overrides["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"
        saved = new_notebook(cells=[new_code_cell(outputs=[
            new_output("display_data", {"image/png": "AA", "application/vnd.jupyter.widget-view+json": {}}),
            new_output("display_data", {"text/plain": "a", "application/vnd.jupyter.widget-view+json": {}}),
        ])], metadata={"widgets": {"state": {}}})  # fmt: skip
        config.FileContentsManager.pre_save_hook({"type": "notebook", "content": saved}, path="", contents_manager=None)
        assert [list(output.data) for output in saved.cells[0].outputs] == [
            ["image/png"], ["text/plain", "application/vnd.jupyter.widget-view+json"]
        ]  # fmt: skip
        assert "widgets" not in saved.metadata
        first = run_tool("import lab, os; print(lab.lab_environment('')['JUPYTER_CONFIG_PATH'].split(os.pathsep)[0])")
        assert first.stdout.strip() == str(folder)


# ---------------------------------------------------------------------------------------------------------------
# Stages of the tests
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "code, executed, chosen, word",
    [
        (0, 3, False, "passed"),
        (0, 0, False, "FAILED: no test was executed"),
        (5, 0, False, "FAILED"),
        (5, 0, True, "nothing chosen"),
        (1, 3, True, "FAILED"),
    ],
)
def test_a_stage_that_ran_nothing_has_failed(code, executed, chosen, word):
    assert run_tests.verdict("unit", code, executed, chosen).startswith(word)


@pytest.mark.parametrize("stage, required, good", [("smoke", "", True), ("smoke", "1", False), ("browser", "", False)])
def test_without_a_browser_the_stage_says_so_loudly(stage, required, good, monkeypatch, capsys):
    monkeypatch.setattr(run_tests, "has_browser", lambda: False)
    monkeypatch.setenv("MLCORE_REQUIRE_BROWSER", required)
    line, is_good = run_tests.run_stage(stage, [])
    assert is_good is good
    assert "DID NOT RUN" in line and "!!!!!" in capsys.readouterr().out


def test_skipped_tests_do_not_count_as_executed(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text('<testsuites><testsuite tests="5" skipped="2"/></testsuites>')
    assert run_tests.count_tests(report) == 3
    assert run_tests.count_tests(tmp_path / "missing.xml") == 0


# ---------------------------------------------------------------------------------------------------------------
# Notebooks are built the same every time
# ---------------------------------------------------------------------------------------------------------------
HEADER = "---\nkernelspec:\n  name: python3\n  display_name: Python 3\n---\n\n"


def write_source(folder: Path, *code: str, text: str = "# Title · 标题", name: str = "01_tiny.md") -> Path:
    """Write a MyST source with one text cell and the given code cells; return its path."""
    source = folder / "notebooks" / "source" / name
    source.parent.mkdir(parents=True, exist_ok=True)
    cells = "".join(f"\n```{{code-cell}}\n{cell}\n```\n" for cell in code)
    source.write_text(HEADER + text + "\n" + cells, encoding="utf-8", newline="\n")
    return source


EXPLORER = textwrap.dedent(
    """
    class Explorer:
        def _repr_mimebundle_(self, **_):
            view = {"model_id": str(id(self)), "version_major": 2, "version_minor": 0}
            return {"application/vnd.jupyter.widget-view+json": view, "text/plain": "explorer", "image/png": "aGk="}
    Explorer()
    """
)


class TestBuild:
    def test_same_bytes_and_normal_form(self, tmp_path):
        source = write_source(
            tmp_path,
            "import os\nprint('é', {'a', 'b', 'c', 'd'})\nprint(os.path.basename(os.getcwd()))\n1 + 1",
            ":tags: [solution]\n\nx = 3",
            EXPLORER,
        )
        _, good = build_notebooks.build_file(source)
        assert good
        target = build_notebooks.notebook_path(source)
        first = target.read_bytes()
        assert build_notebooks.to_bytes(build_notebooks.build(source)) == first
        assert first.endswith(b"}\n") and b"\r" not in first and "é".encode() in first

        nb = nbformat.read(target, as_version=4)
        nbformat.validate(nb)
        assert set(nb.metadata) == {"kernelspec", "language_info", "mlcore"}
        assert nb.metadata.language_info == {"name": "python"}
        assert nb.metadata.mlcore.source_sha256 == build_notebooks.source_digest(source)
        code = [cell for cell in nb.cells if cell.cell_type == "code"]
        assert [cell.execution_count for cell in code] == [1, 2, 3]
        assert code[0].outputs[0].text.endswith("notebooks\n")
        assert code[1].metadata.jupyter.source_hidden is True
        assert code[2].outputs[0].data == {"text/plain": "explorer", "image/png": "aGk="}
        assert build_notebooks.disagreement(source) is None

    @pytest.mark.parametrize(
        "code, message",
        [
            ("import sys\nprint('oops', file=sys.stderr)", "writes to stderr"),
            ("import warnings\nwarnings.warn('careful')", "careful"),
            ("a = 1\nb = a / 0", "ZeroDivisionError"),
            ("object()", "memory address"),
            ("print(object())", "memory address"),
            ("print('RuntimeWarning: overflow')", "shows a warning"),
            ("from IPython.display import JSON\nJSON({})", "application/json"),
        ],
    )
    def test_what_must_not_be_committed_fails_with_the_cell_named(self, code, message, tmp_path):
        source = write_source(tmp_path, "x = 1", code)
        line, good = build_notebooks.build_file(source)
        assert not good
        assert message in line and "cell 2" in line and code.split("\n")[0] in line
        assert not build_notebooks.notebook_path(source).exists()

    def test_too_large_is_not_written(self, tmp_path, monkeypatch):
        monkeypatch.setattr(build_notebooks, "MAX_BYTES", 300)
        source = write_source(tmp_path, "print('x' * 500)")
        line, good = build_notebooks.build_file(source)
        assert not good and "TOO LARGE" in line
        assert not build_notebooks.notebook_path(source).exists()

    def test_without_execution(self, tmp_path):
        nb = build_notebooks.build(write_source(tmp_path, "1 / 0"), execute=False)
        assert nb.cells[1].outputs == [] and nb.cells[1].execution_count is None


def test_head_and_foot_lead_to_the_neighbours_that_there_are(tmp_path):
    write_source(tmp_path, "1", name="02_linear_regression.md")
    write_source(tmp_path, "1", name="05_discriminant_analysis.md")
    source = write_source(tmp_path, "1", name="03_logistic_regression.md")
    cells = build_notebooks.read_source(source).cells
    assert cells[1].source == cells[-1].source == (
        "[← 2. Linear regression and gradient descent](02_linear_regression.ipynb) · "
        "needs [2](02_linear_regression.ipynb) · [map and notation](00_start_here.ipynb) · "
        "[what Notes A to E are](00_start_here.ipynb#The-five-sets-of-notes) · [glossary](glossary.ipynb) · "
        "[5. Linear discriminant analysis →](05_discriminant_analysis.ipynb)"
    )
    assert len(build_notebooks.read_source(write_source(tmp_path, "1", name="00_start_here.md")).cells) == 2


def test_citations_lead_to_what_is_cited():
    key = "(00_start_here.ipynb#The-five-sets-of-notes)"
    text = "See Notes A 2.2, `Notes B`, the notes C and $Notes D$; [Notes E](x.html), notes."
    assert build_notebooks.cited(text) == (
        f"See [Notes A]{key} 2.2, `Notes B`, the [notes C]{key} and $Notes D$; [Notes E](x.html), notes."
    )


def test_chapters_that_are_named_are_linked():
    others = {2: "02_a.ipynb", 3: "03_b.ipynb", 17: "17_c.ipynb"}
    untouched = "## As in chapter 2\n\n`chapter 2` $x$ [chapter 2](x.html)"
    for text, expected in (
        ("Chapter 3's score, chapter 4.", "[Chapter 3](03_b.ipynb)'s score, chapter 4."),
        (
            "chapters 2 (3 steps), 3 and 17 help",
            "chapters [2](02_a.ipynb) (3 steps), [3](03_b.ipynb) and [17](17_c.ipynb) help",
        ),
        ("chapter 17, section 2; chapters 2 to 3", "[chapter 17](17_c.ipynb), section 2; chapters 2 to 3"),
        (untouched, untouched),
        (
            "See chapter 2.\n\n## Further reading\n\n- A book, chapter 3.\n- In this course: trees (chapter 3).",
            "See [chapter 2](02_a.ipynb).\n\n## Further reading\n\n- A book, chapter 3.\n"
            "- In this course: trees ([chapter 3](03_b.ipynb)).",
        ),
    ):
        assert build_notebooks.linked(text, others) == expected
        assert build_notebooks.linked(expected, others) == expected


def test_what_there_was_to_see_is_folded():
    text = "Guess.\n\n**What you saw.** It grows,\nand $x^2$ too.\n\n**Why.** Because."
    fold = "<details><summary><b>What you saw</b></summary>\n\nIt grows,\nand $x^2$ too.\n\n</details>"
    assert build_notebooks.folded(text) == f"Guess.\n\n{fold}\n\n**Why.** Because."
    assert build_notebooks.folded("**What to see.** End").endswith("End\n\n</details>")
    assert build_notebooks.folded(fold) == fold


def test_slides_have_one_idea_each(tmp_path):
    text = "# Title · 标题\n\n+++\n\nAn idea.\n\n+++\n\n## Section"
    nb = build_notebooks.read_source(write_source(tmp_path, "1", ":tags: [solution]\n\n2", text=text))
    kinds = [cell.metadata.get("slideshow", {}).get("slide_type") for cell in nb.cells]
    assert kinds == ["slide", "subslide", "slide", None, "skip"]  # a deck in JupyterLab does not show what has "-"


class TestCellIds:
    def ids(self, folder, *code):
        return [cell.id for cell in build_notebooks.read_source(write_source(folder, *code)).cells]

    def test_stay_when_a_cell_is_put_in(self, tmp_path):
        title, one, two = self.ids(tmp_path, "x = 1", "x = 2")
        assert self.ids(tmp_path, "y = 0", "x = 1", "x = 2") == [title, *self.ids(tmp_path, "y = 0")[1:], one, two]

    def test_differ_for_cells_of_the_same_text(self, tmp_path):
        ids = self.ids(tmp_path, "x = 1", "x = 1", "x = 1")
        assert len(set(ids)) == 4
        assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", identity) for identity in ids)


class TestCheck:
    @pytest.fixture
    def source(self, tmp_path):
        source = write_source(tmp_path, "1 + 1")
        content = build_notebooks.to_bytes(build_notebooks.build(source, execute=False)).replace(b"null", b"1")
        build_notebooks.notebook_path(source).write_bytes(content)
        return source

    def test_agrees(self, source, capsys):
        assert build_notebooks.disagreement(source) is None
        assert build_notebooks.check_all([source]) == 0

    def test_dates_do_not_matter_and_line_ends_neither(self, source):
        os.utime(build_notebooks.notebook_path(source), (0, 0))
        source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
        assert build_notebooks.disagreement(source) is None

    def test_source_changed(self, source, capsys):
        source.write_text(source.read_text(encoding="utf-8").replace("1 + 1", "1 + 2"), encoding="utf-8")
        assert not build_notebooks.is_current(source)
        assert build_notebooks.check_all([source]) == 1
        assert "01_tiny.ipynb was built from another version of its source" in capsys.readouterr().out

    def test_shown_code_changed(self, tmp_path):
        shown = "mlcore/room.py\n\ndef double(x):\n    \"\"\"2x.\"\"\"\n    return 2 * x"
        nb = new_notebook(cells=[new_code_cell(outputs=[new_output("display_data", {"text/plain": shown})])])
        (tmp_path / "mlcore").mkdir()
        room = tmp_path / "mlcore" / "room.py"
        assert build_notebooks.outdated_code(nb, tmp_path) == ["double"]
        code = 'class A:\n    def double(x):\n        """2x.\n\n        More.\n        """\n        return 2 * x\n'
        room.write_text(code, encoding="utf-8")
        assert build_notebooks.outdated_code(nb, tmp_path) == []
        room.write_text(code.replace("2 * x", "x + x"), encoding="utf-8")
        assert build_notebooks.outdated_code(nb, tmp_path) == ["double"]

    def test_never_built(self, source):
        build_notebooks.notebook_path(source).unlink()
        assert build_notebooks.disagreement(source) == "has not been built"

    @pytest.mark.parametrize(
        "old, new, message",
        [
            (b"1 + 1", b"1 + 3", "cells that differ"),
            (b'"execution_count": 1', b'"execution_count": null', "not run"),
            (b'"execution_count": 1', b'"execution_count": 7', "normal form"),
            (b'"name": "python"', b'"name": "python", "version": "3.11.0"', "normal form"),
        ],
    )
    def test_notebook_changed_by_hand(self, source, old, new, message):
        target = build_notebooks.notebook_path(source)
        assert old in target.read_bytes()
        target.write_bytes(target.read_bytes().replace(old, new))
        assert message in build_notebooks.disagreement(source)


def test_normalise_joins_streams_and_takes_out_what_is_volatile():
    cell = new_code_cell("print(1)", execution_count=9, metadata={"execution": {"iopub": "now"}, "tags": ["a"]})
    cell.outputs = [
        new_output("stream", name="stdout", text="1\n"),
        new_output("stream", name="stdout", text="2\n"),
        new_output("display_data", data={"image/png": "aG\nk=\n", "text/plain": "x", build_notebooks.WIDGET_VIEW: {}}),
        new_output("display_data", data={build_notebooks.WIDGET_VIEW: {}}),
    ]
    nb = new_notebook(cells=[cell], metadata={"widgets": {}, "language_info": {"name": "python", "version": "3.11.7"}})
    before = nbformat.writes(nb)
    clean = build_notebooks.normalise(nb)
    assert nbformat.writes(nb) == before
    assert "widgets" not in clean.metadata and clean.metadata.language_info == {"name": "python"}
    assert clean.cells[0].metadata == {"tags": ["a"]} and clean.cells[0].execution_count == 1
    stream, picture = clean.cells[0].outputs
    assert stream.text == "1\n2\n"
    assert picture.data == {"image/png": "aGk=", "text/plain": "x"}
    assert build_notebooks.to_bytes(build_notebooks.normalise(clean)) == build_notebooks.to_bytes(clean)


def test_names_of_notebooks_to_build(tmp_path):
    for name in ("01_one.md", "02_two.md", "glossary.md"):
        write_source(tmp_path, name=name)
    folder = tmp_path / "notebooks" / "source"

    def chosen(*names):
        return [path.name for path in build_notebooks.select(list(names), folder)]

    assert chosen() == ["01_one.md", "02_two.md", "glossary.md"]
    assert chosen("02") == chosen("02_two") == chosen("notebooks/02_two.ipynb") == ["02_two.md"]
    assert chosen("glossary") == ["glossary.md"]
    with pytest.raises(SystemExit, match="'03'"):
        chosen("03")


def test_student_copies_have_no_solutions_and_no_outputs(tmp_path):
    notebooks, student = tmp_path / "notebooks", tmp_path / "student"
    source = write_source(tmp_path, "stub = None", ":tags: [solution]\n\nanswer = 42", "print(1)")
    build_notebooks.build_file(source)
    assert make_student.write_copies(notebooks, student) == (["01_tiny.ipynb"], [])
    copy = student / "01_tiny.ipynb"
    nb = nbformat.read(copy, as_version=4)
    nbformat.validate(nb)
    assert [cell.source for cell in nb.cells] == ["# Title · 标题", "stub = None", "print(1)"]
    assert all(not cell.outputs and cell.execution_count is None for cell in nb.cells[1:])

    assert make_student.write_copies(notebooks, student) == (["01_tiny.ipynb"], [])
    copy.write_text(copy.read_text(encoding="utf-8").replace("None", "'my own work'"), encoding="utf-8")
    assert make_student.write_copies(notebooks, student) == ([], ["01_tiny.ipynb"])
    assert "my own work" in copy.read_text(encoding="utf-8")
    assert make_student.write_copies(notebooks, student, force=True) == (["01_tiny.ipynb"], [])


class TestOwnCopies:
    """my/: what nobody has worked in follows the course, what somebody has worked in stays."""

    @pytest.fixture
    def folders(self, tmp_path):
        course, mine = tmp_path / "notebooks", tmp_path / "my"
        course.mkdir()
        for name in ("01_one", "02_two"):
            self.write(course / f"{name}.ipynb", "1 + 1", "")
        return course, mine

    @staticmethod
    def write(path, code, output):
        outputs = [new_output("stream", name="stdout", text=output)] if output else []
        nbformat.write(new_notebook(cells=[new_code_cell(code, outputs=outputs, id="a")]), path)

    def test_copies_are_made_once_and_follow_the_course(self, folders):
        course, mine = folders
        assert copies.update(course, mine) == (["01_one.ipynb", "02_two.ipynb"], [], [])
        assert copies.update(course, mine) == ([], [], [])
        self.write(course / "01_one.ipynb", "1 + 2", "")
        assert copies.update(course, mine) == ([], ["01_one.ipynb"], [])
        assert "1 + 2" in (mine / "01_one.ipynb").read_text(encoding="utf-8")

    def test_a_copy_with_work_in_it_is_kept_and_one_that_only_ran_is_not(self, folders, capsys):
        course, mine = folders
        copies.update(course, mine)
        self.write(mine / "01_one.ipynb", "my = 'work'", "")
        self.write(mine / "02_two.ipynb", "1 + 1", "2")
        for name in ("01_one", "02_two"):
            self.write(course / f"{name}.ipynb", "1 + 3", "")
        made, replaced, kept = copies.update(course, mine)
        assert (made, replaced, kept) == ([], ["02_two.ipynb"], ["01_one.ipynb"])
        assert "work" in (mine / "01_one.ipynb").read_text(encoding="utf-8")
        copies.say_what_was_kept(kept)
        assert "my/01_one.ipynb was kept" in (said := capsys.readouterr().out) and "make reset CHAPTER=1" in said

    def test_a_fresh_copy_puts_the_old_one_aside(self, folders):
        course, mine = folders
        copies.update(course, mine)
        self.write(mine / "01_one.ipynb", "my = 'work'", "")
        aside, fresh = copies.reset("1", course, mine)
        assert "work" in (mine / aside).read_text(encoding="utf-8") and fresh == "01_one.ipynb"
        assert (mine / fresh).read_bytes() == (course / fresh).read_bytes()
        assert copies.update(course, mine) == ([], [], [])
        for odd in ("7", "two", "../x"):
            with pytest.raises(ValueError, match="there is no chapter"):
                copies.reset(odd, course, mine)
        with pytest.raises(ValueError, match="which chapter"):
            copies.reset("", course, mine)

    @pytest.mark.parametrize("broken", ["", "{", "[1]", None])
    def test_a_broken_record_loses_no_work(self, folders, broken):
        course, mine = folders
        copies.update(course, mine)
        self.write(mine / "01_one.ipynb", "my = 'work'", "")
        record = mine / copies.RECORD
        record.unlink() if broken is None else record.write_text(broken, encoding="utf-8")
        assert copies.update(course, mine)[2] == ["01_one.ipynb"]
        assert "work" in (mine / "01_one.ipynb").read_text(encoding="utf-8")

    def test_a_copy_that_is_no_notebook_any_more_is_kept(self, folders):
        course, mine = folders
        copies.update(course, mine)
        (mine / "01_one.ipynb").write_text("not json", encoding="utf-8")
        self.write(course / "01_one.ipynb", "1 + 3", "")
        assert copies.update(course, mine)[2] == ["01_one.ipynb"]


# ---------------------------------------------------------------------------------------------------------------
# What is committed speaks of the project alone
# ---------------------------------------------------------------------------------------------------------------
# put together from parts, so that this file does not match itself
MACHINE_PATHS = [r"/(?:home|Users)/" + r"[a-z][\w.-]*/", "/" + "work/", "/" + r"root/[.\w]", r"[A-Z]:" + r"\\\\?Users"]
REGISTRIES = ["py" + "pi.org", "python" + "hosted", "conda." + "anaconda", "registry." + "npmjs", "deb." + "debian"]


def committed_texts():
    """(name, text) of every file that git tracks and that is text."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        path = ROOT / name
        if path.exists() and path.suffix not in (".png", ".jpg", ".gif"):
            yield name, path.read_text(encoding="utf-8")


@pytest.mark.parametrize("pattern", MACHINE_PATHS + REGISTRIES)
def test_no_committed_text_names_a_machine_or_a_registry(pattern):
    found = {
        f"{name}: {match.group()}"
        for name, text in committed_texts()
        if (match := re.search(pattern, re.sub(r'"image/png": "[^"]*"', "", text)))
    }
    assert found == set()
