# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Writes the modules of this directory: pip install jax==0.8.1, python make.py.

Each program is written as bytecode of the dialects func and stablehlo (NAME.mlirbc)
and as portable artifacts of two versions of StableHLO (NAME-VERSION.mlirbc).
"""

import io
import os

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

F = "tensor<f32>"
MAIN = f"func.func public @main(%a: {F}) -> {F} {{ %0 = func.call @g(%a) : ({F}) -> {F} return %0 : {F} }}\n"

PROGRAMS = {
    "calls": MAIN + f"func.func private @g(%a: {F}) -> {F} {{ return %a : {F} }}",
    "declared": MAIN + f"func.func private @g({F}) -> {F}",
    "recursion": MAIN + MAIN.replace("@g", "@h").replace("@main", "@g").replace("@h", "@main").replace("public", "private"),
    "huge": f"""func.func @main(%a: {F}) -> tensor<1125899906842624x16xf32> {{
  %0 = stablehlo.broadcast_in_dim %a, dims = [] : ({F}) -> tensor<1125899906842624x16xf32>
  return %0 : tensor<1125899906842624x16xf32>
}}""",
    "dynamic": """func.func @main(%a: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = stablehlo.add %a, %a : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}""",
    "bounded": """func.func @main(%a: tensor<?x3xf32, #stablehlo.bounds<8, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<8, ?>> {
  %0 = stablehlo.add %a, %a : tensor<?x3xf32, #stablehlo.bounds<8, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<8, ?>>
}""",
    # A custom call of its own name, and a recursion that main does not reach.
    "regions": f"""func.func @main(%a: tensor<i32>) -> tensor<i32> {{
  %c = stablehlo.constant dense<10> : tensor<i32>
  %0 = stablehlo.while(%i = %a) : tensor<i32> cond {{
    %1 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }} do {{
    %2 = func.call @h(%i) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %2 : tensor<i32>
  }}
  return %0 : tensor<i32>
}}
func.func private @h(%a: tensor<i32>) -> tensor<i32> {{
  %0 = stablehlo.custom_call @h(%a) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}}
func.func private @alone(%a: {F}) -> {F} {{ %0 = func.call @alone(%a) : ({F}) -> {F} return %0 : {F} }}""",
    "composite": f"""func.func @main(%a: {F} {{tf.aliasing_output = 0 : i32}}) -> ({F} {{jax.result_info = "r"}}) {{
  %0 = stablehlo.composite "x.y" %a {{composite_attributes = {{n = 1 : i64}}, decomposition = @impl}} : ({F}) -> {F}
  return %0 : {F}
}}
func.func private @impl(%a: {F}) -> {F} {{ return %a : {F} }}""",
    "permute": f"""func.func @main(%a: {F}) -> {F} {{
  %0 = "stablehlo.collective_permute"(%a) {{source_target_pairs = dense<[[0, 3], [3, 1]]> : tensor<2x2xi64>}} : ({F}) -> {F}
  return %0 : {F}
}}""",
    "splat": f"""func.func @main(%a: {F}) -> {F} {{
  %0 = "stablehlo.collective_permute"(%a) {{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, source_target_pairs = dense<2> : tensor<1x2xi64>}} : ({F}) -> {F}
  return %0 : {F}
}}""",
}

os.chdir(os.path.dirname(os.path.abspath(__file__)))
with mlir.make_ir_context(), ir.Location.unknown():
    for name, text in PROGRAMS.items():
        module = ir.Module.parse(text)
        code = io.BytesIO()
        module.operation.write_bytecode(code)
        with open(name + ".mlirbc", "wb") as f:
            f.write(code.getvalue())
        for version in ("0.9.0", "1.13.3"):
            if name == "composite" and version == "0.9.0":
                continue  # it came later
            with open(f"{name}-{version}.mlirbc", "wb") as f:
                f.write(stablehlo.serialize_portable_artifact_str(str(module), version))
