"""What a Jupyter server does for the course's notebooks: those that it saves keep their pictures.

It is a server extension. tools/jupyter/anywhere/jupyter_server_config.d/mlcore.json switches it on.
"""

__all__ = ["keep_pictures"]

VIEW = "application/vnd.jupyter.widget-view+json"


def is_calm(output):
    """Whether an output is the line of a cell that needs what stands above it (mlcore/classroom/calm.py)."""
    return "mlcore-calm" in "".join(output.get("data", {}).get("text/html", ""))


def keep_pictures(model, **_):
    """Before a notebook is saved: where an output holds a picture or text and a live view, leave the view out.

    A view needs its kernel. In a notebook that is opened again it would stand there and say "model not found".
    Nor is the line saved that a cell says in a fresh kernel: its button belongs to a notebook that runs. Notebooks
    that do not use mlcore stay as they are.
    """
    if model["type"] != "notebook" or model["content"]["nbformat"] != 4:
        return
    notebook = model["content"]
    if not any("mlcore" in "".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"):
        return
    notebook["metadata"].pop("widgets", None)
    for cell in notebook["cells"]:
        if "outputs" in cell:
            cell["outputs"] = [output for output in cell["outputs"] if not is_calm(output)]
        for output in cell.get("outputs", ()):
            if {"image/png", "text/html"} & set(output.get("data", ())):
                output["data"].pop(VIEW, None)


def _jupyter_server_extension_points():
    return [{"module": "mlcore.classroom.server"}]


def _load_jupyter_server_extension(server):
    server.contents_manager.register_pre_save_hook(keep_pictures)
