# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Writes the custom calls that JAX makes of attention through cuDNN and of its gradient.

python attention.py > attention.json, with jax; no GPU is needed."""

import json
import re

import jax
import jax.numpy as jnp
from jax._src.cudnn import fused_attention_stablehlo as cudnn

# These ask the GPU.
cudnn.check_cudnn_version = lambda: 91000
cudnn.check_is_flash_attention = lambda *a, **k: None


def calls(layout, heads, dtype, lengths=False, **options):
    """The calls of the forward pass and of the gradient."""

    def shape(heads, positions):
        dims = (2, heads, positions, 64) if layout == "BNTH" else (2, positions, heads, 64)
        return jax.ShapeDtypeStruct(dims, dtype)

    args = [shape(4, 128), shape(heads, 256), shape(heads, 256)]
    if lengths:
        args += [jax.ShapeDtypeStruct((2,), jnp.int32)] * 2

    def total(q, k, v, *n):
        named = dict(zip(("q_seqlen", "kv_seqlen"), n))
        return cudnn.dot_product_attention(q, k, v, qkv_layout=layout, **named, **options).astype(jnp.float32).sum()

    lowered = jax.jit(jax.grad(total, (0, 1, 2))).trace(*args).lower(lowering_platforms=("cuda",)).as_text()
    for m in re.finditer(
        r'custom_call @(\S+?)\(.*?api_version = (\d+) : i32, backend_config = "(.*?)", operand_layouts = \[(.*?)\], '
        r"result_layouts = \[(.*?)\]\} : \((.*?)\) -> \((.*?)\)\n",
        lowered,
    ):
        text = re.sub(r"\\([0-9A-F]{2})", lambda c: chr(int(c[1], 16)), m[3])
        yield {
            "target": m[1],
            "api_version": int(m[2]),
            "backend_config": json.loads(text),
            "operand_layouts": re.findall("dense<(.*?)>", m[4]),
            "result_layouts": re.findall("dense<(.*?)>", m[5]),
            "operands": re.findall("tensor<(.*?)>", m[6]),
            "results": re.findall("tensor<(.*?)>", m[7]),
        }


MASK = cudnn.MaskType
CASES = {
    "plain": ("BTNH", 4, jnp.bfloat16, False, {"scale": 0.125}),
    "causal": ("BTNH", 4, jnp.bfloat16, False, {"scale": 0.25, "mask_type": MASK.CAUSAL}),
    "lengths": ("BTNH", 4, jnp.float16, True, {"scale": 0.125, "mask_type": MASK.PADDING}),
    "causal lengths": ("BNTH", 4, jnp.bfloat16, True, {"scale": 0.125, "mask_type": MASK.PADDING_CAUSAL}),
    "shared heads": ("BTNH", 2, jnp.bfloat16, False, {"scale": 0.125}),
    "heads first": ("BNTH", 2, jnp.float16, False, {"scale": 0.125}),
}
print("{")
for i, (name, (layout, heads, dtype, lengths, options)) in enumerate(CASES.items()):
    end = "," if i + 1 < len(CASES) else ""
    print(json.dumps(name) + ":", json.dumps(list(calls(layout, heads, dtype, lengths, **options)), sort_keys=True) + end)
print("}")
