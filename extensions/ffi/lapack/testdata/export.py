# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Writes programs of JAX for CPUs, and what JAX computes with them.

    python extensions/ffi/lapack/testdata/export.py [NAME...]

Needs JAX 0.10 or later. Each program is NAME_TYPE.mlir. cases.json has the arguments and the
results, as flat lists, in which a complex number is two elements; the cases of other names than
those given stay as they are. Factorizations that are not unique are turned into what is: products,
and eigenvalues in an order of ours.
"""

import json
import pathlib
import sys

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


def mixed(*shape):
    """Complex numbers, or their real parts where a case is real."""
    return random.normal(size=shape) + 1j * random.normal(size=shape)


def hermitian(n):
    a = mixed(n, n)
    return a + a.conj().T


def definite(n):
    a = mixed(n, n)
    return a @ a.conj().T + n * np.eye(n)


def h(x):
    return jnp.conj(jnp.swapaxes(x, -1, -2))


def ordered(w):
    return jnp.take_along_axis(w, jnp.argsort(w.real + 0.37 * w.imag, axis=-1), axis=-1)


def eig(a):
    w, v = jnp.linalg.eig(a)
    return ordered(w), a @ v - v * w[..., None, :], jnp.linalg.norm(v, axis=-2)


def eig_left(a):
    w, v = jax.lax.linalg.eig(a, compute_left_eigenvectors=True, compute_right_eigenvectors=False)
    return ordered(w), h(v) @ a - w[..., :, None] * h(v), jnp.linalg.norm(v, axis=-2)


def schur(output):
    def run(a):
        t, z = linalg.schur(a, output=output)
        lower = jnp.tril(t, -1 if output == "complex" else -2)
        return z @ t @ h(z), h(z) @ z, lower, ordered(jnp.linalg.eigvals(t))

    return run


def svd(full):
    def run(a):
        u, s, vh = jnp.linalg.svd(a, full_matrices=full)
        k = s.shape[-1]
        return s, (u[..., :, :k] * s[..., None, :]) @ vh[..., :k, :], h(u) @ u, vh @ h(vh)

    return run


def eigh(a):
    w, v = jnp.linalg.eigh(a)
    return w, (v * w[..., None, :]) @ h(v), h(v) @ v


def ormqr(left, transpose):
    def run(a, c):
        reflectors, taus = jax.lax.linalg.geqrf(a) if hasattr(jax.lax.linalg, "geqrf") else jnp.linalg.qr(a, mode="raw")
        if not hasattr(jax.lax.linalg, "geqrf"):
            reflectors = jnp.swapaxes(reflectors, -1, -2)
        return jax.lax.linalg.ormqr(reflectors, taus, c, left=left, transpose=transpose)

    return run


def perturbed(dl, d, du, b):
    return jax.lax.linalg.tridiagonal_solve(dl, d, du, b, perturb_singular=True)


def null_vector(dl, d, du, b):
    x = perturbed(dl, d, du, b)
    return jnp.abs(x) / jnp.linalg.norm(x)


# Names begin with the types of the case.
MORE = {
    "all_eig": (eig, [mixed(2, 5, 5)]),
    "all_eigvals_unbalanced": (
        lambda a: ordered(jnp.linalg.eigvals(a)),
        [mixed(4, 4) * 2.0 ** np.array([-10, 0, 5, 12])[:, None] / 2.0 ** np.array([-10, 0, 5, 12])],
    ),
    "all_eig_defective": (lambda a: jnp.linalg.eigvals(a), [np.triu(np.ones((3, 3)) + 0j) * [1, 2, 3]]),
    "all_eig_left": (eig_left, [mixed(4, 4)]),
    "all_eigvals": (lambda a: ordered(jnp.linalg.eigvals(a)), [mixed(6, 6)]),
    "all_schur": (schur("real"), [mixed(5, 5)]),
    "all_schur_complex": (schur("complex"), [mixed(2, 4, 4)]),
    "all_hessenberg": (lambda a: linalg.hessenberg(a, calc_q=True), [mixed(5, 5)]),
    "all_tridiagonal": (lambda a: jax.lax.linalg.tridiagonal(a)[1:4], [hermitian(5)]),
    "all_tridiagonal_upper": (lambda a: jax.lax.linalg.tridiagonal(a, lower=False), [hermitian(4)]),
    "all_tridiagonal_solve": (jax.lax.linalg.tridiagonal_solve, [mixed(2, 5), mixed(2, 5), mixed(2, 5), mixed(2, 5, 3)]),
    "all_tridiagonal_singular": (
        jax.lax.linalg.tridiagonal_solve,
        [np.zeros(3) + 0j, np.array([1, 0, 1]) + 0j, np.zeros(3) + 0j, np.ones((3, 1)) + 0j],
    ),
    "complex_svd": (svd(True), [mixed(2, 5, 3)]),
    "complex_svd_wide": (svd(True), [mixed(3, 5)]),
    "complex_svd_thin": (svd(False), [mixed(3, 6)]),
    "complex_svd_tall": (svd(False), [mixed(6, 2)]),
    "complex_svd_rank": (svd(False), [np.outer(mixed(4), mixed(3))]),
    "complex_svd_values": (lambda a: jnp.linalg.svd(a, compute_uv=False), [mixed(4, 4)]),
    "complex_eigh": (eigh, [hermitian(5)]),
    "complex_eigh_upper": (lambda a: jnp.linalg.eigh(a, UPLO="U", symmetrize_input=False)[0], [hermitian(4)]),
    "complex_eigh_values": (jnp.linalg.eigvalsh, [hermitian(5)]),
    "complex_qr": (jnp.linalg.qr, [mixed(5, 3)]),
    "complex_qr_complete": (lambda a: jnp.linalg.qr(a, mode="complete"), [mixed(2, 4, 2)]),
    "complex_qr_pivoting": (lambda a: linalg.qr(a, pivoting=True), [mixed(4, 3)]),
    "all_ormqr": (ormqr(True, False), [mixed(4, 3), mixed(4, 2)]),
    "all_ormqr_adjoint": (ormqr(True, True), [mixed(4, 3), mixed(4, 2)]),
    "all_ormqr_right": (ormqr(False, False), [mixed(4, 3), mixed(2, 4)]),
    "all_ormqr_right_adjoint": (ormqr(False, True), [mixed(4, 3), mixed(2, 4)]),
    "complex_cholesky": (jnp.linalg.cholesky, [definite(5)]),
    "complex_cholesky_upper": (lambda a: jnp.linalg.cholesky(a, upper=True), [definite(4)]),
    "complex_cholesky_indefinite": (jnp.linalg.cholesky, [-definite(3)]),
    "complex_lu": (linalg.lu, [mixed(4, 4)]),
    "complex_lu_wide": (linalg.lu, [mixed(3, 5)]),
    "complex_solve": (jnp.linalg.solve, [mixed(2, 3, 3), mixed(2, 3, 2)]),
    "complex_det": (jnp.linalg.det, [mixed(4, 4)]),
    "complex_inverse": (jnp.linalg.inv, [mixed(3, 3)]),
    "complex_triangular": (lambda a, b: linalg.solve_triangular(a, b, lower=True), [mixed(4, 4) + 3 * np.eye(4), mixed(4, 3)]),
    "complex_triangular_transposed": (lambda a, b: linalg.solve_triangular(a, b, trans=1), [mixed(4, 4) + 3 * np.eye(4), mixed(4, 2)]),
    "complex_triangular_adjoint": (lambda a, b: linalg.solve_triangular(a, b, trans=2), [mixed(4, 4) + 3 * np.eye(4), mixed(4, 2)]),
    "complex_triangular_right": (
        lambda a, b: jax.lax.linalg.triangular_solve(a, b, left_side=False, conjugate_a=True, transpose_a=True),
        [mixed(3, 3) + 3 * np.eye(3), mixed(2, 3)],
    ),
    "complex_sqrtm": (linalg.sqrtm, [definite(3)]),
    "all_perturbed": (perturbed, [mixed(5), mixed(5), mixed(5), mixed(5, 2)]),
    "all_perturbed_singular": (null_vector, [np.array([0, -1, -1]) + 0j, np.array([1, 2, 1]) + 0j, np.array([-1, -1, 0]) + 0j, mixed(3, 1)]),
}

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
}


def numbers(x):
    """NaN is not in JSON."""
    x = np.asarray(x)
    if np.iscomplexobj(x):
        flat = np.ascontiguousarray(x.astype(np.complex128)).reshape(-1).view(np.float64)
    else:
        flat = x.astype(np.float64).reshape(-1)
    data = [None if np.isnan(v) else v for v in flat.tolist()]
    return {"type": str(x.dtype), "dims": list(x.shape), "data": data}


def kinds_of(name):
    real, complex_ = ["float32", "float64"], ["complex64", "complex128"]
    if name.startswith("all"):
        return real + complex_
    return complex_ if name.startswith("complex") else real


def main():
    here = pathlib.Path(__file__).parent
    names = sys.argv[1:]
    cases = json.loads((here / "cases.json").read_text()) if names else {}
    for name, (function, arguments) in (CASES | MORE).items():
        if names and name not in names:
            continue
        for kind in kinds_of(name):
            given = [np.asarray(a if "complex" in kind else np.real(a), dtype=kind) for a in arguments]
            lowered = jax.jit(function).lower(*given)
            program = f"{name}_{kind}"
            (here / f"{program}.mlir").write_text(lowered.as_text())
            results = jax.tree.leaves(lowered.compile()(*given))
            cases[program] = {"arguments": [numbers(a) for a in given], "results": [numbers(r) for r in results]}
    with open(here / "cases.json", "w") as f:
        f.write("{\n")
        f.write(",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(cases.items())))
        f.write("\n}\n")


main()
