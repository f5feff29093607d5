"""The mistakes of people in formulas, for tools/plant.py: which expressions of a check cell, and what becomes of them.

A kind of mistake is a function (node, scope) -> new nodes, each to be put in the place of that one node:

names       another name of the same shape, the index or the slice next to it, two names of a loop exchanged
powers      a square or a root lost or added, an inverse lost, another norm
conditions  a mask, an if or one factor of an "and" left out; a covariance without its correlations
aggregates  sum, mean, max and min exchanged; the last one or one of two in place of the least
counts      n for n - 1 and back
bounds      a constant of an inequality doubled or halved
"""

import ast
import copy
from collections import Counter
from dataclasses import dataclass, field
from types import FunctionType

import numpy as np

SIDES = {"verify": ("left side", "right side"), "check_gradient": ("function", "gradient"),
         "check_inequality": ("smaller side", "larger side"), "check_minimum": ("function", "point"),
         "monte_carlo": ("samples", "expected")}  # fmt: skip
# what makes data, places to try, or no number at all, is left as it is
DATA = {*SIDES, "linspace", "geomspace", "logspace", "arange", "range", "default_rng", "grid_over", "print"}
SETTINGS = {"rtol", "atol", "slack", "size", "shape", "seed", "random_state", "radius", "inside", "level",
            "axis", "keepdims", "dtype", "decimals", "strict", "indexing", "key"}  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------
# The kinds
# ---------------------------------------------------------------------------------------------------------------
@dataclass
class Scope:
    """What is known where a node stands: the values of the names, and whether an inequality is compared."""

    values: dict = field(default_factory=dict)  # in order of appearance
    inequality: bool = False
    foreign: set = field(default_factory=set)  # what only the other side is computed from


def alike(a, b):
    """Whether one value may stand in the other's place: arrays of one shape, numbers of one type."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and (a.dtype == bool) == (b.dtype == bool) and a.dtype.kind in "biuf"
    if isinstance(a, FunctionType) and isinstance(b, FunctionType):
        ours = all(f.__code__.co_filename.startswith("<cell") for f in (a, b))
        return ours and a.__code__.co_argcount == b.__code__.co_argcount
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) > 0 and alike(a[0], b[0])
    if isinstance(a, bool | np.bool_) or isinstance(b, bool | np.bool_):
        return False
    return any(isinstance(a, kind) and isinstance(b, kind) for kind in (int | np.integer, float))


def _equal(a, b):
    """Whether two names hold one value, or two computations of it."""
    try:
        return a is b or bool(np.allclose(np.asarray(a, dtype=float), np.asarray(b, dtype=float), rtol=1e-4, atol=0))
    except (ValueError, TypeError):  # functions; lists of arrays of several shapes
        return False


def names(node, scope):
    """Another name of the same shape; the place before or after; two names of a comprehension exchanged."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in scope.values:
        order, value = list(scope.values), scope.values[node.id]
        at = order.index(node.id)
        near = sorted(set(order) - scope.foreign, key=lambda name: (abs(order.index(name) - at), -order.index(name)))
        others = [name for name in near if alike(value, scope.values[name]) and not _equal(value, scope.values[name])]
        yield from (ast.Name(name, ast.Load()) for name in others[:2])
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        index = node.slice
        if isinstance(index, ast.BinOp) and isinstance(index.op, ast.Add | ast.Sub) and _is_one(index.right):
            yield ast.Subscript(node.value, index.left, node.ctx)
        elif isinstance(index, ast.Name) and isinstance(scope.values.get(index.id), int | np.integer):
            yield ast.Subscript(node.value, ast.BinOp(index, ast.Sub(), ast.Constant(1)), node.ctx)
        elif isinstance(index, ast.Slice) and ast.unparse(index) in ("1:", ":-1"):
            other = {"1:": ":-1", ":-1": "1:"}[ast.unparse(index)]
            yield ast.Subscript(node.value, _expression(f"x[{other}]").slice, node.ctx)
    elif isinstance(node, ast.comprehension) and isinstance(node.target, ast.Tuple) and len(node.target.elts) == 2:
        exchanged = ast.Tuple(node.target.elts[::-1], node.target.ctx)
        yield ast.comprehension(exchanged, node.iter, node.ifs, node.is_async)


def powers(node, scope):
    """A square or a root lost or added, an inverse lost, another norm."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        exponent = ast.unparse(node.right)
        yield {"0.5": node.left, "-0.5": _expression(f"({ast.unparse(node.left)}) ** -1")}.get(exponent, node.left)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        for side in ("left", "right"):
            operand = getattr(node, side)
            value = scope.values.get(operand.id) if isinstance(operand, ast.Name) else None
            if _is_float(value) and not _equal(value, value * value):
                parts = {"left": node.left, "right": node.right}
                parts[side] = ast.BinOp(operand, ast.Pow(), ast.Constant(2))
                yield ast.BinOp(parts["left"], node.op, parts["right"])
    elif isinstance(node, ast.Call):
        called = _called(node)
        if called in ("sqrt", "square", "inv", "pinv") and len(node.args) == 1:
            yield node.args[0]
        elif called in ("norm", "matrix_norm") and len(node.args) == 2:
            other = {"2": "fro", "'fro'": 2}.get(ast.unparse(node.args[1]))
            if other:
                yield ast.Call(node.func, [node.args[0], ast.Constant(other)], node.keywords)
        elif called == "norm" and len(node.args) == 1:
            yield ast.BinOp(node, ast.Pow(), ast.Constant(2))


def conditions(node, scope):
    """A mask, an if or one factor of an "and" left out; a covariance without its correlations."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        if _is_condition(node.slice, scope):
            yield node.value
        elif isinstance(node.slice, ast.Tuple):
            for i, index in enumerate(node.slice.elts):
                if _is_condition(index, scope):
                    kept = [ast.Slice() if j == i else other for j, other in enumerate(node.slice.elts)]
                    yield ast.Subscript(node.value, ast.Tuple(kept, ast.Load()), node.ctx)
    elif isinstance(node, ast.Call) and _called(node) == "where" and len(node.args) == 3:
        yield from node.args[1:]
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield ast.comprehension(node.target, node.iter, node.ifs[1:], node.is_async)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
        yield from (node.left, node.right)
    elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) and len(node.values) == 2:
        yield from node.values
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(side, ast.Compare):
                yield other
    elif isinstance(node, ast.If):
        yield ast.If(ast.Constant(True), node.body, node.orelse)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and _correlates(scope.values.get(node.id)):
        yield _expression(f"({node.id} * np.eye({scope.values[node.id].shape[-1]}))")


OTHERS = {"sum": ("mean", "max"), "mean": ("sum", "max"), "max": ("sum", "min"), "min": ("max", "mean"),
          "maximum": ("minimum",), "minimum": ("maximum",), "argmax": ("argmin",), "argmin": ("argmax",),
          "any": ("all",), "all": ("any",)}  # fmt: skip


def aggregates(node, scope):
    """Sum, mean, max and min exchanged; the last one, or one of two, in place of the least."""
    if not isinstance(node, ast.Call) or _called(node) not in OTHERS:
        return
    called = _called(node)
    for other in OTHERS[called]:
        if isinstance(node.func, ast.Attribute):
            yield ast.Call(ast.Attribute(node.func.value, other, ast.Load()), node.args, node.keywords)
        elif other != "mean" and len(node.args) == 1:
            yield ast.Call(ast.Name(other, ast.Load()), node.args, node.keywords)
        elif other in ("max", "min"):
            yield ast.Call(ast.Name(other, ast.Load()), node.args, node.keywords)
    if called in ("maximum", "minimum") or (called in ("max", "min") and isinstance(node.func, ast.Name)):
        if len(node.args) == 2:
            yield from node.args
        elif len(node.args) == 1 and isinstance(node.args[0], ast.Starred):
            yield _expression(f"list({ast.unparse(node.args[0].value)})[-1]")
    elif called == "min" and isinstance(node.func, ast.Attribute) and [k.arg for k in node.keywords] == ["axis"]:
        of = node.args[0] if node.args else node.func.value
        yield _expression(f"np.take({ast.unparse(of)}, -1, axis={ast.unparse(node.keywords[0].value)})")


def counts(node, scope):
    """n for n - 1 and back: a 1 lost, a divisor lessened by 1, ddof the other one."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) and _is_one(node.right):
        yield node.left
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _is_count(node.right, scope):
        yield ast.BinOp(node.left, node.op, ast.BinOp(node.right, ast.Sub(), ast.Constant(1)))
    elif isinstance(node, ast.Call) and _called(node) in ("var", "std"):
        others = [k for k in node.keywords if k.arg != "ddof"]
        if len(others) == len(node.keywords):
            others = [*others, ast.keyword("ddof", ast.Constant(1))]
        yield ast.Call(node.func, node.args, others)


def bounds(node, scope):
    """A constant of an inequality doubled or halved."""
    if not scope.inequality:
        return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
        for side in ("left", "right"):
            value = getattr(getattr(node, side), "value", None)
            if isinstance(getattr(node, side), ast.Constant) and isinstance(value, int | float):
                for new in (2 * value, value / 2):
                    parts = {"left": node.left, "right": node.right, side: ast.Constant(new)}
                    yield ast.BinOp(parts["left"], node.op, parts["right"])
    elif isinstance(node, ast.Call) and _called(node) in ("log", "sqrt") and isinstance(node.args[0], ast.Constant):
        for new in (2 * node.args[0].value, node.args[0].value / 2):
            yield ast.Call(node.func, [ast.Constant(new)], node.keywords)


KINDS = {kind.__name__: kind for kind in (names, powers, conditions, aggregates, counts, bounds)}


def _expression(text):
    return ast.parse(text, mode="eval").body


def _called(call):
    """The last word of what is called: norm of np.linalg.norm."""
    return getattr(call.func, "attr", getattr(call.func, "id", None))


def _is_one(node):
    return isinstance(node, ast.Constant) and node.value == 1


def _is_float(value):
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")


def _is_condition(node, scope):
    """Whether an index is a mask."""
    if isinstance(node, ast.Name):
        value = scope.values.get(node.id)
        return isinstance(value, np.ndarray) and value.dtype == bool
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        return True
    return isinstance(node, ast.Compare) or (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr)
    )


def _is_count(node, scope):
    if isinstance(node, ast.Name):
        value = scope.values.get(node.id)
        return isinstance(value, int | np.integer) and not isinstance(value, bool) and value > 1
    if isinstance(node, ast.Constant):
        return type(node.value) is int and node.value > 4
    return isinstance(node, ast.Call) and _called(node) == "len"


def _correlates(value):
    """Whether a value is a symmetric matrix, or a stack of them, that is not diagonal."""
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or value.ndim not in (2, 3):
        return False
    d = value.shape[-1]
    if value.shape[-2] != d or d < 2 or not np.isfinite(value).all():
        return False
    return np.allclose(value, value.swapaxes(-1, -2)) and not np.allclose(value, value * np.eye(d))


# ---------------------------------------------------------------------------------------------------------------
# Which expressions: what computes one side of a check and not the other
# ---------------------------------------------------------------------------------------------------------------
@dataclass
class Place:
    """An expression or a function that computes one side of a check."""

    root: ast.AST
    where: str
    tags: list = field(default_factory=list)
    inequality: bool = False
    minimum: bool = False  # only where it is least counts: it may be scaled
    foreign: set = field(default_factory=set)
    other: list = field(default_factory=list)  # the text of the other side


def checks_in(tree):
    """The calls of verify, check_… and monte_carlo."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    whole = [call for call in calls if call.func.id in SIDES and len(call.args) >= 4]
    return [call for call in whole if not any(isinstance(a, ast.Starred) for a in call.args[:4])]


def definitions(tree):
    """{name: what it is computed from} of the assignments, loops, appended values and functions of a cell."""
    found = {}

    def note(target, value):
        if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
            if len(target.elts) == len(value.elts):
                for one, its in zip(target.elts, value.elts, strict=True):
                    note(one, its)
                return
        for node in ast.walk(target) if isinstance(target, ast.Tuple | ast.List) else [target]:
            base = node
            while isinstance(base, ast.Subscript | ast.Attribute | ast.Starred):
                base = base.value
            if isinstance(base, ast.Name):
                found.setdefault(base.id, []).append(value)

    def visit(node):
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
            return
        if isinstance(node, ast.Assign):
            for target in node.targets:
                note(target, node.value)
        elif isinstance(node, ast.AugAssign | ast.For | ast.NamedExpr):
            note(node.target, node.iter if isinstance(node, ast.For) else node.value)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("append", "extend")
        ):
            for value in node.args if len(node.args) == 1 else ():  # np.append has two
                note(node.func.value, value)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(tree)
    return found


def uses(node):
    """The names that an expression or a function reads from outside of itself."""
    read = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    own = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    return set(read) - own


def closure(start, known):
    """All names that some names are computed from."""
    reached, todo = set(), set(start)
    while todo:
        name = todo.pop()
        reached.add(name)
        for value in known.get(name, ()):
            todo |= uses(value) - reached
    return reached


def _base(node):
    """x of x[1:] and of np.array(x)[step]."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def places(tree, functions):
    """The places of a check cell whose changes its checks should notice.

    ``functions`` are those of earlier cells, by name. What computes both sides (data, mostly) is no place, except a
    list whose entries are compared with one another.
    """
    inside = definitions(tree)
    known = {**{name: [node] for name, node in functions.items()}, **inside}
    loops = {id(node.iter) for node in ast.walk(tree) if isinstance(node, ast.For)}
    found = {}

    def add(root, where, call, foreign):
        tag = call.args[0].value if isinstance(call.args[0], ast.Constant) else ast.unparse(call.args[0])
        place = found.setdefault(id(root), Place(root, where))
        place.tags += [tag] if tag not in place.tags else []
        place.inequality |= call.func.id == "check_inequality"
        place.minimum |= call.func.id == "check_minimum" and foreign is reach[1]
        place.foreign |= foreign
        return place

    for call in checks_in(tree):
        sides = call.args[2:4]
        reach = [closure(uses(side), known) for side in sides]
        both, compared = reach[0] & reach[1], {_base(sides[0])} & {_base(sides[1])} - {None}
        reach = [reach[0] - both, reach[1] - both]
        for i, where in enumerate(SIDES[call.func.id]):
            add(sides[i], where, call, reach[1 - i]).other.append(ast.unparse(sides[1 - i]))
            for name in known:
                if name in reach[i] | compared:
                    for root in known[name]:
                        if id(root) not in loops and (call.func.id == "monte_carlo" or not _is_random(root)):
                            add(root, name, call, reach[1 - i])
    return list(found.values())


def _is_random(root):
    """Whether a value is drawn where it is defined: any other would do."""
    return not isinstance(root, ast.FunctionDef) and any(
        isinstance(node, ast.Call) and _makes_data(node) for node in ast.walk(root)
    )


# ---------------------------------------------------------------------------------------------------------------
# The changes, one at a time
# ---------------------------------------------------------------------------------------------------------------
def _nodes(node, scope, locals_of):
    """Yield (node, scope, parent, field, index) of everything in a place that may be changed."""
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        known = {**scope.values, **locals_of(node)}
        inner = dict.fromkeys(n.arg if isinstance(n, ast.arg) else n.id for n in ast.walk(node)
                              if isinstance(n, ast.arg | ast.Name))  # fmt: skip
        scope = Scope({n: known[n] for n in inner if n in known}, scope.inequality, scope.foreign)
    for name, value in ast.iter_fields(node):
        if isinstance(node, ast.FunctionDef) and name != "body":
            continue
        for i, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr | ast.arguments | ast.Assert):
                continue
            if isinstance(child, ast.keyword) and child.arg in SETTINGS:
                continue
            if isinstance(child, ast.Call) and _makes_data(child):
                continue
            yield child, scope, node, name, i if isinstance(value, list) else None
            yield from _nodes(child, scope, locals_of)


def _makes_data(call):
    base = call.func
    while isinstance(base, ast.Attribute | ast.Call):
        base = base.value if isinstance(base, ast.Attribute) else base.func
    called = _called(call) or ""
    return getattr(base, "id", None) in ("rng", "datasets") or called in DATA or called.startswith("make_")


def put(parent, field_, index, node):
    """Put a node at a place: see ``place_of``."""
    if index is None:
        setattr(parent, field_, node)
    else:
        getattr(parent, field_)[index] = node


def _shown(node, parents):
    """The node's nearest surroundings that are long enough to tell where it stands."""
    shown = node
    while len(ast.unparse(shown)) < 14 or not isinstance(shown, ast.expr | ast.comprehension):
        parent = parents.get(id(shown))
        if not isinstance(parent, ast.expr) or len(ast.unparse(parent)) > 60:
            break
        shown = parent
    return shown


def changes(statement, place, scope, locals_of):
    """Yield (kind, label) for each change of a place; while it is yielded, the statement's tree holds the change."""
    holder = ast.Expr(place.root) if isinstance(place.root, ast.expr) else ast.Module([place.root], [])
    outer = place_of(statement, place.root) if place.root is not statement else (holder, "body", 0)
    parents = {id(child): parent for parent in ast.walk(place.root) for child in ast.iter_child_nodes(parent)}
    start = Scope(scope, place.inequality, place.foreign)
    tags = sorted(place.tags, key=lambda tag: [(len(part), part) for part in tag.split(".")])  # 8.2 before 8.10
    if isinstance(place.root, ast.Call) and _makes_data(place.root):
        return
    sites = [(place.root, start, *outer)] if isinstance(place.root, ast.expr) else []
    for node, its_scope, parent, field_, index in [*sites, *_nodes(place.root, start, locals_of)]:
        for kind, mistakes in KINDS.items():
            for new in list(mistakes(node, its_scope)):
                if _is_known_to_pass(kind, node, new, parents, place):
                    continue
                shown = _shown(node, parents)
                before = ast.unparse(shown)
                new = copy.deepcopy(new)
                ast.copy_location(new, node) if hasattr(node, "lineno") else None
                put(parent, field_, index, new)
                try:
                    after = ast.unparse(new if shown is node else shown)
                    ast.fix_missing_locations(statement)
                    if ast.unparse(new if node is place.root else place.root) not in place.other:
                        yield kind, f"({', '.join(tags)}) {place.where}: {_cut(before)} → {_cut(after)}"
                finally:
                    put(parent, field_, index, node)


def _is_known_to_pass(kind, node, new, parents, place):
    """Whether a change is none: a minimum is scaled, a diagonal has no correlations, a name is only counted."""
    parent = parents.get(id(node))
    if kind in ("aggregates", "counts") and place.minimum:
        top = parent
        while isinstance(top, ast.UnaryOp):
            top = parents.get(id(top))
        scaled = kind == "counts" or {_called(node), _called(new)} == {"sum", "mean"}
        return scaled and isinstance(top, ast.Lambda | ast.Return)
    if isinstance(node, ast.Name) and isinstance(parent, ast.Call) and kind in ("names", "conditions"):
        return _called(parent) in (("len",) if kind == "names" else ("trace", "diag"))
    return kind == "conditions" and isinstance(node, ast.Name) and isinstance(parent, ast.Subscript)


def _cut(text, most=90):
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def place_of(tree, node):
    """(parent, field, index) of a node in a tree."""
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is node:
                return parent, name, None
            if isinstance(value, list):
                for i, item in enumerate(value):
                    if item is node:
                        return parent, name, i
    raise ValueError("the node is not in the tree")


def numbered(label, seen: Counter):
    """The label, with (2) where the same one occurred before."""
    seen[label] += 1
    return label if seen[label] == 1 else f"{label} ({seen[label]})"
