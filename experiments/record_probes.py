"""Ask other libraries what they do at the edges of attention, and record their answers.

``python -m experiments.record_probes`` asks those that are installed and records what they answer,
``recorded/probes.json``; with names, ``PyTorch JAX``, it asks these alone. ``--compare`` records
nothing: it tells what the installed releases answer otherwise than the record says, and does not
fail. `tests.test_probes` holds what lessons say of libraries against the record.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import warnings
from datetime import date
from pathlib import Path

from experiments.probes import BETWEEN, MODULES

RECORDED = Path(__file__).parent / "recorded" / "probes.json"


def read():
    """Return the record: a list for each library, where versions that agree share a place."""
    return json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else {}


def found(record, library, *conditions):
    """Return what the newest version answers, as a set, where a probe has these conditions."""
    wanted = set(conditions)
    answers = record[library][-1]["answers"]
    return {word for name, word in answers.items() if wanted <= set(name.split(BETWEEN))}


def ask(library):
    """Ask one library, in this process: its version, its answers, and what its errors said."""
    module = importlib.import_module(f"experiments.probes.{MODULES[library]}")
    answers, errors = {}, {}
    for name, question in module.probes():
        try:
            answers[name] = question()
        except Exception as error:  # a refusal is an answer, in whatever class a library puts it
            answers[name] = "error"
            errors[name] = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
    return {"versions": module.VERSION, "answers": answers, "errors": errors}


def ask_apart(library):
    """Ask one library in a process of its own, as Keras has one backend in each.

    None if it is not installed.
    """
    backend = library.rpartition(" on ")[2]
    done = subprocess.run(
        [sys.executable, "-m", "experiments.record_probes", "--ask", library],
        env=os.environ | {"KERAS_BACKEND": backend, "CUDA_VISIBLE_DEVICES": ""},
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        print(f"{library}: not asked, {done.stderr.strip().splitlines()[-1]}")
        return None
    return json.loads(done.stdout.splitlines()[-1])


def version_of(answer):
    """Return what an answer is recorded under: the versions, without what a build adds."""
    return ", ".join(f"{name} {v.partition('+')[0]}" for name, v in answer["versions"].items())


def keep(record, library, answer):
    """Put an answer into the record, in the place of what the same version said before."""
    version, places = version_of(answer), record.setdefault(library, [])
    for place in places:
        place["versions"].pop(version, None)
    places[:] = [place for place in places if place["versions"]]
    if not places or places[-1]["answers"] != answer["answers"]:
        places.append({"versions": {}, "answers": answer["answers"]})
    places[-1]["versions"][version] = date.today().isoformat()


def changes(old, new):
    """Go through what is answered otherwise: a probe's name, the old answer, the new one."""
    for name in old | new:
        if old.get(name) != new.get(name):
            yield name, old.get(name, "not asked"), new.get(name, "not asked")


def compare(record, library, answer):
    """Print, as Markdown, what an answer says otherwise than the newest record."""
    recorded = record[library][-1]
    rows = list(changes(recorded["answers"], answer["answers"]))
    before = " and ".join(recorded["versions"])
    print(f"\n**{library}**, {version_of(answer)}, recorded {before}: {len(rows) or 'no'} changes")
    if rows:
        print("\n| probe | recorded | now |\n|---|---|---|")
    for row in rows:
        print("|", " | ".join(row), "|")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("libraries", nargs="*", help="as in experiments/probes: PyTorch, JAX …")
    parser.add_argument("--compare", action="store_true", help="record nothing, tell what changed")
    parser.add_argument("--ask", metavar="LIBRARY", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.ask:
        warnings.simplefilter("ignore")
        return print(json.dumps(ask(options.ask)))
    for library in options.libraries:
        if library not in MODULES:
            parser.error(f"{library!r} is none of {', '.join(MODULES)}")
    record = read()
    for library in options.libraries or MODULES:
        if (answer := ask_apart(library)) is None:
            continue
        if options.compare:
            compare(record, library, answer)
        else:
            keep(record, library, answer)
            print(f"{library}: {version_of(answer)}, {len(answer['answers'])} answers, and errors:")
            for name, error in answer["errors"].items():  # is it the library's, or the probe's own?
                print(f"  {name}: {error[:100]}")
    if not options.compare:
        RECORDED.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return None


if __name__ == "__main__":
    main()
