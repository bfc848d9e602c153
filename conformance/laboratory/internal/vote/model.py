# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors

"""Evaluates StableHLO programs with NumPy and ml_dtypes, as the specification says.

It knows the operations for which the reference interpreter has no answer, or a wrong
one. Floats are computed in binary64 and rounded once for each operation.
"""

import functools
import itertools
import math

import ml_dtypes
import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

TYPES = {
    "i1": np.bool_,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "i2": ml_dtypes.int2,
    "i4": ml_dtypes.int4,
    "ui2": ml_dtypes.uint2,
    "ui4": ml_dtypes.uint4,
}
for n in 8, 16, 32, 64:
    TYPES[f"i{n}"] = np.dtype(f"int{n}").type
    TYPES[f"ui{n}"] = np.dtype(f"uint{n}").type

BITS = {2: 2, 4: 4}


class Kind:
    """An element type."""

    def __init__(self, t):
        self.name = str(t)
        self.np = np.dtype(TYPES[self.name])
        self.bool = self.name == "i1"
        self.complex = self.name.startswith("complex")
        self.float = self.name[0] in "fb"
        self.int = not (self.bool or self.complex or self.float)
        self.signed = self.int and self.name[0] == "i"
        self.bits = int(self.name.lstrip("ui")) if self.int else 0

    def wrap(self, a):
        """Wraps numbers, as Python integers, to the type."""
        n = 1 << self.bits
        half = n >> 1 if self.signed else n
        flat = [((int(x) + n - half) % n) - (n - half) if self.signed else int(x) % n for x in np.ravel(a)]
        return np.array(flat, dtype=np.int64 if self.signed else np.uint64).astype(self.np).reshape(np.shape(a))


def kind(value):
    if str(value.type) == "!stablehlo.token":
        return None
    return Kind(ir.RankedTensorType(value.type).element_type)


def shape(value):
    return tuple(ir.RankedTensorType(value.type).shape)


def wide(a):
    """Converts an array to the type in which it is computed."""
    if a.dtype.kind == "c":
        return a.astype(np.complex128)
    if a.dtype.kind in "iu" or a.dtype in (ml_dtypes.int2, ml_dtypes.int4, ml_dtypes.uint2, ml_dtypes.uint4):
        if a.dtype.itemsize < 8:
            a = a.astype(np.int64)
        return np.array([int(x) for x in a.ravel()], dtype=object).reshape(a.shape)
    if a.dtype == np.bool_:
        return a
    return a.astype(np.float64)


def narrow(a, k):
    """The reverse of wide: rounds or wraps an array to its type."""
    if k.int:
        return k.wrap(a)
    if k.float and k.name not in ("f64", "f32", "f16"):
        # Of NumPy's own float types, ml_dtypes rounds binary64 directly.
        return np.asarray(a, dtype=np.float64).astype(k.np)
    return np.asarray(a).astype(k.np)


def constant(op):
    # Python's attributes do not know every element type; the text has them all.
    out = op.results[0]
    text = op.get_asm()
    return literal(text[text.index("dense<") : text.rindex("> : ") + 1], kind(out), shape(out))


def literal(text, k, dims):
    """The elements of a constant as it is printed."""
    text = text[len("dense<") : -1]
    n = math.prod(dims)
    if text.startswith('"0x'):
        data = bytes.fromhex(text[3:-1])
        if k.bool and len(data) == n:
            return np.frombuffer(data, np.uint8).astype(bool).reshape(dims)
        if k.bool:
            bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")[:n]
            return bits.astype(bool).reshape(dims)
        if k.int and k.bits < 8:
            return k.wrap(np.frombuffer(data, np.int8).astype(object)).reshape(dims)
        a = np.frombuffer(data, k.np)
    else:
        flat = text.replace("[", "").replace("]", "").replace(" ", "")
        if flat == "":
            return np.zeros(dims, k.np)
        if k.complex:
            part = Kind("f32" if k.name == "complex<f32>" else "f64")
            pairs = [x.split(",") for x in flat.strip("()").split("),(")]
            a = np.empty(len(pairs), k.np)
            a.real = [element(x, part) for x, _ in pairs]
            a.imag = [element(y, part) for _, y in pairs]
        else:
            a = np.array([element(x, k) for x in flat.split(",")], dtype=k.np)
    if a.size == 1:
        return np.full(dims, a.reshape(-1)[0], k.np)
    return a.reshape(dims)


def element(text, k):
    if k.bool:
        return text == "true"
    if k.float and text.startswith("0x"):
        return np.frombuffer(int(text, 16).to_bytes(k.np.itemsize, "little"), k.np)[0]
    return narrow(np.array(float(text)), k)[()] if k.float else k.wrap(np.array(int(text), dtype=object))[()]


def integers(attr):
    return [int(x) for x in attr]


def bits_of(x, k):
    return (1 << k.bits) - 1 & int(x)


def each(f):
    return np.frompyfunc(f, 1, 1)


def each2(f):
    return np.frompyfunc(f, 2, 1)


def toward_zero(x, y, k):
    """Integer division, whose result for zero is all ones."""
    if y == 0:
        return -1 if k.signed else (1 << k.bits) - 1
    q = abs(x) // abs(y)
    return q if (x < 0) == (y < 0) else -q


def power(x, y, k):
    if y < 0:
        return {1: 1, -1: 1 if y % 2 == 0 else -1}.get(x, 0)
    return pow(x, y, 1 << k.bits)


def logistic(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))


def away_from_zero(x):
    # Beyond 2^52 every number is whole, and a half would be rounded away.
    y = np.where(np.abs(x) < 2.0**52, np.floor(np.abs(x) + 0.5), np.abs(x))
    y = np.where(np.abs(x) == 0.49999999999999994, 0.0, y)
    return np.copysign(y, x)


def sign(x):
    if np.iscomplexobj(x):
        return np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x)))
    return np.where(np.isnan(x) | (x == 0), x, np.copysign(1.0, x))


def signed_cbrt(x):
    return np.cbrt(x)


FLOATS = {
    "cbrt": signed_cbrt,
    "ceil": np.ceil,
    "cosine": np.cos,
    "exponential": np.exp,
    "exponential_minus_one": np.expm1,
    "floor": np.floor,
    "log": np.log,
    "log_plus_one": np.log1p,
    "logistic": lambda x: 1 / (1 + np.exp(-x)) if np.iscomplexobj(x) else logistic(x),
    "negate": lambda x: -x,
    "round_nearest_afz": away_from_zero,
    "round_nearest_even": np.round,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sign": sign,
    "sine": np.sin,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}


def float_max(x, y):
    return np.maximum(x, y)


FLOATS2 = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "remainder": np.fmod,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "power": np.power,
    "atan2": np.arctan2,
}


def integer2(name, k):
    shifted = {
        "shift_left": lambda x, y: x << y if 0 <= y < k.bits else 0,
        "shift_right_logical": lambda x, y: bits_of(x, k) >> y if 0 <= y < k.bits else 0,
        "shift_right_arithmetic": lambda x, y: signed(x, k) >> (y if 0 <= y < k.bits else k.bits - 1),
    }
    return {
        "add": lambda x, y: x + y,
        "subtract": lambda x, y: x - y,
        "multiply": lambda x, y: x * y,
        "divide": lambda x, y: toward_zero(x, y, k),
        "remainder": lambda x, y: x if y == 0 else x - y * toward_zero(x, y, k),
        "maximum": max,
        "minimum": min,
        "power": lambda x, y: power(x, y, k),
        "and": lambda x, y: x & y,
        "or": lambda x, y: x | y,
        "xor": lambda x, y: x ^ y,
        **shifted,
    }[name]


def signed(x, k):
    x = bits_of(x, k)
    return x - (1 << k.bits) if x >> (k.bits - 1) else x


BOOLS2 = {
    "add": np.logical_or,
    "maximum": np.logical_or,
    "or": np.logical_or,
    "multiply": np.logical_and,
    "minimum": np.logical_and,
    "and": np.logical_and,
    "xor": np.logical_xor,
}

COMPLEX2 = ("add", "subtract", "multiply", "divide", "power")


def unary(name, a, k, out):
    if name == "not":
        return ~a if k.bool else narrow(each(lambda x: ~x)(wide(a)), k)
    if name == "is_finite":
        return np.isfinite(wide(a))
    if name == "abs":
        return narrow(np.abs(wide(a)), out)
    if name == "real":
        return a.real
    if name == "imag":
        return a.imag
    if k.int:
        f = {
            "negate": lambda x: -x,
            "sign": lambda x: (x > 0) - (x < 0),
            "popcnt": lambda x: bin(bits_of(x, k)).count("1"),
            "count_leading_zeros": lambda x: k.bits - bits_of(x, k).bit_length(),
        }[name]
        return narrow(each(f)(wide(a)), out)
    return narrow(FLOATS[name](wide(a)), out)


UNARY = set(FLOATS) | {"not", "is_finite", "abs", "real", "imag", "popcnt", "count_leading_zeros"}
BINARY = set(FLOATS2) | {"and", "or", "xor", "shift_left", "shift_right_logical", "shift_right_arithmetic"}


def binary(name, a, b, k):
    if k.bool:
        return BOOLS2[name](a, b)
    if k.int:
        return narrow(each2(integer2(name, k))(wide(a), wide(b)), k)
    if k.complex and name not in COMPLEX2:
        raise NotImplementedError(f"{name} of {k.name}")
    x, y = wide(a), wide(b)
    if name in ("maximum", "minimum") and k.float:
        r = FLOATS2[name](x, y)
        tie = (x == y) & (np.signbit(x) != np.signbit(y))
        negative = name == "minimum"
        return narrow(np.where(tie, np.where(np.signbit(x) == negative, x, y), r), k)
    return narrow(FLOATS2[name](x, y), k)


def convert(a, k, to):
    if to.name == k.name:
        return a
    if to.bool:
        return wide(a) != 0
    x = wide(a.astype(np.int64) if k.bool else a)
    if to.complex:
        return (x.astype(np.complex128) if k.complex else np.asarray(x, dtype=np.float64)).astype(to.np)
    if k.complex:
        x = x.real
    if to.int:
        if k.float or k.complex:
            x = each(lambda v: int(v) if math.isfinite(v) else 0)(x)
        return narrow(x, to)
    if not (k.float or k.complex):
        if to.name == "f64":
            return np.array([float(int(v)) for v in np.ravel(x)], to.np).reshape(a.shape)
        # Integers of more than 53 bits must not be rounded twice.
        x = np.array([odd(int(v)) for v in np.ravel(x)], np.float64).reshape(a.shape)
    return narrow(x, to)


def odd(n):
    """n cut to 53 bits, the last of which is set if a lost bit was."""
    extra = abs(n).bit_length() - 53
    if extra <= 0:
        return float(n)
    m = abs(n) >> extra
    if m << extra != abs(n):
        m |= 1
    return math.copysign(math.ldexp(float(m), extra), n)


def compare(op, a, b, k):
    direction = stablehlo.ComparisonDirectionAttr(op.attributes["comparison_direction"]).value
    total = "compare_type" in op.attributes and stablehlo.ComparisonTypeAttr(op.attributes["compare_type"]).value == "TOTALORDER"
    x, y = wide(a), wide(b)
    if total:
        x, y = rank(x), rank(y)
    f = {"EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal}[direction]
    return np.asarray(f(x, y), dtype=bool)


def rank(x):
    """The rank of a float in the total order of IEEE 754; every NaN here is positive."""
    n = np.where(np.isnan(x), np.nan, x).view(np.int64)
    n = np.where(np.isnan(x), np.int64(0x7FF8 << 48), n)
    return np.where(n < 0, np.int64(-(2**63)) - n - 1, n)


def dot_general(op, a, b, out, dims):
    d = stablehlo.DotDimensionNumbers(op.attributes["dot_dimension_numbers"])
    batch = list(d.lhs_batching_dimensions), list(d.rhs_batching_dimensions)
    sums = list(d.lhs_contracting_dimensions), list(d.rhs_contracting_dimensions)
    names = itertools.count()
    left = [None] * a.ndim
    right = [None] * b.ndim
    result = []
    for i, j in zip(*batch):
        left[i] = right[j] = next(names)
        result.append(left[i])
    for i, j in zip(*sums):
        left[i] = right[j] = next(names)
    for side in left, right:
        for i, n in enumerate(side):
            if n is None:
                side[i] = next(names)
                result.append(side[i])
    x, y = wide(a), wide(b)
    if out.bool:
        return np.einsum(x.astype(int), left, y.astype(int), right, result) > 0
    if out.int:
        return narrow(contract(x, left, y, right, result), out)
    return narrow(np.einsum(x, left, y, right, result), out)


def contract(x, left, y, right, result):
    """einsum for Python integers."""
    sizes = dict(zip(left, x.shape)) | dict(zip(right, y.shape))
    inner = [n for n in sizes if n not in result]
    out = np.empty([sizes[n] for n in result], object)
    for at in np.ndindex(out.shape):
        place = dict(zip(result, at))
        total = 0
        for along in itertools.product(*(range(sizes[n]) for n in inner)):
            place.update(zip(inner, along))
            total += x[tuple(place[n] for n in left)] * y[tuple(place[n] for n in right)]
        out[at] = total
    return out


def fft(op, a, out):
    sort = str(stablehlo.FftTypeAttr(op.attributes["fft_type"]).value)
    length = integers(op.attributes["fft_length"])
    axes = list(range(a.ndim - len(length), a.ndim))
    x = wide(a)
    if sort == "FFT":
        x = np.fft.fftn(x, axes=axes)
    elif sort == "IFFT":
        x = np.fft.ifftn(x, axes=axes)
    elif sort == "RFFT":
        x = np.fft.rfftn(x, axes=axes)
    else:
        x = np.fft.irfftn(x, s=length, axes=axes)
    return narrow(x, out)


def cholesky(op, a, out):
    lower = "true" in str(op.attributes["lower"])
    x = wide(a)
    half = np.tril(x) if lower else np.conj(np.swapaxes(np.triu(x), -1, -2))
    strict = np.tril(half, -1)
    full = half + np.conj(np.swapaxes(strict, -1, -2))
    try:
        factor = np.linalg.cholesky(full)
    except np.linalg.LinAlgError:
        factor = np.full_like(x, np.nan)
    return narrow(factor if lower else np.conj(np.swapaxes(factor, -1, -2)), out)


def triangular_solve(op, a, b, out):
    yes = {name: "true" in str(op.attributes[name]) for name in ("left_side", "lower", "unit_diagonal")}
    transpose = str(stablehlo.TransposeAttr(op.attributes["transpose_a"]).value)
    x = np.tril(wide(a)) if yes["lower"] else np.triu(wide(a))
    if yes["unit_diagonal"]:
        i = np.arange(x.shape[-1])
        x[..., i, i] = 1
    if transpose != "NO_TRANSPOSE":
        x = np.swapaxes(x, -1, -2)
    if transpose == "ADJOINT":
        x = np.conj(x)
    y = wide(b)
    try:
        if yes["left_side"]:
            r = np.linalg.solve(x, y)
        else:
            r = np.swapaxes(np.linalg.solve(np.swapaxes(x, -1, -2), np.swapaxes(y, -1, -2)), -1, -2)
    except np.linalg.LinAlgError:
        r = np.full_like(y, np.nan)
    return narrow(r, out)


class Feature:
    """What the operations of batch_norm have in common."""

    def __init__(self, op, x):
        self.axis = int(op.attributes["feature_index"].value)
        self.epsilon = float(op.attributes["epsilon"].value)
        self.others = tuple(i for i in range(x.ndim) if i != self.axis)
        self.form = [-1 if i == self.axis else 1 for i in range(x.ndim)]

    def spread(self, v):
        return v.reshape(self.form)


def batch_norm_inference(op, a, kinds):
    x, scale, offset, mean, variance = (wide(v) for v in a)
    f = Feature(op, x)
    y = (x - f.spread(mean)) / np.sqrt(f.spread(variance) + f.epsilon) * f.spread(scale) + f.spread(offset)
    return [narrow(y, kinds[0])]


def batch_norm_training(op, a, kinds):
    x, scale, offset = (wide(v) for v in a)
    f = Feature(op, x)
    mean, variance = x.mean(f.others), x.var(f.others)
    y = (x - f.spread(mean)) / np.sqrt(f.spread(variance) + f.epsilon) * f.spread(scale) + f.spread(offset)
    return [narrow(v, k) for v, k in zip((y, mean, variance), kinds)]


def batch_norm_grad(op, a, kinds):
    x, scale, mean, variance, dy = (wide(v) for v in a)
    f = Feature(op, x)
    root = np.sqrt(f.spread(variance) + f.epsilon)
    centred = x - f.spread(mean)
    n = x.size / x.shape[f.axis]
    along = (dy * centred).sum(f.others)
    offset = dy.sum(f.others)
    dx = f.spread(scale) / root / n * (n * dy - f.spread(offset) - centred * f.spread(along) / root**2)
    return [narrow(v, k) for v, k in zip((dx, (along / np.sqrt(variance + f.epsilon)), offset), kinds)]


def broadcast_in_dim(op, a, dims):
    at = integers(op.attributes["broadcast_dimensions"])
    form = [1] * len(dims)
    for i, d in enumerate(at):
        form[d] = a.shape[i]
    order = np.argsort(at)
    return np.broadcast_to(a.transpose(order).reshape(form), dims).copy()


def slice_(op, a):
    start, limit, step = (integers(op.attributes[n]) for n in ("start_indices", "limit_indices", "strides"))
    return a[tuple(slice(i, j, k) for i, j, k in zip(start, limit, step))]


def iota(op, k, dims):
    d = int(op.attributes["iota_dimension"].value)
    line = np.arange(dims[d])
    line = k.wrap(line.astype(object)) if k.int else line.astype(np.float64).astype(k.np)
    return np.broadcast_to(line.reshape([-1 if i == d else 1 for i in range(len(dims))]), dims).copy()


PADDING = ("edge_padding_low", "edge_padding_high", "interior_padding")


def pad(a, value, low, high, interior):
    """Spreads the elements, then adds or drops places at both ends."""
    for d in range(a.ndim):
        n = a.shape[d]
        spread = n + max(n - 1, 0) * interior[d]
        out = np.full(a.shape[:d] + (max(spread + low[d] + high[d], 0),) + a.shape[d + 1 :], value, a.dtype)
        for i in range(n):
            at = low[d] + i * (interior[d] + 1)
            if 0 <= at < out.shape[d]:
                index = (slice(None),) * d
                out[index + (at,)] = a[index + (i,)]
        a = out
    return a


def pairs(op):
    if "padding" in op.attributes:
        return np.array(op.attributes["padding"]).reshape(-1, 2).tolist()
    return [[0, 0]] * len(stablehlo.ConvDimensionNumbers(op.attributes["dimension_numbers"]).input_spatial_dimensions)


def convolution(op, a, w, out, dims, padding):
    """Every product goes to the element that it belongs to."""
    d = stablehlo.ConvDimensionNumbers(op.attributes["dimension_numbers"])
    space = len(padding)

    def attribute(name, default):
        return integers(op.attributes[name]) if name in op.attributes else [default] * space

    stride, dilate = attribute("window_strides", 1), attribute("rhs_dilation", 1)
    spread = attribute("lhs_dilation", 1)
    turned = attribute("window_reversal", 0)
    groups = int(op.attributes["feature_group_count"].value)
    batches = int(op.attributes["batch_group_count"].value)
    x = np.transpose(a, [d.input_batch_dimension, d.input_feature_dimension, *d.input_spatial_dimensions])
    k = np.transpose(w, [d.kernel_output_feature_dimension, d.kernel_input_feature_dimension, *d.kernel_spatial_dimensions])
    x, k = wide(x), wide(k)
    order = [d.output_batch_dimension, d.output_feature_dimension, *d.output_spatial_dimensions]
    r = np.zeros([dims[i] for i in order], object if out.int else x.dtype if out.complex else np.float64)
    x = x.astype(int) if out.bool else x
    k = k.astype(int) if out.bool else k
    inner = k.shape[1]
    for b, f, c in np.ndindex(r.shape[0], r.shape[1], inner):
        channel = f // (r.shape[1] // groups) * inner + c
        row = f // (r.shape[1] // batches) * r.shape[0] + b
        for at in np.ndindex(*x.shape[2:]):
            for tap in np.ndindex(*k.shape[2:]):
                # Where the kernel begins for this element to meet this tap.
                begin = [p * s + low[0] - t * e for p, s, low, t, e in zip(at, spread, padding, tap, dilate)]
                if any(p < 0 or p % s for p, s in zip(begin, stride)):
                    continue
                to = tuple(p // s for p, s in zip(begin, stride))
                if any(p >= n for p, n in zip(to, r.shape[2:])):
                    continue
                used = tuple(n - 1 - t if turn else t for t, n, turn in zip(tap, k.shape[2:], turned))
                r[(b, f) + to] += x[(row, channel) + at] * k[(f, c) + used]
    r = np.transpose(r, np.argsort(order))
    return r > 0 if out.bool else narrow(r, out)


def window(a, starts, sizes):
    """The position of a slice, moved so that it lies within the array."""
    at = [min(max(int(s), 0), n - size) for s, n, size in zip(starts, a.shape, sizes)]
    return tuple(slice(i, i + n) for i, n in zip(at, sizes))


def updated(a, b, at):
    a = a.copy()
    a[at] = b
    return a


def index_vectors(d, indices):
    """The indices with the dimension of their vectors last."""
    if d.index_vector_dim == indices.ndim:
        indices = indices[..., None]
    return np.moveaxis(indices, d.index_vector_dim, -1)


def gather(op, a, indices, dims, sizes):
    d = stablehlo.GatherDimensionNumbers(op.attributes["dimension_numbers"])
    offset, collapsed, mapped = list(d.offset_dims), list(d.collapsed_slice_dims), list(d.start_index_map)
    if d.operand_batching_dims:
        raise NotImplementedError("gather with batching dimensions")
    indices = index_vectors(d, indices)
    kept = [i for i in range(a.ndim) if i not in collapsed]
    batch = [i for i in range(len(dims)) if i not in offset]
    r = np.empty(dims, a.dtype)
    for at in np.ndindex(*dims):
        start = indices[tuple(at[i] for i in batch)]
        place = [0] * a.ndim
        for i, s in zip(mapped, start):
            place[i] = min(max(int(s), 0), a.shape[i] - sizes[i])
        for i, o in zip(kept, offset):
            place[i] += at[o]
        r[at] = a[tuple(place)]
    return r


def scatter(op, a, indices, updates, combine):
    d = stablehlo.ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])
    window, inserted, mapped = list(d.update_window_dims), list(d.inserted_window_dims), list(d.scattered_dims_to_operand_dims)
    if d.input_batching_dims:
        raise NotImplementedError("scatter with batching dimensions")
    indices = index_vectors(d, indices)
    kept = [i for i in range(a.ndim) if i not in inserted]
    batch = [i for i in range(updates.ndim) if i not in window]
    r = a.copy()
    for at in np.ndindex(*updates.shape):
        place = [0] * a.ndim
        for i, s in zip(mapped, indices[tuple(at[i] for i in batch)]):
            place[i] = int(s)
        for i, o in zip(kept, window):
            place[i] += at[o]
        if all(0 <= p < n for p, n in zip(place, a.shape)):
            r[tuple(place)] = combine(r[tuple(place)], updates[at])
    return r


COLLECTIVES = ("all_reduce", "reduce_scatter", "all_gather", "all_to_all", "collective_broadcast", "collective_permute")


def groups(name, op, replicas, partitions):
    """The groups of processes, each a position in the order of replicas, then partitions."""
    attribute = "source_target_pairs" if name == "collective_permute" else "replica_groups"
    listed = [[int(i) for i in row if i >= 0] for row in np.array(op.attributes[attribute])]
    channel = "channel_handle" in op.attributes
    if "use_global_device_ids" in op.attributes:
        return listed
    if channel and name in ("all_to_all", "collective_broadcast", "collective_permute"):
        return [[r * partitions + p for p in g] for g in listed for r in range(replicas)]
    if channel:
        return [[r * partitions + p for p in range(partitions) for r in g] for g in listed]
    return [[r * partitions + p for r in g] for g in listed for p in range(partitions)]


class Machine:
    def __init__(self, module):
        self.functions = {str(f.attributes["sym_name"]).strip('"'): f for f in module.body.operations}

    def call(self, name, args):
        return self.block(self.functions[name].regions[0].blocks[0], args, {})

    def block(self, block, args, outer):
        env = dict(outer)
        for p, a in zip(block.arguments, args):
            env[p] = a
        for op in block.operations:
            op = op.operation
            if op.name in ("func.return", "stablehlo.return"):
                return [env[v] for v in op.operands]
            for r, a in zip(op.results, self.compute(op, [env[v] for v in op.operands], env)):
                env[r] = a
        raise ValueError("a block does not return")

    def side_by_side(self, op, a):
        """Runs one function, a straight line of operations, on all devices in step."""
        rows = [list(row) for row in op.attributes["programs"]]
        size = len(rows), len(rows[0])
        block = self.functions[str(rows[0][0]).removeprefix("@")].regions[0].blocks[0]
        envs = [{block.arguments[0]: x} for x in a]
        for one in block.operations:
            one = one.operation
            if one.name == "func.return":
                return [e[one.operands[0]] for e in envs]
            ins = [[e[v] for v in one.operands] for e in envs]
            name = one.name.removeprefix("stablehlo.")
            if name in COLLECTIVES:
                results = self.collective(name, one, [i[0] for i in ins], size)
            else:
                results = [self.compute(one, i, e)[0] for i, e in zip(ins, envs)]
            for e, r in zip(envs, results):
                e[one.results[0]] = r
        raise ValueError("a function does not return")

    def collective(self, name, op, a, size):
        dims = shape(op.results[0])
        results = [np.zeros(dims, x.dtype) for x in a]
        for group in groups(name, op, *size):
            if name == "collective_permute":
                results[group[1]] = a[group[0]]
                continue
            parts = [a[i] for i in group]
            if name in ("all_reduce", "reduce_scatter"):
                total = parts[0]
                for x in parts[1:]:
                    total = self.block(op.regions[0].blocks[0], [total, x], {})[0]
            for k, i in enumerate(group):
                if name == "all_reduce":
                    results[i] = total
                elif name == "reduce_scatter":
                    results[i] = np.split(total, len(group), int(op.attributes["scatter_dimension"].value))[k]
                elif name == "all_gather":
                    results[i] = np.concatenate(parts, int(op.attributes["all_gather_dim"].value))
                elif name == "collective_broadcast":
                    results[i] = parts[0]
                else:
                    d = int(op.attributes["split_dimension"].value)
                    pieces = [np.split(x, len(group), d)[k] for x in parts]
                    results[i] = np.concatenate(pieces, int(op.attributes["concat_dimension"].value))
        return results

    def compute(self, op, a, env):
        name = op.name.removeprefix("stablehlo.")
        if op.name == "interpreter.run_parallel":
            return self.side_by_side(op, a)
        if name == "tuple":
            return [tuple(a)]
        if name == "get_tuple_element":
            return [a[0][int(op.attributes["index"].value)]]
        if name == "if":
            return self.block(op.regions[0 if a[0] else 1].blocks[0], [], env)
        if name == "while":
            while self.block(op.regions[0].blocks[0], a, env)[0]:
                a = self.block(op.regions[1].blocks[0], a, env)
            return a
        if name in ("create_token", "after_all"):
            return [None]
        if name == "optimization_barrier":
            return a
        kinds = [kind(r) for r in op.results]
        out, dims = kinds[0], shape(op.results[0])
        if op.name == "func.call":
            return self.call(str(op.attributes["callee"]).removeprefix("@"), a)
        if name.startswith("batch_norm_"):
            return globals()[name](op, a, kinds)
        if name in ("reduce", "sort"):
            return getattr(self, name)(op, a, env)
        if name == "scatter" and len(a) == 3:
            body = op.regions[0].blocks[0]
            return [scatter(op, *a, lambda x, y: self.block(body, [np.asarray(x), np.asarray(y)], env)[0])]
        ins = [kind(v) for v in op.operands]
        if name in UNARY:
            return [unary(name, a[0], ins[0], out)]
        if name in BINARY:
            return [binary(name, a[0], a[1], out)]
        one = {
            "constant": lambda: constant(op),
            "convert": lambda: convert(a[0], ins[0], out),
            "complex": lambda: narrow(wide(a[0]) + 1j * wide(a[1]), out),
            "compare": lambda: compare(op, a[0], a[1], ins[0]),
            "select": lambda: np.where(np.broadcast_to(a[0], a[1].shape), a[1], a[2]),
            "clamp": lambda: binary("minimum", binary("maximum", a[1], np.broadcast_to(a[0], dims), out), np.broadcast_to(a[2], dims), out),
            "dot_general": lambda: dot_general(op, a[0], a[1], out, dims),
            "fft": lambda: fft(op, a[0], out),
            "cholesky": lambda: cholesky(op, a[0], out),
            "triangular_solve": lambda: triangular_solve(op, a[0], a[1], out),
            "reshape": lambda: a[0].reshape(dims),
            "transpose": lambda: a[0].transpose(integers(op.attributes["permutation"])),
            "reverse": lambda: np.flip(a[0], integers(op.attributes["dimensions"])),
            "concatenate": lambda: np.concatenate(a, int(op.attributes["dimension"].value)),
            "broadcast_in_dim": lambda: broadcast_in_dim(op, a[0], dims),
            "slice": lambda: slice_(op, a[0]),
            "iota": lambda: iota(op, out, dims),
            "pad": lambda: pad(a[0], a[1], *(integers(op.attributes[n]) for n in PADDING)),
            "convolution": lambda: convolution(op, a[0], a[1], out, dims, pairs(op)),
            "dynamic_conv": lambda: convolution(op, a[0], a[1], out, dims, a[2].astype(int).tolist()),
            "gather": lambda: gather(op, a[0], a[1], dims, integers(op.attributes["slice_sizes"])),
            "dynamic_slice": lambda: a[0][window(a[0], a[1:], integers(op.attributes["slice_sizes"]))],
            "dynamic_update_slice": lambda: updated(a[0], a[1], window(a[0], a[2:], a[1].shape)),
        }.get(name)
        if one is None:
            raise NotImplementedError(f"no {op.name} here")
        return [one()]

    def sort(self, op, a, env):
        axis = int(op.attributes["dimension"].value)
        lines = [np.moveaxis(x, axis, -1) for x in a]
        out = [x.copy() for x in lines]

        def before(at, i, j):
            args = [np.asarray(x[at + (k,)]) for x in lines for k in (i, j)]
            return bool(self.block(op.regions[0].blocks[0], args, env)[0])

        for at in np.ndindex(lines[0].shape[:-1]):
            order = functools.cmp_to_key(lambda i, j: -1 if before(at, i, j) else int(before(at, j, i)))
            for x, y in zip(lines, out):
                y[at] = x[at][sorted(range(x.shape[-1]), key=order)]
        return [np.moveaxis(x, -1, axis) for x in out]

    def reduce(self, op, a, env):
        half = len(a) // 2
        gone = integers(op.attributes["dimensions"])
        kept = [d for d in range(a[0].ndim) if d not in gone]
        rows = [x.transpose(gone + kept).reshape((-1,) + tuple(x.shape[d] for d in kept)) for x in a[:half]]
        state = [np.broadcast_to(i, r.shape[1:]).copy() for i, r in zip(a[half:], rows)]
        for i in range(rows[0].shape[0]):
            # The body is written for scalars, and works on whole arrays as well.
            state = self.block(op.regions[0].blocks[0], state + [r[i] for r in rows], env)
        return state


def evaluate(module):
    with np.errstate(all="ignore"):
        return Machine(module).call("main", [])
