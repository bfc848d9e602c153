# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""The protocol of package child, for programs in Python."""

import sys
import time


def serve(prepare, opened=0, made=0):
    """Does the jobs that standard input names.

    prepare(job, parameter) returns a function that does the job so many times, or None. Opening the plugin and making the
    first client took opened and made nanoseconds.
    """
    print("ready", opened, made, "0.0", flush=True)
    run = None
    for line in sys.stdin:
        words = line.split()
        answer = "ok"
        if words[0] == "prepare":
            run = prepare(words[1], int(words[2]))
            answer = "ok" if run else "absent"
        elif words[0] == "run":
            run(int(words[2]))
            begin = time.perf_counter_ns()
            run(int(words[1]))
            answer = f"ok {time.perf_counter_ns() - begin}"
        elif words[0] == "finish":
            run = None
        else:
            answer = "absent"
        print(answer, flush=True)
