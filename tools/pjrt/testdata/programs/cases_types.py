# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Element types, conversions, bits, special values, and the ways a NumPy file can hold an argument."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from export import EXACT, MATH, NUMPY, QUOTIENT, SUMS, Arg, Tol, case

# No subnormal numbers, nor numbers with a subnormal reciprocal: XLA flushes them to zero on some CPUs only.
SPECIAL = np.float32([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1.5e-38, -1e37, 1e37, 0.5, 2.5])


def codes(dtype, bits=8):
    """Every value of a type of up to 8 bits."""
    return np.arange(2**bits, dtype=np.uint8).view(NUMPY[dtype])


@case(
    "exp, log, trigonometric and hyperbolic functions, roots and powers, f32",
    lambda r: [np.concatenate([r.uniform(0.01, 5, 20).astype(np.float32), np.float32([1e-6, 40])])],
    MATH,
)
def math_f32(x):
    return [
        f(x)
        for f in (
            jnp.exp,
            jnp.expm1,
            jnp.log,
            jnp.log1p,
            jnp.sin,
            jnp.cos,
            jnp.tan,
            jnp.tanh,
            jnp.sinh,
            jnp.arctan,
            jnp.sqrt,
            lax.rsqrt,
            jnp.cbrt,
            jax.nn.sigmoid,
        )
    ] + [x**1.7, jnp.arctan2(x, -x[::-1])]


@case("the same kind of functions in f64", lambda r: [r.uniform(0.01, 5, 20), r.uniform(-1, 1, 20)], Tol(10), x64=True)
def math_f64(x, y):
    return (
        jnp.exp(x),
        jnp.log(x),
        jnp.sin(x),
        jnp.tanh(x),
        x**y,
        jnp.arcsin(y),
        jnp.arctan2(y, x),
        jnp.cbrt(y),
        jnp.sqrt(x),
    )


@case(
    "erf and its inverse, lgamma, digamma, Bessel i0e, zeta, normal distribution",
    lambda r: [r.uniform(0.2, 6, 15).astype(np.float32), r.uniform(-0.95, 0.95, 15).astype(np.float32)],
    Tol(5, sums=True),
)
def math_special(x, y):
    s = jax.scipy.special
    return s.erf(y), s.erfinv(y), s.erfc(x), s.gammaln(x), s.digamma(x), s.i0e(x), s.zeta(x + 1.5, x), s.ndtr(y)


@case(
    "floor, ceil, both kinds of rounding, truncation, sign, remainders with every sign",
    lambda r: [
        np.float32([-2.5, -1.5, -0.5, -0.0, 0.0, 0.5, 1.5, 2.5, 3.7, -3.7, 8388609.0, np.inf, np.nan]),
        np.float32([2, -2, 0.7, 1, -1, 0.3, -0.4, 2, -1.1, 1.1, 2, 3, 4]),
    ],
)
def rounding(x, y):
    away = lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO)
    return (
        jnp.floor(x),
        jnp.ceil(x),
        jnp.round(x),
        away,
        jnp.trunc(x),
        jnp.sign(x),
        lax.rem(x, y),
        jnp.mod(x, y),
        lax.nextafter(x, y),
    )


# Neither minimum nor maximum: whether they pass NaN on is a compiler flag, which JAX sets.
@case(
    "NaN, infinities and negative zero through arithmetic, comparisons, square root",
    lambda r: [SPECIAL, SPECIAL[[1, 8, 2, 3, 4, 4, 6, 0, 10, 9, 6, 5]]],
    [EXACT] * 2 + [QUOTIENT] * 2 + [EXACT] * 7 + [QUOTIENT],
)
def special_values(x, y):
    return (
        x + y,
        x * y,
        x / y,
        1 / x,
        -x,
        jnp.abs(x),
        x == y,
        x != x,
        x < y,
        jnp.isfinite(x),
        jnp.copysign(jnp.float32(1), x),
        lax.sqrt(x),
    )


@case(
    "total order: sorting and comparing the bits of special values",
    lambda r: [np.concatenate([SPECIAL, -SPECIAL, np.float32([1e-45, -1e-40])])],
)
def special_bits(x):
    b = lax.bitcast_convert_type(x, jnp.int32)
    return b, jnp.sort(b), lax.bitcast_convert_type(b ^ np.int32(-(2**31)), jnp.float32)


@case(
    "integer division and remainder of every sign, by zero too, smallest over -1",
    lambda r: [
        np.int32([7, -7, 7, -7, 0, 5, -5, -(2**31), -(2**31), 2**31 - 1]),
        np.int32([2, 2, -2, -2, 3, 0, 0, -1, 1, -1]),
        np.uint8([0, 1, 255, 254]),
        np.uint8([0, 0, 2, 255]),
    ],
)
def integer_division(a, b, c, d):
    return lax.div(a, b), lax.rem(a, b), lax.div(c, d), lax.rem(c, d), a[:5] // b[:5], a[:5] % b[:5]


@case(
    "shifts left, arithmetic and logical right, by amounts beyond the width",
    lambda r: [
        np.int32([1, -1, 12345, -12345, 2**31 - 1, -(2**31), 7, -7]),
        np.int32([0, 1, 5, 31, 30, 31, 32, 40]),
        np.uint8([255, 1, 129, 7]),
        np.uint8([1, 7, 4, 9]),
    ],
)
def integer_shifts(a, s, b, t):
    ops = lax.shift_left, lax.shift_right_arithmetic, lax.shift_right_logical
    return [f(a, s) for f in ops] + [f(b, t) for f in ops]


@case(
    "and, or, xor, not, population count, leading zeros, power",
    lambda r: [
        r.integers(-(2**31), 2**31, 9, np.int32),
        r.integers(-(2**31), 2**31, 9, np.int32),
        r.integers(0, 2**64, 6, np.uint64),
        np.int8([0, 1, -1, -128, 127]),
    ],
    x64=True,
)
def integer_bits(a, b, c, d):
    return (
        a & b,
        a | b,
        a ^ b,
        ~a,
        lax.population_count(c),
        lax.clz(c),
        lax.clz(d),
        lax.population_count(d),
        lax.integer_pow(a, 3),
    )


@case(
    "bitcast between types of equal and of different width",
    lambda r: [r.standard_normal((3, 2)).astype(np.float32), r.integers(0, 256, (2, 8), np.uint8)],
    x64=True,
)
def bitcasts(x, b):
    to = lax.bitcast_convert_type
    return (
        to(x, jnp.uint32),
        to(x, jnp.int16),
        to(x, jnp.uint64),
        to(b, jnp.uint64),
        to(b.reshape(2, 2, 4), jnp.int32),
        to(x, jnp.float64),
    )


@case(
    "8-bit and 16-bit integers that wrap around",
    lambda r: [
        r.integers(-128, 128, 12, np.int8),
        r.integers(0, 256, 12, np.uint8),
        r.integers(-(2**15), 2**15, 12, np.int16),
        r.integers(0, 2**16, 12, np.uint16),
    ],
)
def small_integers(a, b, c, d):
    return a + a, a * a, -a, jnp.abs(a), b - np.uint8(200), b * b, c * c, c.sum(), d + d, d.max(), b.astype(jnp.int8)


@case(
    "64-bit integers beyond 32 bits and beyond 2^53",
    lambda r: [r.integers(-(2**63), 2**63 - 1, 8, np.int64), r.integers(0, 2**64, 8, np.uint64), np.int64(3)],
    x64=True,
)
def integers_64(a, b, n):
    return a * n, a // n, a + 1, b * b, b >> np.uint64(3), a.sum(), a.max(), b.min(), a.astype(jnp.float64), jnp.sort(b)


@case(
    "bool: logic, reductions, comparisons, conversion to and from numbers",
    lambda r: [r.uniform(size=(4, 5)) < 0.5, r.uniform(size=(4, 5)) < 0.8],
)
def booleans(p, q):
    return (
        p & q,
        p | q,
        p ^ q,
        ~p,
        p.any(0),
        q.all(1),
        p == q,
        p.sum(),
        p.astype(jnp.float32) - q,
        jnp.int8([0, 2, -1]).astype(bool),
    )


def _complex(dtype):
    return lambda r: [(r.standard_normal((3, 4)) + 1j * r.standard_normal((3, 4))).astype(dtype) for _ in range(2)]


def _complex_ops(x, y):
    return (
        x * y,
        x / y,
        x @ y.T,
        jnp.conj(x),
        jnp.abs(x),
        jnp.angle(x),
        x.real,
        y.imag,
        jnp.exp(x),
        jnp.sqrt(x),
        jnp.log(y),
        x == jnp.where(y.real > 0, x, y),
        x.sum(),
    )


@case("complex64 arithmetic, parts, modulus, exponential, product of matrices", _complex(np.complex64), SUMS)
def complex_c64(x, y):
    return _complex_ops(x, y)


@case("the same in complex128", _complex(np.complex128), Tol(10, sums=True), x64=True)
def complex_c128(x, y):
    return _complex_ops(x, y)


def _half(x, y):
    return x + y, x * y, x / y, jnp.exp(x), jnp.tanh(y), x > y, x.sum(), lax.max(x, y), -x, x.astype(jnp.float32)


def _half_args(dtype):
    return lambda r: [r.standard_normal(24).astype(NUMPY[dtype]), r.standard_normal(24).astype(NUMPY[dtype])]


@case(
    "bf16 element by element, sum and conversion",
    _half_args("bf16"),
    [EXACT, EXACT, EXACT, MATH, MATH, EXACT, SUMS, EXACT, EXACT, EXACT],
)
def bf16_elementwise(x, y):
    return _half(x, y)


@case("the same in f16", _half_args("f16"), [EXACT, EXACT, EXACT, MATH, MATH, EXACT, SUMS, EXACT, EXACT, EXACT])
def f16_elementwise(x, y):
    return _half(x, y)


@case(
    "f16 limits: overflow to infinity, subnormal numbers, rounding of f32 to nearest even",
    lambda r: [
        np.float16([65504, 6e-8, 6.1e-5, -65504, 1]),
        np.float32([65519, 65520, 1e-8, 2.98e-8, 3e-8, 2049, 2051, np.nan]),
    ],
)
def f16_limits(h, f):
    return h + h, h * np.float16(0.5), f.astype(jnp.float16), h.astype(jnp.float32)


F8 = ["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ"]
F8_NEW = ["f8E4M3", "f8E3M4"]


@case(
    "every value of the five older 8-bit float types converted to f32; f8E5M2's file has NumPy's '<f1' type",
    lambda r: [codes(d) for d in F8],
)
def f8_decode(*xs):
    return [x.astype(jnp.float32) for x in xs]


@case(
    "f32 rounded to the five older 8-bit float types, and the arguments returned as such",
    lambda r: [
        np.concatenate(
            [r.standard_normal(30) * 4, [0.0, -0.0, 1.0625, 1.1875, 448, -57344, 0.001, 1e-5, np.nan]]
        ).astype(np.float32)
    ],
)
def f8_encode(x):
    return [x.astype(NUMPY[d]) for d in F8]


@case(
    "every value of f8E4M3 and f8E3M4 to f32, and f32 to them",
    lambda r: [codes(d) for d in F8_NEW] + [np.linspace(-15, 15, 41, dtype=np.float32)],
)
def f8_newer(a, b, x):
    return a.astype(jnp.float32), b.astype(jnp.float32), [x.astype(NUMPY[d]) for d in F8_NEW]


@case(
    "every value of f8E8M0FNU and f4E2M1FN to f32, and a block-scaled product",
    lambda r: [
        codes("f8E8M0FNU"),
        codes("f4E2M1FN", 4),
        r.integers(120, 135, 4).astype(np.uint8).view(NUMPY["f8E8M0FNU"]),
        r.integers(0, 16, (4, 32)).astype(np.uint8).view(NUMPY["f4E2M1FN"]),
    ],
)
def microscaling(e, f, scale, block):
    return (
        e.astype(jnp.float32),
        f.astype(jnp.float32),
        block.astype(jnp.float32) * scale.astype(jnp.float32)[:, None],
        e,
        f,
    )


@case(
    "8-bit floats in arithmetic of their own type: sums, products, transposed copy",
    lambda r: [
        r.standard_normal((3, 5)).astype(NUMPY["f8E4M3FN"]),
        r.standard_normal((3, 5)).astype(NUMPY["f8E4M3FN"]),
    ],
)
def f8_arithmetic(x, y):
    return x + y, x * y, x.T, x > y


@case(
    "every value of i4 and ui4: arithmetic, widening, narrowing, odd number of elements",
    lambda r: [
        np.arange(-8, 8).astype(NUMPY["i4"]),
        np.arange(16).astype(NUMPY["ui4"]),
        np.arange(-3, 4).astype(NUMPY["i4"]),
        np.int8([-9, 0, 7, 8, 100]),
    ],
)
def int4(a, b, odd, w):
    return (
        a + np.ones((), NUMPY["i4"]),
        b,
        a.astype(jnp.int32),
        b.astype(jnp.float32),
        odd[::-1],
        odd.reshape(7, 1) * 2,
        w.astype(NUMPY["i4"]),
    )


@case(
    "4-bit weights with one scale for each column, as quantized models store them",
    lambda r: [
        r.standard_normal((4, 16)).astype(np.float32),
        Arg(r.integers(-8, 8, (16, 8), np.int8), "i4"),
        r.uniform(0.01, 0.1, 8).astype(np.float32),
    ],
    SUMS,
)
def int4_quantized_matmul(x, w, s):
    return x @ (w.astype(jnp.float32) * s)


@case("every value of i2 and ui2", lambda r: [np.arange(-2, 2).astype(NUMPY["i2"]), np.arange(4).astype(NUMPY["ui2"])])
def int2(a, b):
    return a, b, a.astype(jnp.int32), b.astype(jnp.int32) * 3


@case(
    "conversions between float, integer, bool and complex types, truncating",
    lambda r: [
        np.float32([-1.9, -0.5, 0, 0.5, 1.9, 100.7]),
        np.int32([-1, 0, 1, 300, 70000, -40000]),
        np.complex64([1.5 - 2j, -3]),
    ],
)
def conversions(f, i, c):
    return (
        [f.astype(d) for d in (jnp.int32, jnp.int8, jnp.bool_, jnp.complex64, jnp.float16, jnp.bfloat16)],
        [i.astype(d) for d in (jnp.int8, jnp.uint8, jnp.uint16, jnp.float32, jnp.bool_, jnp.uint32)],
        lax.convert_element_type(jnp.real(c), jnp.int32),
    )


TIES = [1 + 2**-8, 0.3, 1 + 3 * 2**-8, -2.7, 1 + 2**-11, 0.0, 1 + 3 * 2**-11, -0.0, 1 + 2**-4, 1.3125, 3.0]


@case(
    "numeric files cast on reading: f32 to the narrow float types (ties to even), overflow and NaN included",
    lambda r: (
        [Arg(np.float32(TIES), d) for d in ["bf16", "f16", *F8, *F8_NEW]]
        + [
            Arg(np.float32([1e5, -1e5, np.inf, np.nan, 65519, 65520, 448, 464, -465, 61439, -61440]), d)
            for d in ["bf16", "f16", "f8E4M3FN", "f8E5M2"]
        ]
    ),
)
def cast_floats(*xs):
    return list(xs)


@case(
    "numeric files cast on reading: integers widened, narrowed, to float and complex; floats truncated",
    lambda r: (
        [Arg(np.int64([-8, -1, 0, 7]), d) for d in ("i4", "i8", "i16", "i32", "f32", "bf16", "complex64")]
        + [Arg(np.int64([0, 1, 2, 3]), d) for d in ("ui2", "ui4", "ui8", "ui64", "i1", "f64")]
        + [
            Arg(np.float64([-1.9, 0.2, 2.9]), "i32"),
            Arg(np.float64([0.1, -2.5, 1e-3]), "f32"),
            Arg(np.bool_([True, False]), "f32"),
        ]
    ),
    x64=True,
)
def cast_integers(*xs):
    return list(xs)


@case(
    "a type named although the file already has it",
    lambda r: [
        Arg(r.standard_normal(4).astype(np.float32), name_type=True),
        Arg(r.integers(0, 9, 4, np.int64), name_type=True),
        Arg(np.bool_([True, False]), name_type=True),
        Arg(np.complex64([1j, 2]), name_type=True),
    ],
    x64=True,
)
def cast_none(*xs):
    return list(xs)


@case(
    "files in Fortran order, big-endian files, and both at once",
    lambda r: [
        np.asfortranarray(r.integers(0, 99, (3, 4), np.int32)),
        r.integers(0, 999, (2, 3)).astype(">i4"),
        np.asfortranarray(r.standard_normal((2, 3, 4))).astype(">f8"),
        (r.standard_normal(3) + 1j).astype(">c8"),
        np.asfortranarray(r.standard_normal((3, 5)).astype(NUMPY["bf16"])),
    ],
    x64=True,
)
def file_layouts(a, b, c, d, e):
    return a, b + 1, c, d, e, a[1:, :2]
