"""Settings of the JupyterLab that tools/lab.py starts on a learner's own computer, and of no other.

What holds on any server, a hub too, stands in ../anywhere. lab.py puts both first on Jupyter's configuration path.
"""

from datetime import UTC, datetime

import zmq
from jupyter_client.manager import KernelManager
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager

c = get_config()  # noqa: F821


class Kernels(AsyncMappingKernelManager):
    """Kernels that count as idle from when the last page let go of them, too.

    Jupyter counts from the last run alone. Then whoever has read for an hour and loads the page again, or opens a
    computer that slept, could lose the kernel in the second in which the page is not connected.
    """

    def notify_disconnect(self, kernel_id):
        super().notify_disconnect(kernel_id)
        if kernel_id in self:
            self.get_kernel(kernel_id).last_activity = datetime.now(UTC)


# A chapter's kernel holds some 170 MB, and stays when its tab is closed. Ten minutes later nobody is coming back to it
# at once, so it ends. One that a page looks at, or that works, never does. The notebook is saved all the while.
c.ServerApp.kernel_manager_class = Kernels
c.MappingKernelManager.cull_idle_timeout = 600
c.MappingKernelManager.cull_interval = 60
c.MappingKernelManager.cull_connected = False
c.MappingKernelManager.cull_busy = False

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
