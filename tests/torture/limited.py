"""A limit of processor time for what is tried: a command without end fails, one that waits for a loaded machine does not."""
import resource

HANG = 60  # s of processor time, which does not count what others do on the machine
WAIT = 3600  # s at last, for a command that only waits


def limit_processor():
    """preexec_fn of a command: SIGXCPU or SIGKILL end it at the limit."""
    resource.setrlimit(resource.RLIMIT_CPU, (HANG, HANG))
