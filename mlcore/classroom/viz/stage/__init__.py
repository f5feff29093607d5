"""What shows: pictures with their controls in JupyterLab, and in ``page`` what runs in the browser."""
