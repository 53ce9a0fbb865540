"""The course of one training: its loss, the floor below it, and where models were kept."""

from collections.abc import Mapping

import numpy as np

from attnlib._inputs import as_array, as_real, refuse
from attnlib.widgets._traits import Synced

HELD = "steps", "loss", "stages"
MOST_STEPS = 1_000


class TrainingCurve(Synced):
    """``steps`` and ``loss`` (m,), ``stages`` {name: step} and perhaps ``floor``; or None."""

    default_value = None

    def validate(self, owner, value):
        """Return value as JSON has it, losses to four decimals."""
        if value is None:
            return None
        if not isinstance(value, Mapping):
            rule = f"{self.name} must be a mapping of {', '.join(HELD)}"
            kind = type(value).__name__
            refuse(rule, f"{kind} is no mapping", TypeError, **{self.name: f"of type {kind}"})
        for name in HELD:
            if name not in value:
                rule = f"{self.name} must hold {', '.join(HELD)}"
                refuse(rule, f"{name} is none of them", **{self.name: ", ".join(map(str, value))})
        steps, loss = as_array("steps", value["steps"]), as_real("loss", value["loss"])
        if steps.shape != loss.shape or steps.ndim != 1 or not 2 <= len(steps) <= MOST_STEPS:
            rule = f"steps and loss must be two rows of 2 to {MOST_STEPS} numbers"
            refuse(rule, f"{steps.shape} and {loss.shape} are not", steps=steps, loss=loss)
        if not (np.diff(steps) > 0).all():
            place = int(np.argmin(np.diff(steps) > 0))
            rule, clash = "steps must increase", f"{steps[place + 1]} comes after {steps[place]}"
            refuse(rule, clash, steps=steps)
        if not np.isfinite(loss).all():
            place = int(np.argmin(np.isfinite(loss)))
            refuse("loss must hold finite numbers", f"loss[{place}] is not", loss=loss)
        return {
            "steps": [int(step) for step in steps],
            "loss": [round(float(x), 4) for x in loss],
            "floor": None if value.get("floor") is None else round(float(value["floor"]), 4),
            "stages": {str(name): int(step) for name, step in dict(value["stages"]).items()},
        }
