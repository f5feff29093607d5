"""Graders in an envelope: how ``class.zip`` holds them, so that nobody reads an answer by accident.

A sealed module is a grader module whose text is packed (zlib, base64). It is unpacked in memory when the module is
imported: no file, no traceback, no ``??`` and no ``help`` shows what stands in it. An envelope is no lock: whoever
means to open it needs three lines of Python, as ``run`` below does.
"""

import ast
import base64
import textwrap
import zlib
from dataclasses import replace

from mlcore.classroom.exercises import grading

__all__ = ["run", "seal"]

MODULE = '''"""The graders of a chapter, sealed: see sealed.py."""

from mlcore.classroom.exercises.sealed import run

run(
    """
{packed}
    """,
    globals(),
)
'''


def seal(source):
    """Return the text of a module that does what ``source`` does, without its being readable."""
    packed = base64.b64encode(zlib.compress(source.encode(), 9)).decode()
    return MODULE.format(packed=textwrap.indent("\n".join(textwrap.wrap(packed, 112)), "    "))


def run(packed, names):
    """Run a sealed module in the namespace ``names``, without the docstrings and the answers that are there for tests.

    Parameters
    ----------
    packed : str
        Base64 of the compressed source; white space does not matter.
    names : dict
        The ``globals()`` of the module.
    """
    tree = ast.parse(zlib.decompress(base64.b64decode(packed)).decode())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(node) is not None:
            node.body[0] = ast.copy_location(ast.Pass(), node.body[0])
    before = dict(grading._REGISTRY)
    exec(compile(tree, f"<{names['__name__']}>", "exec"), names)
    for id, entry in grading._REGISTRY.items():
        if before.get(id) is not entry:
            grading._REGISTRY[id] = replace(entry, wrong=(), right=(), said=())
