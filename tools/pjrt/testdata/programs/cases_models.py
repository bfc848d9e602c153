# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Linear algebra, convolutions and whole small models."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from export import EXACT, LONG, SUMS, case


def normal(*shapes, dtype=np.float32, scale=1.0):
    """Arguments: one normally distributed array for each shape."""
    return lambda r: [(r.standard_normal(s) * scale).astype(dtype) for s in shapes]


BF16 = np.dtype(ml_dtypes.bfloat16)
E4M3 = np.dtype(ml_dtypes.float8_e4m3fn)
E5M2 = np.dtype(ml_dtypes.float8_e5m2)


def _chain(a, b, c):
    return jnp.tanh(a @ b) @ c


@case("three matrices multiplied with tanh between, f32", normal((16, 24), (24, 32), (32, 8)), SUMS)
def matmul_chain_f32(a, b, c):
    return _chain(a, b, c)


@case("the same chain in f64", normal((9, 17), (17, 33), (33, 5), dtype=np.float64), SUMS, x64=True)
def matmul_chain_f64(a, b, c):
    return _chain(a, b, c)


@case("the same chain in bf16, arguments stored as 2-byte words", normal((8, 16), (16, 16), (16, 4), dtype=BF16), SUMS)
def matmul_chain_bf16(a, b, c):
    return _chain(a, b, c)


@case("f16 product with f32 accumulation asked for, and without", normal((8, 32), (32, 8), dtype=np.float16), SUMS)
def matmul_f16(a, b):
    return jnp.dot(a, b, preferred_element_type=jnp.float32), a @ b


@case(
    "8-bit integers multiplied into 32-bit sums, signed and unsigned",
    lambda r: [
        r.integers(-128, 128, (12, 20), np.int8),
        r.integers(-128, 128, (20, 6), np.int8),
        r.integers(0, 256, (6, 20), np.uint8),
    ],
)
def matmul_int8(a, b, c):
    u = lax.dot(c, c.T, preferred_element_type=jnp.uint32)
    return lax.dot(a, b, preferred_element_type=jnp.int32), u


@case(
    "matrix product of two different 8-bit float types into f32",
    lambda r: [r.standard_normal((8, 16)).astype(E4M3), r.standard_normal((16, 8)).astype(E5M2)],
    SUMS,
)
def matmul_f8(a, b):
    return lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32)


@case("dot_general with two batch dimensions and two contracting ones", normal((2, 5, 3, 4, 6), (3, 6, 2, 7, 4)), SUMS)
def dot_general_batched(a, b):
    return lax.dot_general(a, b, (((3, 4), (4, 1)), ((0, 2), (2, 0)))), jnp.einsum("aibjc,bcakj->kbai", a, b)


def _spd(r, n, dtype):
    m = r.standard_normal((2, n, n))
    return (m @ m.swapaxes(1, 2) + n * np.eye(n)).astype(dtype)


@case("batched cholesky as an operation, f32", lambda r: [_spd(r, 7, np.float32)], SUMS, platform="tpu")
def cholesky(a):
    return lax.linalg.cholesky(a, symmetrize_input=False)


@case(
    "triangular_solve: left and right, lower and upper, transposed, unit diagonal, f64",
    lambda r: [np.tril(_spd(r, 6, np.float64)), r.standard_normal((2, 6, 6))],
    SUMS,
    platform="tpu",
    x64=True,
)
def triangular_solve(a, b):
    solve = lax.linalg.triangular_solve
    return (
        solve(a, b, left_side=True, lower=True),
        solve(a, b, left_side=False, lower=True, transpose_a=True),
        solve(a.swapaxes(1, 2), b, left_side=True, lower=False),
        solve(a / 30, b, left_side=True, lower=True, unit_diagonal=True),
    )


def _attention(q, k, v):
    s = jnp.einsum("bthd,bshd->bhts", q, k) / np.sqrt(q.shape[-1]).astype(q.dtype)
    causal = jnp.tril(jnp.ones(s.shape[-2:], bool))
    w = jax.nn.softmax(jnp.where(causal, s, -jnp.inf), axis=-1)
    return jnp.einsum("bhts,bshd->bthd", w, v), w


@case("causal multi-head attention with softmax and its weights, f32", normal(*[(2, 10, 3, 8)] * 3), SUMS)
def attention_f32(q, k, v):
    return _attention(q, k, v)


@case("the same attention in bf16", normal(*[(1, 8, 2, 8)] * 3, dtype=BF16), LONG)
def attention_bf16(q, k, v):
    return _attention(q, k, v)


@case("layer norm with scale and offset", normal((4, 6, 16), (16,), (16,)), SUMS)
def layer_norm(x, g, b):
    mean = x.mean(-1, keepdims=True)
    var = jnp.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(var + 1e-5) * g + b


def _mlp(p, x):
    h = jax.nn.gelu(x @ p["w1"] + p["b1"], approximate=False)
    return jax.nn.log_softmax(h @ p["w2"] + p["b2"])


def _mlp_params(w1, b1, w2, b2):
    return {"w1": w1, "b1": b1, "w2": w2, "b2": b2}


MLP = ((16, 32), (32,), (32, 10), (10,))


@case("two-layer perceptron with exact gelu (erf) and log_softmax", normal((8, 16), *MLP), SUMS)
def mlp_gelu(x, w1, b1, w2, b2):
    return _mlp(_mlp_params(w1, b1, w2, b2), x)


@case(
    "four Adam steps of a perceptron in a loop: gradients, one loss for each step, six outputs",
    lambda r: [r.standard_normal((8, 16), np.float32), r.integers(0, 10, 8, np.int32)] + normal(*MLP, scale=0.3)(r),
    LONG,
)
def mlp_train_adam(x, y, w1, b1, w2, b2):
    def loss(p):
        return -jnp.take_along_axis(_mlp(p, x), y[:, None], axis=1).mean()

    def step(state, t):
        p, m, v = state
        value, g = jax.value_and_grad(loss)(p)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, v, g)
        up = lambda p, m, v: p - 0.02 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.99**t)) + 1e-2)
        return (jax.tree.map(up, p, m, v), m, v), value

    p = _mlp_params(w1, b1, w2, b2)
    zero = jax.tree.map(jnp.zeros_like, p)
    (p, _, _), losses = lax.scan(step, (p, zero, zero), jnp.arange(1, 5, dtype=jnp.float32))
    return losses, p, loss(p)


@case(
    "a transformer block: pre-norm attention and a gated feed-forward part",
    normal((2, 6, 16), (16, 48), (16, 16), (16, 32), (16, 32), (32, 16), scale=0.5),
    LONG,
)
def transformer_block(x, wqkv, wo, wg, wu, wd):
    rms = lambda x: x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6)
    q, k, v = (t.reshape(2, 6, 4, 4) for t in jnp.split(rms(x) @ wqkv, 3, axis=-1))
    x = x + _attention(q, k, v)[0].reshape(2, 6, 16) @ wo
    h = rms(x)
    return x + (jax.nn.silu(h @ wg) * (h @ wu)) @ wd


@case(
    "a gated recurrent unit over time, in reverse, with its last state",
    normal((9, 3, 6), (3, 8), (6, 24), (8, 24)),
    LONG,
)
def gru_scan(xs, h, wx, wh):
    def step(h, x):
        a, b = jnp.split(x @ wx, 3, -1), jnp.split(h @ wh, 3, -1)
        z, r = jax.nn.sigmoid(a[0] + b[0]), jax.nn.sigmoid(a[1] + b[1])
        h = (1 - z) * jnp.tanh(a[2] + r * b[2]) + z * h
        return h, h

    return lax.scan(step, h, xs, reverse=True)


@case(
    "a small convolutional classifier: two convolutions, pooling, dense layer, class and probabilities",
    normal((2, 12, 12, 1), (3, 3, 1, 4), (3, 3, 4, 6), (54, 5), scale=0.6),
    [EXACT, LONG],
)
def convnet(x, k1, k2, w):
    dn = ("NHWC", "HWIO", "NHWC")
    pool = lambda t: lax.reduce_window(t, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    h = pool(jax.nn.relu(lax.conv_general_dilated(x, k1, (1, 1), "SAME", dimension_numbers=dn)))
    h = pool(jax.nn.relu(lax.conv_general_dilated(h, k2, (1, 1), "SAME", dimension_numbers=dn)))
    logits = h.reshape(2, -1) @ w
    return jnp.argmax(logits, -1), jax.nn.softmax(logits)


@case("1-d convolution, channels last, strided, uneven padding", normal((2, 15, 3), (4, 3, 5)), SUMS)
def conv1d(x, k):
    return lax.conv_general_dilated(x, k, (2,), [(3, 1)], dimension_numbers=("NWC", "WIO", "NWC"))


@case(
    "2-d convolution with stride, padding (also negative) and kernel dilation",
    normal((2, 3, 11, 9), (4, 3, 3, 2)),
    SUMS,
)
def conv2d_strided_dilated(x, k):
    return (
        lax.conv_general_dilated(x, k, (2, 1), [(1, 2), (0, 3)], rhs_dilation=(2, 3)),
        lax.conv_general_dilated(x, k, (1, 2), [(-1, 0), (2, -1)]),
    )


@case("grouped and depthwise 2-d convolutions", normal((1, 6, 7, 7), (9, 2, 3, 3), (12, 1, 3, 3)), SUMS)
def conv2d_grouped(x, k, depth):
    conv = lambda k, g: lax.conv_general_dilated(x, k, (1, 1), "SAME", feature_group_count=g)
    return conv(k, 3), conv(depth, 6)


@case("transposed 2-d convolution: input dilation", normal((1, 5, 4, 3), (3, 3, 3, 6)), SUMS)
def conv2d_transposed(x, k):
    return lax.conv_transpose(x, k, (2, 3), "SAME"), lax.conv_transpose(x, k, (1, 2), "VALID")


@case(
    "gradients of a strided grouped convolution by input and kernel (reverse, batch groups)",
    normal((2, 4, 8, 8), (6, 2, 3, 3)),
    SUMS,
)
def conv2d_gradients(x, k):
    f = lambda x, k: jnp.sum(jnp.sin(lax.conv_general_dilated(x, k, (2, 2), "SAME", feature_group_count=2)))
    return jax.grad(f, (0, 1))(x, k)


@case("3-d convolution in bf16", normal((1, 2, 4, 5, 6), (3, 2, 2, 3, 3), dtype=BF16), SUMS)
def conv3d_bf16(x, k):
    return lax.conv_general_dilated(x, k, (1, 1, 1), "VALID")


@case(
    "max, average and dilated integer-sum windows",
    lambda r: normal((1, 2, 9, 8))(r) + [r.integers(-9, 9, (7, 8), np.int32)],
    [EXACT, SUMS, EXACT],
)
def pooling(x, n):
    win, stride = (1, 1, 3, 2), (1, 1, 2, 2)
    count = lax.reduce_window(jnp.ones_like(x), np.float32(0), lax.add, win, stride, "SAME")
    return (
        lax.reduce_window(x, -jnp.inf, lax.max, win, stride, "SAME"),
        lax.reduce_window(x, np.float32(0), lax.add, win, stride, "SAME") / count,
        lax.reduce_window(n, np.int32(0), lax.add, (2, 3), (1, 2), [(1, 0), (0, 2)], (1, 2), (2, 1)),
    )


@case("gradient of max pooling (select_and_scatter)", normal((1, 2, 8, 8)), SUMS)
def max_pool_gradient(x):
    f = lambda x: jnp.sum(jnp.square(lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), "SAME")))
    return jax.grad(f)(x)


@case("a portable artifact of StableHLO 1.9.0: attention", normal(*[(1, 6, 2, 4)] * 3), SUMS, form="1.9.0")
def artifact_1_9_attention(q, k, v):
    return _attention(q, k, v)


@case(
    "a portable artifact of StableHLO 1.0.0: layer norm and a convolution",
    normal((2, 3, 8, 8), (4, 3, 3, 3)),
    SUMS,
    form="1.0.0",
)
def artifact_1_0_conv(x, k):
    x = x - x.mean(-1, keepdims=True)
    x = x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)
    return lax.conv_general_dilated(x, k, (1, 1), "SAME")


@case(
    "a portable artifact of the oldest readable StableHLO, 0.9.0: a loop",
    lambda r: [np.int32(12), np.ones((2, 2), np.float32)],
    form="0.9.0",
)
def artifact_0_9_loop(n, m):
    return lax.fori_loop(0, n, lambda i, m: m @ jnp.array([[1.0, 1.0], [1.0, 0.0]], jnp.float32), m)


@case(
    "the artifact that jax.export writes: perceptron with tanh gelu",
    normal((4, 16), (16, 16), (16,)),
    SUMS,
    form="export",
)
def artifact_jax_export(x, w, b):
    return jax.nn.gelu(x @ w + b, approximate=True)


@case(
    "plain MLIR bytecode instead of text: sort by key and running sum",
    normal((20,), (20,)),
    [EXACT, EXACT, SUMS],
    form="bytecode",
)
def bytecode_sort(k, v):
    k, v = lax.sort((k, v), num_keys=1)
    return k, v, jnp.cumsum(v)


@case("text in MLIR's generic operation syntax", normal((4, 6), (6, 3)), SUMS, form="generic")
def generic_syntax(a, b):
    return {"y": jnp.maximum(a @ b, 0), "norm": jnp.sqrt(jnp.sum(a * a))}
