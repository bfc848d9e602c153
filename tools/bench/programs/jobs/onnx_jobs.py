# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Tokens of the same models in ONNX Runtime. The protocol is that of package child.

The graph is as exporters write it: the keys and values of the tokens so far are inputs, and those of all tokens are
results. A step sees half a context of them.
"""

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import child

SIZES = {"small": (3, 32, 4, 128, 64), "medium": (6, 384, 6, 8192, 256), "gpt2": (12, 768, 12, 8192, 256)}


def numbers(*shape):
    n = int(np.prod(shape))
    return (((np.arange(n, dtype=np.uint32) * 2654435761 >> 16) & 0xFF).astype(np.float32) / 2550 - 0.05).reshape(shape)


def graph(layers, width, heads, vocabulary, context):
    """Returns the model: token [streams, n], position [n], and keys and values [streams, heads, past, size] of each layer."""
    nodes, weights = [], []

    def constant(array, name):
        weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def op(kind, *inputs, results=None, **attributes):
        results = results or [f"{kind}_{len(nodes)}"]
        nodes.append(helper.make_node(kind, list(inputs), results, **attributes))
        return results[0] if len(results) == 1 else results

    def norm(x, name):
        return op("LayerNormalization", x, constant(numbers(width), name + ".w"), constant(numbers(width), name + ".b"), epsilon=1e-5)

    def linear(x, name, inputs, outputs):
        y = op("MatMul", x, constant(numbers(inputs, outputs), name + ".w"))
        return op("Add", y, constant(numbers(outputs), name + ".b"))

    split = constant(np.array([0, 0, heads, width // heads], np.int64), "split")
    joined = constant(np.array([0, 0, width], np.int64), "joined")
    scale = constant(np.float32((width // heads) ** -0.5), "scale")
    tokens = constant(numbers(vocabulary, width), "wte")
    x = op("Add", op("Gather", tokens, "token"), op("Gather", constant(numbers(context, width), "wpe"), "position"))
    present = []
    for i in range(layers):
        qkv = linear(norm(x, f"{i}.ln_1"), f"{i}.c_attn", width, 3 * width)
        parts = op("Split", qkv, results=[f"{i}.q", f"{i}.k", f"{i}.v"], axis=-1, num_outputs=3)
        q, k, v = (op("Transpose", op("Reshape", p, split), perm=[0, 2, 1, 3]) for p in parts)
        k = op("Concat", f"keys.{i}", k, results=[f"new_keys.{i}"], axis=2)
        v = op("Concat", f"values.{i}", v, results=[f"new_values.{i}"], axis=2)
        present += [k, v]
        scores = op("Mul", op("MatMul", q, op("Transpose", k, perm=[0, 1, 3, 2])), scale)
        mixed = op("Transpose", op("MatMul", op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        x = op("Add", x, linear(op("Reshape", mixed, joined), f"{i}.c_proj", width, width))
        h = op("Gelu", linear(norm(x, f"{i}.ln_2"), f"{i}.c_fc", width, 4 * width), approximate="tanh")
        x = op("Add", x, linear(h, f"{i}.mlp", 4 * width, width))
    op("MatMul", norm(x, "ln_f"), op("Transpose", tokens, perm=[1, 0]), results=["logits"])
    f32, cached = TensorProto.FLOAT, ["streams", heads, "past", width // heads]
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, s) for n, s in (("token", ["streams", "n"]), ("position", ["n"]))]
    inputs += [helper.make_tensor_value_info(f"{n}.{i}", f32, cached) for i in range(layers) for n in ("keys", "values")]
    outputs = [helper.make_tensor_value_info(n, f32, None) for n in ["logits", *present]]
    return helper.make_model(
        helper.make_graph(nodes, "gpt2", inputs, outputs, weights), opset_imports=[helper.make_opsetid("", 20)], ir_version=10
    )


def program(name):
    size, _, streams = name.partition("-")
    layers, width, heads, vocabulary, context = SIZES[size]
    model = graph(layers, width, heads, vocabulary, context)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    streams, past = int(streams or 1), context // 2
    feed = {"token": np.ones((streams, 1), np.int64), "position": np.array([past], np.int64)}
    for i in range(layers):
        for kind in "keys", "values":
            feed[f"{kind}.{i}"] = np.zeros((streams, heads, past, width // heads), np.float32)
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in feed.items()}
    results = [output.name for output in session.get_outputs()]

    def run(n):
        for _ in range(n):
            values["token"] = onnxruntime.OrtValue.ortvalue_from_numpy(feed["token"])
            session.run_with_ort_values(results, values)[0].numpy()

    return run


def prepare(job, _):
    return program(job.removeprefix("model:tokens-")) if job.startswith("model:tokens-") else None


if __name__ == "__main__":
    child.serve(prepare)
