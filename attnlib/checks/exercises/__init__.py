"""The exercises, one spec each, found by the name of the function to write."""

import pkgutil


def names() -> list[str]:
    """Give the names of all exercises."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))
