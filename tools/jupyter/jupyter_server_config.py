"""Settings of the JupyterLab that tools/lab.py starts (it puts this folder first on Jupyter's configuration path)."""

import warnings

import zmq
from jupyter_client.manager import KernelManager

c = get_config()  # noqa: F821


def is_calm(output):
    """Whether an output is the line of a cell that needs what stands above it."""
    return "mlcore-calm" in "".join(output.get("data", {}).get("text/html", ""))


def keep_pictures(model, **_):
    """Before a notebook is saved: where an output holds a picture or text and a live view, leave the view out.

    A view needs its kernel. In a notebook that is opened again it would stand there and say "model not found". Nor is
    the line saved that a cell says in a fresh kernel (mlcore/calm.py): its button belongs to a notebook that runs.
    """
    if model["type"] != "notebook" or model["content"]["nbformat"] != 4:
        return
    notebook = model["content"]
    notebook["metadata"].pop("widgets", None)
    for cell in notebook["cells"]:
        if "outputs" in cell:
            cell["outputs"] = [output for output in cell["outputs"] if not is_calm(output)]
        for output in cell.get("outputs", ()):
            if {"image/png", "text/html"} & set(output.get("data", ())):
                output["data"].pop("application/vnd.jupyter.widget-view+json", None)


c.FileContentsManager.pre_save_hook = keep_pictures
# the server reads its settings twice, and would warn a learner that the second reading replaces the first
warnings.filterwarnings("ignore", message="Overriding existing pre_save_hook")

# No look-ups over the network: no news, no new versions, no list of extensions.
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.extension_manager = "readonly"

# This computer alone, on the port that lab.py chose, stopped by one Ctrl+C, and quiet unless something is wrong.
c.ServerApp.ip = "127.0.0.1"
c.ServerApp.port_retries = 0
c.ServerApp.answer_yes = True
c.ServerApp.log_level = "ERROR"
c.LabApp.log_level = "ERROR"

# Kernels warn the learner if what they say is not encrypted, even on one computer; so let it be, where it can be.
if zmq.has("curve") and hasattr(KernelManager, "transport_encryption"):
    c.KernelManager.transport_encryption = "auto"
