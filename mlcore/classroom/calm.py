"""In a fresh kernel every cell of the course answers calmly.

On day two, or after a restart, a learner runs the cell of a saved picture, and the names that cells above it make are
not there. In place of a traceback comes one line that says so, with a button that runs what stands above; and the saved
picture stays.

This is an IPython extension. Every kernel of the course's environment loads it as it starts (see
``tools/jupyter/mlcore_startup.py``), so nothing heavy is imported here. It has its say only in a notebook of the course
that a front end shows: in any other notebook, in builds and in tests errors are as ever. A slip of the learner's own,
when all that makes the name has run, keeps Python's own message too. A cell ends with an error in any case, so that a
run of several cells stops.
"""

import html
import os
import re
import sys

__all__ = ["Missing", "is_waiting", "load_ipython_extension", "names_of", "running_shell", "what_is_missing"]

_ENDED = {}
"""For the id and the text of each cell that has run since Python was started: whether it ran to its end."""
PACKAGES = ("anywidget", "ipywidgets", "matplotlib", "numpy")
"""What mlcore needs."""
SHOWN = 3
"""How many missing names the line tells."""
RUN_ABOVE = '{"commands": ["notebook:run-all-above", "notebook:run-cell"]}'
"""What JupyterLab's command "apputils:run-all-enabled" does: the second when the first is done."""


def running_shell():
    """IPython's shell, which in a notebook has a ``kernel``; None where there is none. Nothing is imported for it."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def load_ipython_extension(shell):
    """Answer in this kernel's notebook. IPython calls this."""
    if not hasattr(shell, "kernel"):
        return
    others, their_answer = shell.custom_exceptions, shell.CustomTB

    def answer(shell, kind, error, trace, tb_offset=None):
        if line := _line(shell, error):
            error.is_calm = True
            sys.last_type, sys.last_value, sys.last_traceback = kind, error, trace  # for %tb, which shows all of it
            _show(shell, *line)
        elif isinstance(error, others):
            return their_answer(kind, error, trace, tb_offset)
        else:
            shell.showtraceback((kind, error, trace), tb_offset=tb_offset, running_compiled_code=True)

    def keep(result):
        error = result.error_before_exec or result.error_in_exec
        if not (isinstance(error, KeyboardInterrupt) or hasattr(error, "is_calm")):
            _ENDED.update({key: error is None for key in _running(shell) if key})

    shell.set_custom_exc((*others, NameError, ImportError), answer)
    shell.events.register("post_run_cell", keep)


def is_waiting(error):
    """Whether an exception only says that cells above have not run: then it is no fault of an answer."""
    shell = running_shell()
    return isinstance(error, NameError) and hasattr(shell, "kernel") and _line(shell, error) is not None


# ---------------------------------------------------------------------------------------------------------------
# What is missing
# ---------------------------------------------------------------------------------------------------------------
class Missing:
    """What a cell needs and has not got.

    Attributes
    ----------
    names : list of str
        The name that was asked for, and others that cells above make which have not run to their end.
    nothing_ran : bool
        Whether none of the cells above has.
    stopped : str or None
        The first line of the first of them that ran and raised an error.
    solution : str or None
        The exercise whose solution makes the name; then there is nothing above to run.
    """

    def __init__(self, names, nothing_ran=False, stopped=None, solution=None):
        self.names, self.nothing_ran, self.stopped, self.solution = names, nothing_ran, stopped, solution


def what_is_missing(name, code, above, below, ended, known=(), as_python=str):
    """Say what a cell lacks that stopped at a name; None where Python's own message is the right one.

    Parameters
    ----------
    name : str
    code : str
        The cell.
    above, below : list of dict
        The notebook's code cells before and after it, as in its file.
    ended : dict
        For ids or texts of cells that have run: whether they came to their end.
    known : container of str
        The names that there are.
    as_python : callable
        Turns a cell with IPython's own signs (``%``, ``!``) into Python.

    Returns
    -------
    Missing or None
    """
    solutions = [cell for cell in [*above, *below] if _is_solution(cell)]
    above = [cell for cell in above if not _is_solution(cell)]
    waiting = [cell for cell in above if not _ended(cell, ended)]
    made = {name for cell in waiting for name in names_of(as_python(_text(cell)))[0]}
    if name in made:
        others = [other for other in names_of(as_python(code))[1] if other in made and other not in known]
        stopped = next((_text(cell).strip().split("\n")[0] for cell in waiting if _ended(cell, ended) is False), None)
        return Missing(list(dict.fromkeys([name, *others])), len(waiting) == len(above), stopped)
    for cell in solutions:
        if not _ended(cell, ended) and name in names_of(as_python(_text(cell)))[0]:
            return Missing([name], solution=_exercise(cell))
    return None


def names_of(source):
    """Return the names that a cell leaves behind and those that it takes from outside, as its bytecode has them."""
    import ast
    import dis
    import types
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a backslash in a text, say: running the cell says that
        try:
            module = compile(source, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        except (SyntaxError, ValueError):
            return [], []
    left, taken, parts = {}, {}, [module]
    for part in parts:
        for step in dis.get_instructions(part):
            what, _, where = step.opname.partition("_")
            if what == "LOAD" and where in ("NAME", "GLOBAL", "FROM_DICT_OR_GLOBALS"):
                if not left.get(step.argval):
                    taken[step.argval] = True
            elif where == "GLOBAL" or (where == "NAME" and part is module):
                left[step.argval] = what == "STORE"  # else it is deleted
        parts += [constant for constant in part.co_consts if isinstance(constant, types.CodeType)]
    return [name for name, stays in left.items() if stays], list(taken)


def _text(cell):
    return "".join(cell.get("source", ""))


def _ended(cell, ended):
    return ended.get(cell.get("id"), ended.get(_text(cell)))


def _is_solution(cell):
    return "solution" in cell.get("metadata", {}).get("tags", ())


def _exercise(cell):
    found = re.search(r"""grade\(["']([\d.]+)["']""", _text(cell))
    return f"exercise {found[1]}" if found else "an exercise"


# ---------------------------------------------------------------------------------------------------------------
# Where it is missing
# ---------------------------------------------------------------------------------------------------------------
def _running(shell):
    """The id of the cell that runs now, None where the front end does not tell it, and its text."""
    request = getattr(shell, "get_parent", dict)() or {}
    return request.get("metadata", {}).get("cellId"), request.get("content", {}).get("code", "")


def _cells(shell):
    """The code cells of the notebook that a front end shows; None where there is none, or it is not of the course."""
    import json

    path = shell.user_ns.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME")
    if not path:
        return None
    with open(_renamed(path, _running(shell)[0]), encoding="utf-8") as file:
        notebook = json.load(file)
    if "mlcore" not in notebook["metadata"]:
        return None
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _renamed(path, id):
    """The path; or, if the notebook has got another name since its kernel was started, the one that holds the cell."""
    if not os.path.exists(path) and id:
        folder = os.path.dirname(path)
        for other in (os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".ipynb")):
            with open(other, encoding="utf-8", errors="replace") as file:
                if f'"{id}"' in file.read():
                    return other
    return path


def _place(cells, id, code):
    """The index of the running cell; a new one that has not been saved yet stands after all others."""
    same = [i for i, cell in enumerate(cells) if id and cell.get("id") == id]
    same += [i for i, cell in enumerate(cells) if _text(cell) == code]
    return same[0] if same else len(cells)


def _raised_in_a_cell(shell, error):
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    return trace.tb_frame.f_globals is shell.user_ns


# ---------------------------------------------------------------------------------------------------------------
# What is said
# ---------------------------------------------------------------------------------------------------------------
def _line(shell, error):
    """What to show for an exception: a line, and the cell whose pictures stay; None where it is Python's to say it."""
    try:
        cells = _cells(shell)
        if cells is None:
            return None
        id, code = _running(shell)
        place = _place(cells, id, code)
        if isinstance(error, ImportError):
            said = _about_import(error, _raised_in_a_cell(shell, error))
        elif _raised_in_a_cell(shell, error):
            above, below = cells[:place], cells[place + 1 :]
            missing = what_is_missing(error.name, code, above, below, _ENDED, shell.user_ns, shell.transform_cell)
            said = missing and _about_names(missing, in_lab=id and "__vsc_ipynb_file__" not in shell.user_ns)
        else:
            said = None
        return said and (said, cells[place] if place < len(cells) else {})
    except Exception:  # the notebook's file cannot be read, say: no reason to tell less than Python does
        return None


def _about_names(missing, in_lab):
    """The line; names stand in backquotes, and between two bars the button, where the front end can have one."""
    names = ", ".join(f"`{name}`" for name in missing.names[:SHOWN]) + (", …" if len(missing.names) > SHOWN else "")
    if missing.solution:
        return f"{names} belongs to the solution of {missing.solution}: open and run that, or use a name of your own."
    if missing.stopped:
        first = missing.stopped.replace("`", "").replace("|", "")
        why = f"which did not run to its end: the cell that begins with `{first}` raises an error. Mend it first."
    else:
        has = "nothing" if missing.nothing_ran else "not all of that"
        why = f"and {has} has run since Python was started."
    menu = "menu: Run → Run All Above Selected Cell, then this cell"
    how = f"|Run everything above| ({menu})" if in_lab else "Run all cells above it, then this one."
    return f"This cell needs what stands above it ({names}), {why} {how}"


def _about_import(error, in_a_cell):
    """The line for an import that fails because mlcore, or what it needs, is not as the notebook expects."""
    name, package = error.name or "", (error.name or "").partition(".")[0]
    if package == "mlcore" and in_a_cell:
        wanted = re.search(r"cannot import name '(\w+)'", str(error))
        what = f"`{name}` has no `{wanted[1]}`" if wanted else f"there is no `{name}`"
        return (
            f"In this Python {what}. If that is no slip of your own, mlcore is older than the notebook: restart Python "
            "(menu: Kernel → Restart Kernel…). If this line comes again, update mlcore: make lab does so, or "
            "pip install . in the folder of the course."
        )
    if package in PACKAGES and isinstance(error, ModuleNotFoundError):
        return (
            f"This Python ({sys.executable}) has no `{package}`, which the course needs. Choose the course's own "
            "(menu: Kernel → Change Kernel…), or run pip install . in the folder of the course with this one."
        )
    return None


def _kept(output):
    """What stays of a saved output: a picture, or the lines below one; empty for any other."""
    data = {kind: "".join(text) for kind, text in output.get("data", {}).items()}
    kinds = ("image/png", "text/plain") if "image/png" in data else ("text/html", "text/plain")
    is_picture = "image/png" in data or data.get("text/plain") == "[saved]"
    return {kind: data[kind] for kind in kinds if is_picture and kind in data}


def _show(shell, said, cell):
    """Show the line below what the cell has saved of its pictures: the front end took it away when the cell began.

    A notebook goes on to the next cell, so the place that a learner sees for certain is the foot of this one.
    """
    button = (
        r'<button class="jp-mod-styled jp-mod-accept" data-commandlinker-command="apputils:run-all-enabled" '
        rf"data-commandlinker-args='{RUN_ABOVE}'>\1</button>"
    )
    text = re.sub(r"\|(.*?)\|", button, re.sub("`(.*?)`", r"<code>\1</code>", html.escape(said, quote=False)))
    style = "border-left: 4px solid #1976d2; padding: 4px 10px"
    block = f'<div class="mlcore-calm" role="status" style="{style}">{text}</div>'
    plain = said.replace("|", "")
    shown = [(kept, output.get("metadata", {})) for output in cell.get("outputs", ()) if (kept := _kept(output))]
    pictures = [i for i, (kept, _) in enumerate(shown) if "image/png" in kept]
    shown.insert(pictures[-1] + 1 if pictures else 0, ({"text/html": block, "text/plain": plain}, {}))
    for data, metadata in shown:
        shell.display_pub.publish(data, metadata)
    shell._last_traceback = [plain]  # for clients that ask what the error was
