# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""The example server in Python with JAX: rows that arrive at about the same time run as one batch.

    jax_server.py PLUGIN
"""

import http.server
import json
import os
import queue
import sys
import threading
import time

os.environ["JAX_PLATFORMS"] = "measured"

import jax
import numpy as np
from jax._src import xla_bridge

on_gpu = "BENCH_SHARED_GPU" in os.environ
xla_bridge.register_plugin("measured", library_path=sys.argv[1], options={"preallocate": False} if on_gpu else None)

ROWS, INPUTS, LINGER = 8, 2, 0.002
waiting = queue.Queue(4 * ROWS)
predict = jax.jit(lambda w, b, x: x @ w + b)
weights = jax.device_put((np.array([2, -3], np.float32), np.float32(1)))


def batches():
    while True:
        batch = [waiting.get()]
        deadline = time.monotonic() + LINGER
        while len(batch) < ROWS:
            try:
                batch.append(waiting.get(timeout=max(0, deadline - time.monotonic())))
            except queue.Empty:
                break
        x = np.zeros((ROWS, INPUTS), np.float32)
        x[: len(batch)] = [row for row, _ in batch]
        for (_, answer), value in zip(batch, np.asarray(predict(*weights, x))):
            answer.put(float(value))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        row = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = queue.SimpleQueue()
        waiting.put((row, answer))
        body = json.dumps(answer.get()).encode() + b"\n"
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


np.asarray(predict(*weights, np.zeros((ROWS, INPUTS), np.float32)))
threading.Thread(target=batches, daemon=True).start()
server = http.server.ThreadingHTTPServer(("localhost", 0), Handler)
print(f"listening on http://localhost:{server.server_port}", flush=True)
server.serve_forever()
