# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Whole jobs in JAX, on the same plugin. The protocol is that of package child.

    jax_jobs.py PLUGIN             does jobs
    jax_jobs.py PLUGIN start DIR   continues a text with the model in a folder, and ends
"""

import concurrent.futures
import json
import os
import pathlib
import sys
import threading
import time

begun = time.perf_counter_ns()
os.environ["JAX_PLATFORMS"] = "measured"

import jax
import jax.numpy as jnp
import numpy as np
import safetensors.numpy
from jax._src import xla_bridge

import child
import models
import transformer

PLUGIN, DEVICES = sys.argv[1], 8
on_gpu = "BENCH_SHARED_GPU" in os.environ
xla_bridge.register_plugin(
    "measured", library_path=PLUGIN, options={"preallocate": False} if on_gpu else {"cpu_device_count": DEVICES}
)


def program(name):
    """A model's job: the arguments that change come from the host, one result goes there."""
    job = models.JOBS[name]()
    step = jax.jit(job.run, donate_argnums=tuple(job.carry))
    args = [a if i in job.write else jax.device_put(a) for i, a in enumerate(job.args)]

    def run(n):
        for _ in range(n):
            results = step(*args)
            for place, result in job.carry.items():
                args[place] = results[result]
            np.asarray(results[job.read])

    return run


def load(size):
    file = f"{os.environ['BENCH_PROGRAMS']}/load-{size}.safetensors"

    def run(n):
        for _ in range(n):
            jax.block_until_ready(jax.device_put(safetensors.numpy.load_file(file)))

    return run


def devices(name, count):
    """Products of matrices on some devices, each with its rows; with sum, their sum on each."""
    if len(jax.devices()) < count:
        return None
    mesh = jax.make_mesh((count,), ("d",), devices=jax.devices()[:count])
    rows, whole = jax.sharding.PartitionSpec("d"), jax.sharding.PartitionSpec()

    def product(x, w):
        y = x @ w
        return jax.lax.psum(y, "d") if name == "sum" else y

    step = jax.jit(jax.shard_map(product, mesh=mesh, in_specs=(rows, whole), out_specs=whole if name == "sum" else rows))
    x = jax.device_put(models.numbers((512, 512)), jax.sharding.NamedSharding(mesh, rows))
    w = jax.device_put(models.numbers((512, 512)), jax.sharding.NamedSharding(mesh, whole))

    def run(n):
        for _ in range(n):
            step(x, w).block_until_ready()

    return run


def compiling(count):
    """Compiles a program of a model several times at once."""
    job = models.JOBS["step-mlp-128"]()

    def once(i):
        # A function of another name is another program to every cache.
        def run(*args):
            return job.run(*args)

        run.__name__ = f"run_{i}"
        jax.jit(run, donate_argnums=tuple(job.carry)).lower(*job.args).compile()

    def run(n):
        with concurrent.futures.ThreadPoolExecutor(count) as threads:
            for i in range(n):
                list(threads.map(once, range(i * count, (i + 1) * count)))

    return run


def prepare(name, param):
    if name.startswith("model:"):
        return program(name.removeprefix("model:"))
    if name in ("load", "load-mapped"):
        return load(param)
    if name.startswith("devices-"):
        return devices(name.removeprefix("devices-"), param)
    if name == "compile-together":
        return compiling(param)
    return None


def serve():
    opened = time.perf_counter_ns()
    jax.devices()
    child.serve(prepare, opened - begun, time.perf_counter_ns() - opened)


def start(folder):
    """Does what the example transformer does, with the cache of JAX in JAX_COMPILATION_CACHE_DIR."""
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    config = json.loads((folder / "config.json").read_text())
    sizes = transformer.Sizes(*(config[k] for k in ("n_layer", "n_embd", "n_head", "n_vocab", "n_positions", "chunk")))
    named = {}
    for file in sorted(folder.glob("*.safetensors")):
        named |= safetensors.numpy.load_file(file)
    norm = lambda name: transformer.Norm(named[name + ".weight"], named[name + ".bias"])
    linear = lambda name: transformer.Linear(named[name + ".weight"], named[name + ".bias"])
    block = lambda h: transformer.Block(
        norm(h + "ln_1"), linear(h + "attn.c_attn"), linear(h + "attn.c_proj"),
        norm(h + "ln_2"), linear(h + "mlp.c_fc"), linear(h + "mlp.c_proj"),
    )  # fmt: skip
    blocks = tuple(block(f"h.{i}.") for i in range(sizes.layers))
    model = jax.device_put(transformer.Model(named["wte.weight"], named["wpe.weight"], blocks, norm("ln_f")))
    cache = jax.device_put(jax.tree.map(lambda a: np.zeros(a.shape, a.dtype), jax.eval_shape(lambda: transformer.empty(sizes))))
    step = jax.jit(transformer.forward, donate_argnums=1)
    text = np.frombuffer(b"A quick", np.uint8).astype(np.int32)
    logits, cache = step(model, cache, np.pad(text, (0, sizes.chunk - len(text))), np.int32(0))
    # The other program, as the example has it, while this one runs.
    token = threading.Thread(target=lambda: step.lower(model, cache, np.zeros(1, np.int32), np.int32(0)).compile())
    token.start()
    print(int(np.argmax(np.asarray(logits)[len(text) - 1])), flush=True)
    token.join()


if len(sys.argv) > 2:
    start(pathlib.Path(sys.argv[3]))
else:
    serve()
