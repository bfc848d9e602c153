# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Writes golden.json.gz, what NumPy saves, for the tests of this package.

    python golden.py golden.json.gz        needs: pip install numpy==2.4.6 ml_dtypes==0.6.0

"files" holds what numpy.save writes, with the row-major little-endian data that it means.
"""

import base64
import gzip
import io
import json
import sys
import warnings

import ml_dtypes
import numpy as np

warnings.simplefilter("ignore")
np.seterr(all="ignore")

ML = ["bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
      "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn",
      "int1", "int2", "int4", "uint1", "uint2", "uint4"]
NUMPY = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float16", "float32", "float64", "complex64", "complex128"]


def dtype(name):
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def b64(b):
    return base64.b64encode(b).decode()


def file(a, version=None):
    a = np.asarray(a)
    f = io.BytesIO()
    if version:
        np.lib.format.write_array(f, a, version)
    else:
        np.save(f, a)
    native = a if a.dtype.kind == "V" or a.dtype.itemsize == 1 else a.astype(a.dtype.newbyteorder("<"))
    return {"type": native.dtype.name, "dims": a.shape, "data": b64(np.ascontiguousarray(native).tobytes()), "file": b64(f.getvalue()),
            "plain": version is None and bool(a.flags.c_contiguous) and a.dtype.byteorder != ">"}


def files():
    for name in NUMPY + ML:
        d = dtype(name)
        yield file(np.arange(6).astype(d).reshape(2, 3))
        yield file(np.array(1).astype(d))
        yield file(np.zeros((0, 3), d))
        yield file(np.asfortranarray(np.arange(24).astype(d).reshape(2, 3, 4)))
        if name in NUMPY and d.itemsize > 1:
            yield file(np.arange(6).reshape(2, 3).astype(d.newbyteorder(">")))
            yield file(np.asfortranarray((np.arange(6).reshape(2, 3) * (1 + 1j if d.kind == "c" else 1)).astype(d.newbyteorder(">"))))
    yield file(np.arange(3.0), (2, 0))
    yield file(np.arange(3.0), (3, 0))
    yield file(np.arange(123456 % 1000, dtype=np.uint16))
    yield file(np.zeros((1,) * 12, np.float32))
    yield file(np.zeros((1,) * 32, np.float32))


out = json.dumps({"files": list(files())}, separators=(",", ":")).encode()
with open(sys.argv[1], "wb") as f, gzip.GzipFile(fileobj=f, mode="wb", compresslevel=9, mtime=0, filename="") as z:
    z.write(out)
