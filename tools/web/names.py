"""Which names a cell needs from the cells before it: so it is known what can be left out.

A name is needed where it is asked for before it is given a value. What only may give a value (a loop, which may not
run; a branch) counts as giving none; what a function asks for counts as asked for where the function is defined.
"""

import ast

__all__ = ["asked_by_functions", "needed"]

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def needed(source, later=frozenset()):
    """The names that must be there before a cell, where ``later`` must be there after it."""
    return _before(ast.parse(source).body, set(later))


def asked_by_functions(source):
    """The names that functions of a cell ask for when they are called, at whatever time that is."""
    return set().union(*(_asked(node) for node in ast.walk(ast.parse(source)) if isinstance(node, FUNCTIONS)))


def _before(statements, later):
    for statement in reversed(statements):
        later = _before_one(statement, later)
    return later


def _before_one(statement, later):
    match statement:
        case ast.Assign(targets=targets, value=value):
            return later - _given(*targets) | _asked(value, *targets)
        case ast.FunctionDef() | ast.ClassDef():
            return later - {statement.name} | _asked(statement)
        case ast.Import() | ast.ImportFrom():
            return later - {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
        case ast.For(target=target, iter=values, body=body, orelse=orelse):
            after = _before(orelse, later)
            return _asked(values) | after | _before(body, after) - _given(target)
        case ast.If(test=test, body=body, orelse=orelse):
            return _asked(test) | _before(body, later) | _before(orelse, later)
        case ast.With(items=items, body=body):
            names = [item.optional_vars for item in items if item.optional_vars]
            return _asked(*(item.context_expr for item in items)) | _before(body, later) - _given(*names)
    return later | _asked(statement)


def _given(*targets):
    """The names to which an assignment to these targets gives values."""
    names = (node for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _asked(*nodes):
    """The names that pieces of code ask for, without those that are their own."""
    return set().union(*map(_asked_by, nodes))


def _asked_by(node):
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    if isinstance(node, ast.AugAssign):
        return _given(node.target) | _asked(node.target, node.value)
    parts = list(ast.iter_child_nodes(node))
    if isinstance(node, FUNCTIONS):
        own = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
        body = node.body if isinstance(node.body, list) else [node.body]
        return _asked(*(part for part in parts if part not in body)) | _asked(*body) - own - _given(*body)
    if isinstance(node, COMPREHENSIONS):
        first, *others = node.generators
        inside = [part for part in parts if part not in node.generators]
        own = _given(*(one.target for one in node.generators))
        conditions = [condition for one in node.generators for condition in one.ifs]
        return _asked(first.iter) | _asked(*inside, *(one.iter for one in others), *conditions) - own
    return _asked(*parts)
