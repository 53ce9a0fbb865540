"""What runs inside the sandbox: a submission's cells, and then calls of its functions.

The judge sends the cells once. Each is run in order; one that fails does not stop the next. Then
the judge sends calls, one in a message, and each is answered in a fork of this process, so that
nothing is carried from one to the next. No call is made twice, and all are made alike. Nothing here
is trusted by the judge: the code of the submission lives in this process, and may change all of it.
"""

import contextlib
import os
import resource
import select
import signal
import socket
import time
import warnings

import numpy as np
import numpy.ma
import numpy.random

from course.grading.cells import WORDS, Notebook, line_of, words
from course.grading.confine import close_behind, restrict
from course.grading.names import Names, Version
from course.grading.results import failed, readable
from course.grading.stand_ins import Absent, install
from course.grading.wire import MOST_BYTES, ClosedError, Line, WireError, encode


def main(descriptor: int, *, is_alone: bool) -> None:
    """Serve the judge at the other end of a socket until it hangs up.

    Whether it has process numbers of its own decides whether it may end all that it can reach.
    """
    line = Line(socket.socket(fileno=descriptor))
    try:
        limits, tmp, program = line.receive()
        if is_alone:
            close_behind(*tmp, program.tobytes())
        restrict(*limits)
        line.send("here")
        cells, ended, left, names = line.receive()
        silence()
        install()
        versions = run(line, cells, ended, left, names)
        serve(line, versions, is_alone)
    except ClosedError:
        pass


def silence() -> None:
    """Lead what this process and its children write to nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


# The cells


def run(line: Line, cells, ended, left, names) -> dict[str, list[Version]]:
    """Run the cells; return every version of the functions with these names, the last one last.

    Of those that ended a sandbox, the definitions are run, or nothing where these did, too. One
    that leaves no memory to the functions is told, and ends it as well.
    """
    notebook = Notebook()
    standing = Names(notebook.space)
    versions: dict[str, list[Version]] = {name: [] for name in names}
    warnings.simplefilter("ignore")
    for index, source in enumerate(cells):
        if index in left:
            continue
        line.send(("cell", index))
        notebook.run(index, source, defines=index in ended)
        if index not in ended and is_full():
            line.send(("full", index))
        standing.see(index)
        for name, found in versions.items():
            mine = standing.now(name)
            if mine is not None and (not found or mine is not found[-1].function):
                found.append(Version(name, mine, standing))
    told = (*notebook.told, *standing.told(versions))
    line.send(("ready", tuple(len(found) for found in versions.values()), told))
    return versions


def is_full() -> bool:
    """Whether more than seven eighths of what this process may hold are taken."""
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    with contextlib.suppress(OSError), open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize() > most - most // 8
    return False


# The calls


def serve(line: Line, versions: dict[str, list[Version]], is_alone: bool) -> None:
    """Answer calls until the judge hangs up.

    What can be made ready for all of them is: each page that a fork writes to is copied for it, and
    that takes longer than most functions do.
    """
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    while True:
        number, name, version, inputs, cpu, wall = line.receive()
        function = versions[name][version]
        status, data = answer(function, inputs, cpu, wall)
        if is_alone:
            end_strays()
        line.send((number, status, np.frombuffer(data, "u1")))


def answer(function, inputs, cpu: int, wall: float) -> tuple[str, bytes]:
    """Call a function in a fork; return how it ended, and what it wrote."""
    end, start = os.pipe()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # or nobody is told how the fork ends
    pid = os.fork()
    if pid == 0:
        os.close(end)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
        Absent.in_calls = True
        os.write(start, call(function, inputs))
        os._exit(0)
    os.close(start)
    data, is_late = read_all(end, time.monotonic() + wall)
    os.close(end)
    if is_late:
        os.kill(pid, signal.SIGKILL)
    _, how, used = os.wait4(pid, 0)
    ended = signal.Signals(os.WTERMSIG(how)).name if os.WIFSIGNALED(how) else ""
    if ended == "SIGXCPU" or used.ru_utime + used.ru_stime >= cpu:
        return "timed out", b""
    if is_late:
        return "late", b""
    if ended:
        return ended, b""
    return ("answered" if data else "exited"), data


def read_all(descriptor: int, deadline: float) -> tuple[bytes, bool]:
    """Read until the other end is closed, or it is too late or too much."""
    data = bytearray()
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        chunk = os.read(descriptor, 1 << 16)
        data += chunk
        if not chunk or len(data) > MOST_BYTES:
            return bytes(data[:MOST_BYTES]), False
    return b"", True


def end_strays() -> None:
    """End whatever a call left running: in this namespace, all but this process and its first."""
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.kill(-1, signal.SIGKILL)
        while os.waitpid(-1, 0)[0]:
            pass


def call(function, inputs) -> bytes:
    """Call a function, and write what came of it, and what it left of its inputs.

    Whether that is what came in, the judge finds out, who knows what that was.
    """
    try:
        result = function(*inputs)
        tree = ("answer", readable(result))
    except MemoryError:
        return encode(("memory",))
    except BaseException as error:
        where = line_of(error), failed(error)
        tree = ("raised", type(error).__name__[:60], words(error), *where)
    try:
        return encode((*tree, inputs))
    except (WireError, MemoryError) as error:
        odd = "odd", type(result).__name__[:60], str(error)[:WORDS]
    try:
        return encode((*odd, inputs))
    except (WireError, MemoryError):  # an input has become what cannot be sent
        return encode((*odd, ()))
