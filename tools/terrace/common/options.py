# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Option values that several commands share."""
import tempfile

from .term import Failure


def writable(option, folder):
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as problem:
        raise Failure(f"{option}: cannot write to {folder} ({problem.strerror}): name another folder") from None
