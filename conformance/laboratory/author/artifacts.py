# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors

"""Writes programs as portable artifacts, the way JAX does.

Each line of standard input is a StableHLO text as a JSON string. The answer is a line with
"artifact", in base 64, or "error".
"""

import base64
import io
import json
import sys

from jax._src.interpreters import mlir
from jax._src.lib import _jax
from jaxlib.mlir import ir

# The version of StableHLO is the first of these that has what the program uses: plugins read the
# artifacts of versions that are older than their own.
VERSIONS = ("1.0.0", "1.5.0", "1.9.0", "1.13.3")


def artifact(context, text):
    with context:
        code = io.BytesIO()
        ir.Module.parse(text).operation.write_bytecode(code)
    for version in VERSIONS:
        try:
            return _jax.mlir.serialize_portable_artifact(code.getvalue(), version)
        except Exception as e:
            refused = e
    raise refused


context = mlir.make_ir_context()
for line in sys.stdin:
    try:
        code = artifact(context, json.loads(line))
        answer = {"artifact": base64.b64encode(code).decode()}
    except Exception as e:
        answer = {"error": str(e).split("\n")[0]}
    print(json.dumps(answer), flush=True)
