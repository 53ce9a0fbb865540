"""JupyterLab on a working copy of the lessons."""
