# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Runs programs with JAX and prints their results as JSON, exact to the bit."""

import json

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

results = {}


def keep(name, *arrays):
    results[name] = [
        [str(a.dtype), list(a.shape), np.ascontiguousarray(a).tobytes().hex()]
        for a in map(np.asarray, arrays)
    ]


devices = jax.devices()
x = np.linspace(-2, 2, 24, dtype=np.float32).reshape(4, 6)

keep("matmul", jax.jit(lambda a: jnp.tanh(a @ a.T))(x))
keep("gradient", jax.grad(lambda a: (jnp.sin(a) ** 2).sum())(x))
keep("loop", jax.lax.fori_loop(0, 10, lambda i, a: a * 0.5 + i, x))
keep("scan", *jax.lax.scan(lambda c, r: (c + r, c * r), jnp.zeros(6), x))
keep("branch", jax.lax.cond(x.sum() > 0, lambda a: a, lambda a: -a, x))
keep("sort", jnp.sort(x, axis=0), jnp.argsort(x[:, ::-1], axis=1))
keep("integers", jnp.cumsum(jnp.arange(100) ** 2 % 17))
keep("half", (x.astype(jnp.bfloat16) * 3).astype(jnp.float16))
keep("complex", jnp.exp(1j * x))
keep("empty", jnp.zeros((0, 3)) + 1)
keep("random", jax.random.normal(jax.random.key(7), (33,)))
keep(
    "convolution",
    jax.lax.conv(x.reshape(1, 1, 4, 6), np.ones((2, 1, 3, 3), np.float32), (1, 1), "SAME"),
)

# An argument that the program may reuse for its result.
donated = jax.device_put(x + 1)
keep("donation", jax.jit(lambda a: a * 2, donate_argnums=0)(donated))

# All devices, one after the other and together.
for i, device in enumerate(devices):
    keep(f"device {i}", jax.device_put(x, device) + i)
mesh = Mesh(np.array(devices), ("d",))
split = jax.device_put(x, NamedSharding(mesh, PartitionSpec("d")))
keep("sharded", jax.jit(lambda a: a / jnp.linalg.norm(a))(split))
keep("gathered", jax.jit(lambda a: a.sum(0))(split))

# Work that is still under way when the next begins.
y = jnp.ones((128, 128))
for _ in range(20):
    y = jnp.dot(y, y) / 128
keep("chain", y)

# A saved and reloaded program.
compiled = jax.jit(lambda a: jnp.cos(a) + 1).lower(x).compile()
keep("ahead of time", compiled(x))
results["cost"] = sorted((compiled.cost_analysis() or {}).keys())

# Errors are part of what a client sees.
try:
    jax.jit(lambda a: a, device=devices[0]).lower(x).compile({"no_such_option": 1})
except Exception as e:
    results["error"] = type(e).__name__

print(json.dumps({"platform": devices[0].platform, "devices": len(devices), "results": results}))
