"""What is said where the extra `lab` is missing: one sentence for pictures and for widgets."""

import contextlib


@contextlib.contextmanager
def needed_by(name):
    """Say what to install, where an import inside finds no module.

    Parameters
    ----------
    name : str
        What is being imported, by its public name.

    Raises
    ------
    ImportError
        What was being done, what is missing, and how to get it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "attnlib").partition(".")[0]
        if missing == "attnlib":
            raise  # no install would change that
        raise ImportError(
            f"{name} cannot be imported: there is no {missing} here. Pictures and widgets need "
            'the extra "lab": pip install "attnlib[lab]", or in a clone pip install ".[lab]".',
            name=missing,
        ) from None
