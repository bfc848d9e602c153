# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Writes forms.zip, the programs of Dangers in the other formats that plugins read:

    make bin/jobs/ready
    go test ./pjrt/internal/mlir -run TheForms -update-forms $PWD/bin/jobs/bin/python

NAME.mlir is the text that the others were made of. NAME.mlirbc is bytecode of the dialects func
and stablehlo, NAME-VERSION.mlirbc a portable artifact of a version of StableHLO, and NAME.hlo.pb an
HloModuleProto. One that a format cannot say is left out. Those whose text has not changed are kept:
empty the file to make all of them again.
"""

import io
import json
import os
import subprocess
import sys
import zipfile

from jax._src.interpreters import mlir
from jaxlib import _jax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


def forms(text):
    module = ir.Module.parse(text)
    code = io.BytesIO()
    module.operation.write_bytecode(code)
    yield ".mlirbc", code.getvalue()
    for version in ("0.9.0", "1.13.3"):
        try:
            yield f"-{version}.mlirbc", stablehlo.serialize_portable_artifact_str(str(module), version)
        except ValueError as e:
            print(e, file=sys.stderr)
    # In a child, since the conversion ends the process of some.
    code = subprocess.run([sys.executable, __file__, "hlo"], input=text.encode(), capture_output=True).stdout
    if code:
        yield ".hlo.pb", code


if sys.argv[1:] == ["hlo"]:
    computation = _jax.mlir.mlir_module_to_xla_computation(sys.stdin.read(), use_tuple_args=False, return_tuple=False)
    sys.stdout.buffer.write(computation.as_serialized_hlo_module_proto())
    sys.exit()

programs = json.load(sys.stdin)
file = os.path.join(os.path.dirname(os.path.abspath(__file__)), "forms.zip")
before = {}
if os.path.getsize(file):
    with zipfile.ZipFile(file) as z:
        before = {name: z.read(name) for name in z.namelist()}
suffixes = (".mlirbc", "-0.9.0.mlirbc", "-1.13.3.mlirbc", ".hlo.pb")
with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as z, mlir.make_ir_context(), ir.Location.unknown():
    for name, text in sorted(programs.items()):
        if before.get(name + ".mlir") == text.encode():
            made = [(s, before[name + s]) for s in suffixes if name + s in before]
        else:
            made = list(forms(text))
        for suffix, code in [(".mlir", text.encode())] + made:
            z.writestr(zipfile.ZipInfo(name + suffix), code, zipfile.ZIP_DEFLATED)
