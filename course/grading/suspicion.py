"""What a teacher may want to look at: a hint, and no defence, since code can hide what it does."""

import re

MODULES = (
    "builtins", "ctypes", "course", "gc", "inspect", "mmap", "multiprocessing", "os", "pickle",
    "resource", "shutil", "signal", "socket", "subprocess", "sys", "tempfile", "threading",
)  # fmt: skip
# Patterns and no parser, which code of any depth could bring down.
IMPORTS = re.compile(r"^[ \t]*(?:import|from)[ \t]+([^\n#;]{1,200})", re.MULTILINE)
CALLS = re.compile(r"\b(__import__|breakpoint|compile|eval|exec|globals|open)\(")
DUNDERS = re.compile(r"\.(__\w{1,40}__)\b")
REPLACED = re.compile(r"^[ \t]*((?:np|numpy|attnlib)\.[\w.]{1,40}) *=(?!=)", re.MULTILINE)
MOST = 40  # of what is told by name


def suspicious(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Return what code uses that no task of ours needs: modules, functions, replaced parts."""
    found: dict[str, None] = {}
    for source in cells:
        for words in IMPORTS.findall(source):
            named = set(re.findall(r"\w+", words.partition(" import ")[0]))
            found |= dict.fromkeys(one for one in MODULES if one in named)
        found |= dict.fromkeys(CALLS.findall(source) + DUNDERS.findall(source))
        found |= dict.fromkeys(f"{one} =" for one in REPLACED.findall(source))
    more = len(found) - MOST
    return (*tuple(found)[:MOST], *([f"{more} others"] if more > 0 else []))
