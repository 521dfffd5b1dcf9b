"""The data catalog JupyterLab lacks."""
