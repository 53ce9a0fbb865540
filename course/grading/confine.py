"""What the first process of a sandbox gives up for good, before it hears of any submission.

bubblewrap has put it into namespaces of its own and left it one right, to mount there. With that it
gives itself a `/tmp` of so many bytes and so many files, which bubblewrap cannot, drops the right,
and puts the filter of system calls around itself and all that will come of it.
"""

import ctypes
import os
import resource

MEBIBYTE = 1 << 20
NEW_MOUNTS, NO_SETUID, NO_DEVICES = 0x00020000, 0x2, 0x4  # CLONE_NEWNS, MS_NOSUID, MS_NODEV
SECCOMP, FILTER = 22, 2  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
CAPABILITIES = 0x20080522  # the version of what capset reads


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("process", ctypes.c_int))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def restrict(memory: int, processes: int, file_size: int) -> None:
    """Limit this process and all that come of it; sizes are in MiB.

    The kernel counts the processes of a user, in a namespace of its own those that are in there.
    Outside of one that would be whatever else the user runs, so there is no limit: 0.

    Raises
    ------
    OSError
        If no process can be made. Before Linux 5.14 a namespace did not count by itself.
    """
    for kind, limit in (
        (resource.RLIMIT_AS, memory * MEBIBYTE),
        *([(resource.RLIMIT_NPROC, processes)] if processes else []),
        (resource.RLIMIT_FSIZE, file_size * MEBIBYTE),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_SIGPENDING, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (limit, limit))
    os.waitpid(os.fork() or os._exit(0), 0)


def close_behind(file_size: int, files: int, program: bytes) -> None:
    """Mount `/tmp` with its bounds, drop all rights, and refuse what no homework needs.

    An empty program refuses nothing: that is for a machine whose calls are not known here.

    Raises
    ------
    OSError
        If any of it fails.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    bounds = f"size={file_size * MEBIBYTE},nr_inodes={files},mode=1777".encode()
    _done(libc.unshare(NEW_MOUNTS))
    _done(libc.mount(b"tmpfs", b"/tmp", b"tmpfs", NO_SETUID | NO_DEVICES, bounds))
    os.chdir("/tmp")
    nothing = (ctypes.c_uint32 * 6)()
    _done(libc.capset(ctypes.byref(_Header(CAPABILITIES, 0)), nothing))
    if program:
        steps = _Program(len(program) // 8, program)
        _done(libc.prctl(SECCOMP, FILTER, ctypes.byref(steps), 0, 0))


def _done(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
