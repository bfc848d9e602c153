# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Writes programs of JAX for CPUs, and what JAX computes with them.

    make bin/jax/ready && bin/jax/bin/python extensions/ffi/lapack/testdata/export.py

Each program is NAME.mlir. cases.json has the arguments and the results, as flat lists.
"""

import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import linalg

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)

random = np.random.default_rng(0)


def matrix(*shape):
    return random.normal(size=shape)


def positive(n):
    a = matrix(n, n)
    return a @ a.T + n * np.eye(n)


def symmetric(*shape):
    a = matrix(*shape)
    return a + np.swapaxes(a, -1, -2)


CASES = {
    "cholesky": (jnp.linalg.cholesky, [positive(5)]),
    "cholesky_upper": (lambda a: jnp.linalg.cholesky(a, upper=True), [positive(4)]),
    "cholesky_indefinite": (jnp.linalg.cholesky, [-positive(3)]),
    "svd": (jnp.linalg.svd, [matrix(2, 5, 3)]),
    "svd_thin": (lambda a: jnp.linalg.svd(a, full_matrices=False), [matrix(3, 6)]),
    "svd_values": (lambda a: jnp.linalg.svd(a, compute_uv=False), [matrix(4, 4)]),
    "svd_qr": (
        lambda a: jax.lax.linalg.svd(a, full_matrices=False, algorithm=jax.lax.linalg.SvdAlgorithm.QR),
        [matrix(4, 3)],
    ),
    "eigh": (jnp.linalg.eigh, [symmetric(2, 4, 4)]),
    "eigh_values": (jnp.linalg.eigvalsh, [symmetric(5, 5)]),
    "qr": (jnp.linalg.qr, [matrix(5, 3)]),
    "qr_complete": (lambda a: jnp.linalg.qr(a, mode="complete"), [matrix(2, 4, 2)]),
    "qr_pivoting": (lambda a: linalg.qr(a, pivoting=True), [matrix(4, 3)]),
    "lu": (linalg.lu, [matrix(4, 4)]),
    "lu_wide": (linalg.lu, [matrix(3, 5)]),
    "solve": (jnp.linalg.solve, [matrix(4, 4), matrix(4, 2)]),
    "solve_batch": (jnp.linalg.solve, [matrix(2, 3, 3), matrix(2, 3, 2)]),
    "det": (jnp.linalg.det, [matrix(4, 4)]),
    "inverse": (jnp.linalg.inv, [matrix(3, 3)]),
    "solve_triangular": (lambda a, b: linalg.solve_triangular(a, b, lower=True), [matrix(4, 4) + 3 * np.eye(4), matrix(4, 3)]),
    "solve_triangular_transposed": (
        lambda a, b: linalg.solve_triangular(a, b, trans=1, unit_diagonal=True),
        [matrix(4, 4), matrix(4)],
    ),
    "complex_eigh": (jnp.linalg.eigh, [matrix(3, 3) + 0j]),
}


def numbers(x):
    """NaN is not in JSON."""
    x = np.asarray(x)
    data = [None if np.isnan(v) else v for v in x.astype(np.float64).flatten().tolist()]
    return {"type": str(x.dtype), "dims": list(x.shape), "data": data}


def main():
    here = pathlib.Path(__file__).parent
    cases = {}
    for name, (function, arguments) in CASES.items():
        kinds = ["complex64", "complex128"] if name.startswith("complex") else ["float32", "float64"]
        for kind in kinds:
            given = [np.asarray(a, dtype=kind) for a in arguments]
            lowered = jax.jit(function).lower(*given)
            program = f"{name}_{kind}"
            (here / f"{program}.mlir").write_text(lowered.as_text())
            if kind.startswith("complex"):
                continue
            results = jax.tree.leaves(lowered.compile()(*given))
            cases[program] = {"arguments": [numbers(a) for a in given], "results": [numbers(r) for r in results]}
    with open(here / "cases.json", "w") as f:
        f.write("{\n")
        f.write(",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in cases.items()))
        f.write("\n}\n")


main()
