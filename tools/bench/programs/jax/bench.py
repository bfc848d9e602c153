# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""The jobs that JAX users know, on the same plugin. The protocol is that of package child."""

import os
import sys
import time

start = time.perf_counter_ns()
os.environ["PJRT_NAMES_AND_LIBRARY_PATHS"] = "measured:" + sys.argv[1]
os.environ["JAX_PLATFORMS"] = "measured"

import jax  # noqa: E402, the variables come first
import numpy  # noqa: E402

import child  # noqa: E402

opened = time.perf_counter_ns()
jax.devices()
made = time.perf_counter_ns()


def prepare(job, param):
    add = jax.jit(lambda a, b: a + b)
    x = jax.device_put(numpy.array([1, 2, 3, 4], numpy.float32))
    add(x, x).block_until_ready()
    host = numpy.ones(max(param // 4, 4), numpy.float32)

    def execute(n):
        for _ in range(n):
            add(x, x).block_until_ready()

    def dispatch(n):
        for _ in range(n):
            add(x, x)

    def upload(n):
        for _ in range(n):
            jax.device_put(host).block_until_ready()

    return {"execute": execute, "dispatch": dispatch, "upload": upload, "create": upload}.get(job)


child.serve(prepare, opened - start, made - opened)
