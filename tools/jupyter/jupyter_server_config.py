"""Settings of the JupyterLab that tools/lab.py starts (it puts this folder first on Jupyter's configuration path)."""

import zmq
from jupyter_client.manager import KernelManager

c = get_config()  # noqa: F821

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
