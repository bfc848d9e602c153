# /// script
# requires-python = ">=3.11"
# dependencies = ["jax==0.8.1", "jaxlib==0.8.1", "ml_dtypes==0.6.0", "numpy==2.4.6"]
# ///
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Exports every program of cases*.py with its inputs and with the outputs JAX computes for them.

    python3 export.py              rewrite every directory here and manifest.json
    python3 export.py NAME...      rewrite only these, and their rows of the manifest

Each program becomes a directory with program.mlir (or program.mlirbc), arg0.npy ..., out0.npy ...
"""

import json
import os
import pathlib
import re
import shutil
import sys
import zlib

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import ml_dtypes
import numpy as np
from jax import export as jax_export
from jax.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

# Without it a product of f32 is computed with fewer bits on GPUs and TPUs, as its precision DEFAULT allows.
jax.config.update("jax_default_matmul_precision", "highest")

HERE = pathlib.Path(__file__).resolve().parent
MAX_FILE = 40_000
MAX_TOTAL = 1_500_000

# The name pjrt run takes for each NumPy type.
DTYPES = {
    "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64",
    "float16": "f16", "float32": "f32", "float64": "f64", "bfloat16": "bf16",
    "complex64": "complex64", "complex128": "complex128",
    "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "float8_e4m3b11fnuz": "f8E4M3B11FNUZ",
    "float8_e4m3fnuz": "f8E4M3FNUZ", "float8_e5m2fnuz": "f8E5M2FNUZ", "float8_e4m3": "f8E4M3",
    "float8_e3m4": "f8E3M4", "float8_e8m0fnu": "f8E8M0FNU", "float4_e2m1fn": "f4E2M1FN",
    "int2": "i2", "uint2": "ui2", "int4": "i4", "uint4": "ui4",
}  # fmt: skip
NUMPY = {v: np.dtype(getattr(ml_dtypes, k, k)) for k, v in DTYPES.items()}
PLAIN = {
    "i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64",
    "f16", "f32", "f64", "complex64", "complex128",
}  # fmt: skip

# Relative tolerance of one rounding-limited result. f32 and f64 leave room for about a hundred roundings; bf16 and
# f16 for one or two, since XLA keeps their intermediate values in f32.
RTOL = {"f64": 1e-13, "complex128": 1e-13, "f32": 1e-5, "complex64": 1e-5, "f16": 2e-3, "bf16": 1e-2}

EXACT = None  # data movement, integers, comparisons, and float operations that IEEE 754 rounds correctly


class Tol:
    """A tolerance: `scale` multiplies RTOL, `sums` adds an absolute part for results that terms cancel in."""

    def __init__(self, scale=1, sums=False):
        self.scale, self.sums = scale, sums

    def of(self, out, dtype):
        if dtype not in RTOL or out.size == 0:
            return 0.0, 0.0
        rtol = RTOL[dtype] * self.scale
        if not self.sums:
            return rtol, 0.0
        size = np.abs(out.astype(np.complex128 if out.dtype.kind == "c" else np.float64))
        size = size[np.isfinite(size)]
        return rtol, float(f"{rtol * (size.max() if size.size else 0):.1e}")


QUOTIENT = Tol(0.05)  # quotients and roots of f32, which GPUs round to within two units in the last place
MATH = Tol()  # element by element: exp, log, sin and what is composed of a few of them
SUMS = Tol(sums=True)  # reductions, dot products, convolutions
LONG = Tol(10, sums=True)  # the same in a chain: training steps, recurrences, many layers


class Arg:
    """An argument: the array in the file and, where the file alone does not say it, the type to cast to."""

    def __init__(self, file, dtype=None, name_type=False):
        self.file = file
        own = DTYPES[file.dtype.newbyteorder("=").name]
        self.dtype = dtype or (own if own not in PLAIN or name_type else None)
        self.value = np.ascontiguousarray(file).reshape(file.shape)
        with np.errstate(over="ignore"):
            self.value = self.value.astype(NUMPY[dtype or own])


CASES = {}


def case(covers, args=lambda r: [], tol=EXACT, x64=False, platform="cpu", form="text", donate=()):
    """Registers the decorated function as the program of the same name.

    args takes a seeded generator and gives arrays or Args. platform chooses JAX's lowering only: the numbers always
    come from JAX on the CPU. form is text, generic, bytecode, export, or the StableHLO version of a portable artifact.
    """

    def register(fn):
        name = fn.__name__
        assert name not in CASES, name
        CASES[name] = dict(
            fn=fn, covers=covers, args=args, tol=tol, x64=x64, platform=platform, form=form, donate=donate
        )
        return fn

    return register


def program_bytes(jitted, values, c):
    """The program file of a case, without source locations, and its text for checking."""
    if c["form"] == "export":
        # jax.export records source paths; its module is printed without them and serialized again.
        e = jax_export.export(jitted)(*values)
        with jax_mlir.make_ir_context():
            text = ir.Module.parse(e.mlir_module()).operation.get_asm(enable_debug_info=False)
        return stablehlo.serialize_portable_artifact_str(text, "1.13.0"), text
    module = jitted.trace(*values).lower(lowering_platforms=(c["platform"],)).compiler_ir("stablehlo")
    text = module.operation.get_asm(enable_debug_info=False)
    if c["form"] == "text":
        return text.encode(), text
    if c["form"] == "generic":
        return module.operation.get_asm(enable_debug_info=False, print_generic_op_form=True).encode(), text
    # Both binary forms start from the text, which has no source locations.
    with module.context:
        bare = type(module).parse(text)
        if c["form"] == "bytecode":
            path = HERE / ".bytecode"
            try:
                with open(path, "wb") as f:
                    bare.operation.write_bytecode(f)
                return path.read_bytes(), text
            finally:
                path.unlink(missing_ok=True)
        return stablehlo.serialize_portable_artifact_str(text, c["form"]), text


def save(path, array):
    np.save(path, array)
    size = path.stat().st_size
    assert size < MAX_FILE, f"{path} has {size} bytes"


def export_case(name, c):
    out_dir = HERE / name
    shutil.rmtree(out_dir, ignore_errors=True)
    out_dir.mkdir()
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    args = [a if isinstance(a, Arg) else Arg(a) for a in c["args"](rng)]
    values = [a.value for a in args]
    with jax.enable_x64(c["x64"]):
        jitted = jax.jit(c["fn"], keep_unused=True, donate_argnums=c["donate"])
        code, text = program_bytes(jitted, values, c)
        # Not the jitted one: donation has no place here, and the numbers are the same.
        outs = jax.tree.leaves(jax.jit(c["fn"])(*values))
    assert "custom_call" not in text, f"{name} has a custom call: " + re.search("custom_call.*", text)[0][:100]
    assert "loc(" not in text, f"{name} has source locations"
    file = "program.mlir" if c["form"] in ("text", "generic") else "program.mlirbc"
    (out_dir / file).write_bytes(code)
    row = {"name": name, "covers": c["covers"], "program": f"{name}/{file}", "args": [], "outputs": []}
    for i, a in enumerate(args):
        save(out_dir / f"arg{i}.npy", a.file)
        row["args"].append({"file": f"{name}/arg{i}.npy"} | ({"dtype": a.dtype} if a.dtype else {}))
    tols = c["tol"] if isinstance(c["tol"], list) else [c["tol"]] * len(outs)
    assert len(tols) == len(outs)
    for i, (out, tol) in enumerate(zip(outs, tols)):
        out = np.asarray(out)
        dtype = DTYPES[out.dtype.name]
        # NumPy writes ml_dtypes' float8_e5m2 as "<f1", which it cannot read again; the others are written as V1.
        save(out_dir / f"out{i}.npy", out.view("V1") if dtype == "f8E5M2" else out)
        rtol, atol = tol.of(out, dtype) if tol else (0.0, 0.0)
        row["outputs"].append(
            {"file": f"{name}/out{i}.npy", "dtype": dtype, "shape": list(out.shape), "rtol": rtol, "atol": atol}
        )
    return row


def main():
    # Importing registers the cases.
    import cases_models  # noqa: F401
    import cases_ops  # noqa: F401
    import cases_types  # noqa: F401

    names = sys.argv[1:] or list(CASES)
    path = HERE / "manifest.json"
    rows = {}
    if sys.argv[1:]:
        rows = {p["name"]: p for p in json.loads(path.read_text())["programs"]}
    for name in names:
        rows[name] = export_case(name, CASES[name])
    for program in HERE.glob("*/program.mlir*"):
        if program.parent.name not in CASES:
            shutil.rmtree(program.parent)
    lines = ",\n".join(json.dumps(rows[n], separators=(", ", ": ")) for n in CASES if n in rows)
    path.write_text(f'{{"made_with": "jax {jax.__version__}", "programs": [\n{lines}\n]}}\n')
    total = path.stat().st_size + sum(f.stat().st_size for name in rows for f in (HERE / name).iterdir())
    assert total < MAX_TOTAL, total
    print(f"{len(rows)} programs, {total} bytes")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.modules["export"] = sys.modules["__main__"]
    main()
