"""A filter for the kernel: calls of it that no homework needs, and by which memory hides.

Memory that a process of the sandbox holds is counted, and its files are limited in size. Shared
memory without a file, message queues, sockets and anonymous files are neither, so they are refused
here, together with what reaches into other processes, what would let a process outlive the grader,
and what has been a way into the kernel before. The numbers are those of Linux's own tables,
`arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h`.
"""

import errno
import platform
import struct

REFUSED = {  # name: (x86-64, AArch64)
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "kexec_load": (246, 104),
    "flock": (73, 32),
    "utimensat": (280, 88),  # which, with the next three, would leave a mark on /dev/null
    "utime": (132, 88),
    "utimes": (235, 88),
    "futimesat": (261, 88),
}
REFUSED_IF = {  # name: (x86-64, AArch64), argument, its bits, and their value that is refused
    "prctl": ((157, 167), 0, 0xFFFFFFFF, 1),  # PR_SET_PDEATHSIG
    "mmap": ((9, 222), 3, 0x21, 0x21),  # MAP_SHARED and MAP_ANONYMOUS
    "fcntl": ((72, 25), 1, 0xFFFFFFFF, 1024),  # F_SETLEASE: others would wait to open that file
}
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column, AUDIT_ARCH
LOAD, AND, EQUAL, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06  # BPF: ld, and, jeq, jge, ret
ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM
X32 = 0x40000000  # the other set of numbers of an x86-64


def program(machine: str | None = None) -> bytes:
    """Return the filter as bubblewrap reads it; nothing for a machine that is not known here."""
    machine = machine or platform.machine()
    if machine not in MACHINES:
        return b""
    column, architecture = MACHINES[machine]
    numbers = sorted(pair[column] for pair in REFUSED.values())
    looks = [
        step
        for pair, argument, bits, value in REFUSED_IF.values()
        for step in (
            (EQUAL, 0, 5, pair[column]),
            (LOAD, 0, 0, 16 + 8 * argument),  # its lower half, on machines of this byte order
            (AND, 0, 0, bits),
            (EQUAL, 0, 1, value),
            (RETURN, 0, 0, FAIL),
            (RETURN, 0, 0, ALLOW),
        )
    ]
    n = len(numbers) + len(looks)
    steps = [
        (LOAD, 0, 0, 4),
        (EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, 0),
        (AT_LEAST, n + 1, 0, X32),
        *((EQUAL, n - i, 0, number) for i, number in enumerate(numbers)),
        *looks,
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, FAIL),
    ]
    return b"".join(struct.pack("<HBBI", *step) for step in steps)
