"""The command ``sushibalance``, which answers Ctrl-C before anything slow is imported."""

import os
import signal
import sys


def stop(*_: object) -> None:
    """End at once after Ctrl-C, without waiting for threads that play or compile."""
    print("sushibalance: stopped", file=sys.stderr, flush=True)
    os._exit(130)


def main() -> None:
    """Run the command line; while a command has something to tidy up, Ctrl-C is its own affair."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where a shell has it ignored
        signal.signal(signal.SIGINT, stop)
    from sushibalance.cli import main as run

    run()


if __name__ == "__main__":
    main()
