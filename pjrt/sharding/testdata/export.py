# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Writes the programs of this directory: pip install jax==0.8.1, python export.py.

Each folder has a program for a mesh of 2 x 2 devices with its arguments and with the
results that JAX computed on four devices. PARTITIONER.mlir is what JAX lowered it to with
Shardy or GSPMD, PARTITIONER.mlirbc the same as bytecode, and PARTITIONER-export.mlirbc what
jax.export made of it.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
os.chdir(os.path.dirname(os.path.abspath(__file__)))

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax._src import source_info_util
from jax._src.interpreters import mlir
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

source_info_util.register_exclusion(__file__)  # its path would be in the programs

mesh = jax.make_mesh((2, 2), ("x", "y"), axis_types=(AxisType.Auto, AxisType.Auto))


def over(*axes):
    return NamedSharding(mesh, P(*axes))


def layer(a, w):
    y = jnp.tanh(a @ w)
    return y, y.sum(), y.T


def body(a):
    return jax.lax.psum(a.sum(0), "x") * 2


def difference(a, b):
    return a[::-1] - b, jax.lax.with_sharding_constraint(a * b, over(None, ("x", "y")))


A = np.arange(32, dtype=np.float32).reshape(8, 4) / 32
W = np.arange(24, dtype=np.float32).reshape(4, 6) / 10 - 1

# What to lower, the arguments, and their shardings. In "manual" no argument has one: the program states it inside.
PROGRAMS = {
    "layer": (
        lambda: jax.jit(layer, in_shardings=(over("x", None), over(None, "y")), out_shardings=(over("x", "y"), over(), over("x", "y"))),
        (A, W),
        (over("x", None), over(None, "y")),
    ),
    "manual": (
        lambda: jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("x", "y"), out_specs=P("y"))),
        (A,),
        (over("x", "y"),),
    ),
    "order": (
        lambda: jax.jit(difference, in_shardings=(over(("y", "x")), over("y", "x"))),
        (A, A * A),
        (over(("y", "x")), over("y", "x")),
    ),
}


def write(name, data):
    with open(name, "wb") as f:
        f.write(data)


for name, (program, arguments, shardings) in PROGRAMS.items():
    os.makedirs(name, exist_ok=True)
    for partitioner in "gspmd", "shardy":
        jax.config.update("jax_use_shardy_partitioner", partitioner == "shardy")
        jax.clear_caches()
        f = program()
        placed = [jax.device_put(a, s) for a, s in zip(arguments, shardings)]
        module = f.lower(*placed).compiler_ir()
        write(f"{name}/{partitioner}.mlir", str(module).encode())
        write(f"{name}/{partitioner}.mlirbc", mlir.module_to_bytecode(module))
        write(f"{name}/{partitioner}-export.mlirbc", export.export(f)(*placed).mlir_module_serialized)
        results = jax.tree.leaves(f(*placed))
    for i, a in enumerate(arguments):
        np.save(f"{name}/arg{i}.npy", a)
    for i, r in enumerate(results):
        np.save(f"{name}/out{i}.npy", np.asarray(r))
