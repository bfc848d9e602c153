# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Control flow, sorting, indexing, reductions, transforms, random numbers, and the shapes of calls."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from cases_models import normal
from export import EXACT, LONG, MATH, SUMS, case


@case(
    "while loop until convergence: Newton's square root of each element and the number of steps",
    lambda r: [r.uniform(0.1, 90, 7).astype(np.float32)],
    [MATH, EXACT],
)
def while_newton(a):
    def going(s):
        x, n = s
        return jnp.logical_and(n < 50, jnp.any(jnp.abs(x * x - a) > 1e-3 * a))

    return lax.while_loop(going, lambda s: (0.5 * (s[0] + a / s[0]), s[1] + 1), (a, jnp.int32(0)))


@case("loop whose count is an argument: Fibonacci numbers as ui64", lambda r: [np.int32(90)], x64=True)
def loop_dynamic_count(n):
    return lax.fori_loop(0, n, lambda i, s: (s[1], s[0] + s[1]), (jnp.uint64(0), jnp.uint64(1)))


@case("nested while and cond: Collatz steps of each argument element", lambda r: [np.arange(1, 40, dtype=np.int32)])
def collatz(xs):
    def steps(x):
        half_or_grow = lambda x: lax.cond(x % 2 == 0, lambda x: x // 2, lambda x: 3 * x + 1, x)
        return lax.while_loop(lambda s: s[0] > 1, lambda s: (half_or_grow(s[0]), s[1] + 1), (x, jnp.int32(0)))[1]

    return lax.map(steps, xs)


@case(
    "cond on a bool, switch with four branches and a clamped index",
    lambda r: [np.bool_(True), np.int32(2), np.int32(-7), np.int32(99), r.standard_normal(6).astype(np.float32)],
    MATH,
)
def cond_switch(p, i, low, high, x):
    branches = [lambda x: x + 1, lambda x: x * 2, jnp.exp, lambda x: -x]
    pick = lambda i: lax.switch(i, branches, x)
    return lax.cond(p, jnp.sin, jnp.cos, x), pick(i), pick(low), pick(high)


@case(
    "scan over several inputs with stacked outputs of other types",
    lambda r: [r.standard_normal((8, 3)).astype(np.float32), r.integers(0, 9, 8, np.int32)],
    [SUMS, EXACT, SUMS, EXACT],
)
def scan_stacked(xs, ns):
    def step(c, xn):
        (total, count), (x, n) = c, xn
        return (total + x, count + n), (total * n, n > 4)

    return lax.scan(step, (jnp.zeros(3, jnp.float32), jnp.int32(0)), (xs, ns))


@case("associative scan of 2x2 integer matrices", lambda r: [r.integers(-2, 3, (11, 2, 2), np.int32)])
def associative_scan(m):
    return lax.associative_scan(lambda a, b: jnp.einsum("...ij,...jk->...ik", a, b), m)


@case(
    "Mandelbrot iteration counts: complex arithmetic in a loop",
    lambda r: [np.linspace(-2, 0.7, 24, dtype=np.float32), np.linspace(-1.2, 1.2, 16, dtype=np.float32)],
)
def mandelbrot(re, im):
    c = lax.complex(*jnp.broadcast_arrays(re[None, :], im[:, None]))

    def step(_, s):
        z, n = s
        alive = jnp.real(z) ** 2 + jnp.imag(z) ** 2 <= 4
        return jnp.where(alive, z * z + c, z), n + alive.astype(jnp.int32)

    return lax.fori_loop(0, 20, step, (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)))[1]


@case(
    "sort along each axis, with NaN, infinities and both zeros",
    lambda r: [
        np.where(
            r.uniform(size=(5, 9)) < 0.4,
            r.choice(np.float32([np.nan, np.inf, -np.inf, 0.0, -0.0]), (5, 9)),
            r.standard_normal((5, 9)),
        ).astype(np.float32)
    ],
)
def sort_floats(x):
    return jnp.sort(x, axis=0), jnp.sort(x, axis=1)


@case(
    "one sort of three operands by two keys",
    lambda r: [
        r.integers(0, 4, 30, np.int32),
        r.integers(0, 3, 30, np.uint8),
        r.standard_normal(30).astype(np.float32),
    ],
)
def sort_multi(a, b, c):
    return lax.sort((a, b, c), num_keys=2, is_stable=True)


@case("stable argsort up and down, rank of each element, searchsorted", lambda r: [r.integers(0, 6, (3, 12), np.int16)])
def argsort(x):
    order = jnp.argsort(x, axis=1, stable=True)
    return (
        order,
        jnp.argsort(x, axis=1, stable=True, descending=True),
        jnp.argsort(order, axis=1),
        jnp.searchsorted(jnp.sort(x[0]), x[1]),
    )


@case(
    "top_k of floats and of integers with ties",
    lambda r: [r.standard_normal((3, 20)).astype(np.float32), r.integers(0, 5, 15, np.int32)],
)
def top_k(x, n):
    return lax.top_k(x, 5), lax.top_k(n, 4)


@case(
    "median, quantile and unique with a fixed size",
    lambda r: [r.standard_normal((4, 11)).astype(np.float32), r.integers(0, 8, 20, np.int32)],
    [EXACT, SUMS, EXACT, EXACT],
)
def order_statistics(x, n):
    return (
        jnp.median(x, axis=1),
        jnp.quantile(x, 0.3, axis=0),
        *jnp.unique(n, size=10, fill_value=-1, return_counts=True),
    )


@case(
    "gather: rows, points, windows, and out-of-range indices clamped, filled and wrapped",
    lambda r: [
        r.standard_normal((6, 5)).astype(np.float32),
        np.int32([0, 5, -1, 7, 3]),
        r.integers(0, 5, (4, 2), np.int32),
    ],
)
def gather_modes(x, i, ij):
    return (
        x[ij[:, 0], ij[:, 1]],
        jnp.take(x, i, axis=0, mode="clip"),
        jnp.take(x, i, axis=0, mode="fill", fill_value=-9),
        jnp.take(x, i, axis=1, mode="wrap"),
        jnp.take_along_axis(x, jnp.argsort(x, axis=1), axis=1),
        jax.vmap(lambda s: lax.dynamic_slice(x, (s[0], s[1]), (2, 3)))(ij),
    )


@case(
    "scatter: set, add, multiply, min, max; repeated and out-of-range indices",
    lambda r: [r.integers(-50, 50, (6, 4), np.int32), np.int32([1, 4, 1, 9, 0]), r.integers(-5, 9, (5, 4), np.int32)],
)
def scatter_ops(x, i, u):
    at = x.at[i]
    unique = x.at[jnp.array([5, 2, 0])].set(u[:3], unique_indices=True)
    return unique, at.add(u), at.multiply(u), at.min(u), at.max(u), x.at[i, i % 4].add(u[:, 0], mode="drop")


@case(
    "segment sum, histogram and one-hot: scatter-add of floats",
    lambda r: [r.standard_normal((12, 3)).astype(np.float32), r.integers(0, 5, 12, np.int32)],
    [SUMS, EXACT, EXACT],
)
def segment_sum(x, seg):
    return jax.ops.segment_sum(x, seg, 5), jnp.bincount(seg, length=6), jax.nn.one_hot(seg, 5)


@case(
    "dynamic_slice and dynamic_update_slice, start indices clamped at both ends",
    lambda r: [r.integers(0, 99, (6, 7), np.int32), np.int32(-3), np.int32(100), np.ones((2, 3), np.int32)],
)
def dynamic_slices(x, low, high, u):
    return (
        lax.dynamic_slice(x, (low, high), (3, 2)),
        lax.dynamic_slice(x, (jnp.int32(2), jnp.int32(1)), (2, 4)),
        lax.dynamic_update_slice(x, u, (high, low)),
        lax.dynamic_update_slice(x, u, (jnp.int32(1), jnp.int32(2))),
    )


@case(
    "cumulative sum, product, maximum and log-sum-exp, forward and reverse",
    lambda r: [r.standard_normal((5, 8)).astype(np.float32), r.integers(-9, 9, 10, np.int32)],
    [SUMS, SUMS, EXACT, SUMS, EXACT],
)
def cumulative(x, n):
    return (
        jnp.cumsum(x, 0),
        jnp.cumprod(x, 1),
        lax.cummax(x, 1, reverse=True),
        lax.cumlogsumexp(x, 1),
        lax.cumsum(n, 0, reverse=True),
    )


@case(
    "sums, products, extremes, any, all, argmax and argmin with ties and NaN",
    lambda r: [
        r.standard_normal((4, 5, 6)).astype(np.float32),
        np.int32([[3, 7, 7, 1], [-2, -2, 5, 5]]),
        np.float32([1, np.nan, 3, np.nan]),
    ],
    [SUMS, SUMS, SUMS] + [EXACT] * 9,
)
def reductions(x, n, f):
    return (
        x.sum((0, 2)), jnp.prod(x, 1), jnp.var(x), x.max(1), x.min(), n.sum(0), n.prod(),
        (n > 4).any(1), (n > -3).all(), n.argmax(1), n.argmin(1), jnp.stack([f.argmax(), f.argmin()]),
    )  # fmt: skip


@case(
    "one reduction of two operands at once with a body of its own: norm and where it is largest",
    lambda r: [r.standard_normal((6, 7)).astype(np.float32)],
)
def reduce_variadic(x):
    def pick(a, b):
        keep = jnp.abs(a[0]) >= jnp.abs(b[0])
        return jnp.where(keep, a[0], b[0]), jnp.where(keep, a[1], b[1])

    i = lax.broadcasted_iota(jnp.int32, x.shape, 1)
    return lax.reduce((x, i), (np.float32(0), np.int32(-1)), pick, (1,))


@case(
    "transpose, reverse, slice with stride, pad (interior and negative), concatenate, iota",
    lambda r: [r.integers(0, 99, (3, 4, 5), np.int32), r.integers(0, 99, (3, 2, 5), np.int32)],
)
def shapes(x, y):
    return (
        x.transpose(2, 0, 1), lax.rev(x, (0, 2)), x[::2, 3:0:-2, 1:], lax.pad(x, np.int32(-1), ((1, 0, 2), (-1, 1, 0), (0, -2, 1))),
        jnp.concatenate([x, y, x], 1), x.reshape(5, 12), lax.broadcasted_iota(jnp.int32, (2, 3), 1), jnp.roll(x, 2, 1), jnp.tile(y, (1, 2, 1)),
    )  # fmt: skip


@case("rank-7 arrays transposed and summed", lambda r: [r.integers(0, 99, (2, 1, 3, 2, 2, 1, 4), np.int32)])
def high_rank(x):
    return x.transpose(6, 0, 5, 1, 4, 2, 3), x.sum((0, 2, 4))


@case(
    "select, clamp with array and scalar bounds, minimum and maximum",
    lambda r: [
        r.standard_normal(12).astype(np.float32),
        np.float32([-np.inf, 1, -1, 0, -0.0, np.inf] * 2),
        r.uniform(size=12) < 0.5,
    ],
)
def select_clamp(x, y, p):
    return (
        jnp.where(p, x, y),
        lax.clamp(np.float32(-0.5), x, np.float32(0.5)),
        lax.clamp(-jnp.abs(x), jnp.flip(x), jnp.abs(x)),
        jnp.maximum(x, y),
        jnp.minimum(x, y),
    )


@case(
    "complex Fourier transform and back, length not a power of two",
    lambda r: [(r.standard_normal((3, 15)) + 1j * r.standard_normal((3, 15))).astype(np.complex64)],
    SUMS,
)
def fft_c64(x):
    return jnp.fft.fft(x), jnp.fft.ifft(x)


@case("real Fourier transforms, even and odd lengths, and back", normal((2, 16), (9,)), SUMS)
def rfft_irfft(x, y):
    return jnp.fft.rfft(x), jnp.fft.rfft(y), jnp.fft.irfft(jnp.fft.rfft(x)), jnp.fft.irfft(jnp.fft.rfft(y), n=9)


@case(
    "two-dimensional Fourier transform in double precision",
    lambda r: [r.standard_normal((6, 8)) + 1j * r.standard_normal((6, 8))],
    SUMS,
    x64=True,
)
def fft2_c128(x):
    return jnp.fft.fft2(x), jnp.fft.fft2(x.real)


@case(
    "threefry: split keys, raw bits of 8 to 64 bits, uniform, integers, permutation",
    lambda r: [np.uint32([0, 42])],
    [EXACT] * 8,
    x64=True,
)
def random_threefry(key):
    k = jax.random.split(key, 3)
    return (
        k, jax.random.bits(k[0], (5,), "uint8"), jax.random.bits(k[0], (5,), "uint32"), jax.random.bits(k[0], (5,), "uint64"),
        jax.random.uniform(k[1], (6,), jnp.float32), jax.random.randint(k[2], (7,), -10, 10, jnp.int32), jax.random.permutation(k[2], 9), jax.random.bernoulli(k[1], 0.3, (8,)),
    )  # fmt: skip


@case("normal, gumbel, categorical and gamma samples from a fixed seed, no arguments", tol=[MATH, MATH, EXACT, LONG])
def random_distributions():
    k = jax.random.split(jax.random.PRNGKey(7), 4)
    return (
        jax.random.normal(k[0], (9,)),
        jax.random.gumbel(k[1], (5,)),
        jax.random.categorical(k[2], jnp.arange(6.0), shape=(8,)),
        jax.random.gamma(k[3], 2.5, (4,)),
    )


@case(
    "the rng_bit_generator operation, three_fry and philox, and the states they return",
    lambda r: [np.uint32([1, 2, 3, 4])],
    x64=True,
)
def random_bit_generator(key):
    tf, ph = lax.RandomAlgorithm.RNG_THREE_FRY, lax.RandomAlgorithm.RNG_PHILOX
    return lax.rng_bit_generator(key, (7,), np.uint32, algorithm=tf), lax.rng_bit_generator(
        key, (3, 2), np.uint64, algorithm=ph
    )


@case("a program without arguments", tol=MATH)
def no_arguments():
    return jnp.sin(jnp.arange(5, dtype=jnp.float32)), jnp.eye(3, dtype=jnp.int32)


@case("a program without results", normal((3,)))
def no_outputs(x):
    return ()


@case(
    "results that are the arguments: swapped, and one returned twice",
    lambda r: [r.standard_normal((2, 3)).astype(np.float32), r.integers(0, 9, 4, np.int64)],
    x64=True,
)
def identity(a, b):
    return b, a, b


@case("arguments the program does not use", normal((2, 2), (5,), (3,)))
def unused_arguments(a, b, c):
    return b + 1


@case("an argument marked as donated: its buffer becomes the result", normal((4, 4), (4, 4)), donate=(0,))
def donated_argument(x, u):
    return x + u


@case(
    "rank 0 everywhere: f32, i32, bool, complex",
    lambda r: [np.float32(2.5), np.int32(-7), np.bool_(False), np.complex64(1 + 2j)],
)
def scalars(f, i, b, c):
    return f * f, i - 1, ~b, c * 2, f > i


@case("nested tuples, dictionaries and lists flattened into ten results of different types", normal((3, 2)))
def nested_outputs(x):
    n = x.shape[0]
    return (
        {"b": (x, [x[0], x[0, 0]]), "a": {"t": x.T, "i": jnp.arange(n)}, "c": (x > 0, (), [x * 2, None, -x])},
        x.astype(jnp.int8),
        jnp.abs(x),
    )


@case("sixteen arguments and sixteen results", lambda r: [np.float32([i, -i]) for i in range(16)])
def many_arguments(*xs):
    return [x * 2 + y for x, y in zip(xs, xs[1:] + xs[:1])]


@case(
    "arrays with a dimension of size 0: sums of nothing, concatenation, products",
    lambda r: [
        np.zeros((0, 3), np.float32),
        np.ones((2, 0), np.int32),
        np.ones((4, 3), np.float32),
        np.zeros(0, np.bool_),
    ],
)
def empty_arrays(a, b, c, d):
    return a + 1, a.sum(0), b.sum(1), jnp.concatenate([a, c]), c @ a.T, a.T @ a, d.all(), jnp.sort(b, 1), b.T


@case("a constant of 1500 numbers in the text, and one splat", normal((50,)), SUMS)
def large_constant(x):
    table = np.round(np.random.default_rng(1).standard_normal((30, 50)), 3).astype(np.float32)
    return jnp.asarray(table) @ x + jnp.full(30, 0.25, jnp.float32)


@case("constants of many types: NaN, infinities, subnormals, extreme integers, bool, complex, bf16", x64=True)
def constants():
    f = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45, 3.4028235e38], np.float32)
    return [jnp.asarray(a) for a in (
        f, np.array([-(2**63), 2**63 - 1]), np.array([2**64 - 1, 0], np.uint64), np.array([True, False, True]),
        np.array([1 + 2j, complex(np.inf, -0.0)]), np.array([0.1, -3e38], jnp.bfloat16), np.array([5e-324, np.pi]),
    )]  # fmt: skip


@case("optimization_barrier and reduce_precision", normal((10,)))
def barrier(x):
    y, z = lax.optimization_barrier((x + 1, x))
    return y - 1, z, lax.reduce_precision(x, 5, 10), lax.reduce_precision(x * 1e6, 5, 2)
