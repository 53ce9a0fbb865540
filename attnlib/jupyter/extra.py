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
        if error.name is None or error.name.startswith("attnlib"):
            raise  # no install would mend that
        raise ImportError(
            f"{name} cannot be imported: there is no {error.name} here. Pictures and widgets need "
            'the extra "lab": pip install "attnlib[lab]", or in a clone pip install ".[lab]".',
            name=error.name,
        ) from None
