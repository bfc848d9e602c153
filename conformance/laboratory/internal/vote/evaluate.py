# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors

"""Evaluates StableHLO programs, each of which is a line of JSON on standard input.

A line has "text", a module whose function main takes nothing, and "by": reference is
StableHLO's reference interpreter, numpy is the evaluation in model.py. The answer is a
line with "results", the elements of each result in base 64, or "error". A program may
end this process.
"""

import base64
import json
import os
import sys

import numpy as np
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, stablehlo

# The pass that turns operations of the CHLO dialect into StableHLO.
LOWERED = "builtin.module(func.func(chlo-legalize-to-stablehlo))"


# Operations that the interpreter lacks. They would end the process.
LACKING = (
    "batch_norm_grad",
    "batch_norm_inference",
    "batch_norm_training",
    "cholesky",
    "fft",
    "triangular_solve",
)


def context():
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    c = ir.Context()
    c.append_dialect_registry(registry)
    c.load_all_available_dialects()
    stablehlo.register_dialect(c)
    stablehlo.register_interpreter_dialect(c)
    chlo.register_dialect(c)
    c.allow_unregistered_dialects = True  # some attributes belong to other dialects
    return c


def said(e):
    """The first message of an error, without its location in the text."""
    return e.error_diagnostics[0].message if e.error_diagnostics else str(e)


def reference(text):
    for name in LACKING:
        if f"stablehlo.{name}" in text:
            raise NotImplementedError(f"the interpreter has no {name}")
    if "interpreter.run_parallel" in text:
        raise NotImplementedError("the interpreter waits for ever where there are fewer processors than devices")
    module = ir.Module.parse(text)
    if "chlo." in text:
        passmanager.PassManager.parse(LOWERED).run(module.operation)
    return [np.array(a) for a in stablehlo.eval_module(module, [])]


def numpy(text):
    import model

    return model.evaluate(ir.Module.parse(text))


def main():
    # Standard output is for the answers alone.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    stablehlo.register_stablehlo_passes()
    with context():
        for line in sys.stdin:
            asked = json.loads(line)
            try:
                by = {"reference": reference, "numpy": numpy}[asked["by"]]
                answer = {"results": [base64.b64encode(np.ascontiguousarray(a).tobytes()).decode() for a in by(asked["text"])]}
            except ir.MLIRError as e:
                answer = {"error": f"jaxlib does not read it: {said(e)}"}
            except Exception as e:  # whatever it is, the program has no result
                answer = {"error": str(e)}
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
