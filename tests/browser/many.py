"""What is expected of many elements at once: a question to the browser for each takes long."""

import time

PATIENCE = 20  # seconds, as `expect` has it here
VALUES = "(all, name) => all.map((one) => one.getAttribute(name))"


def all_have(elements, attribute, values):
    """Wait until the elements are as many, and have these values of an attribute, in order."""
    until = time.monotonic() + PATIENCE
    while (found := elements.evaluate_all(VALUES, attribute)) != values:
        assert time.monotonic() < until, f"{attribute}: {found}, where {values} is due"
        elements.page.wait_for_timeout(20)
