# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Writes golden.json.gz, what NumPy prints, for the tests of this package.

    python golden.py golden.json.gz        needs: pip install numpy==2.4.6 ml_dtypes==0.6.0

"text" holds arrays with what print shows of them; "float16" holds the CRC-32 of str() of each run of 256 float16
codes, joined by newlines.
"""

import base64
import gzip
import json
import sys
import warnings
import zlib

import ml_dtypes
import numpy as np

warnings.simplefilter("ignore")
np.seterr(all="ignore")
rng = np.random.default_rng(7)

ML = ["bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
      "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn",
      "int1", "int2", "int4", "uint1", "uint2", "uint4"]
NUMPY = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float16", "float32", "float64", "complex64", "complex128"]


def dtype(name):
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def b64(b):
    return base64.b64encode(b).decode()


def case(a, **opts):
    a = np.asarray(a)
    with np.printoptions(**opts):
        text = str(a)
    return {"type": a.dtype.name, "dims": a.shape, "data": b64(a.tobytes()), "opts": opts, "text": text}


def texts():
    yield case(np.arange(12, dtype=np.float32).reshape(3, 4))
    yield case(np.linspace(0, 1, 7))
    yield case(np.linspace(0, 1, 7, dtype=np.float32))
    yield case([1.5])
    yield case([1e-5, 1.0])
    yield case([1e8, 1.0])
    yield case([99999999.0, 100000.0])
    yield case([1e300, 1e-300, -1.0])
    yield case([1e100, 1.0])
    yield case([0.0, -0.0])
    yield case([0.0001, 0.01])
    yield case([0.00009999, 0.01])
    yield case([1.0, 1000.0])
    yield case([1.0, 1000.5])
    yield case([1.0, 1001.0])
    yield case(np.array([1.0, 1000.5], np.float16))
    yield case(np.array([0.0001, 0.01], np.float16))
    yield case(np.array([0.0001, 0.01], np.float32))
    yield case(np.array([999999, 5e5], np.float32))
    yield case(np.array([1e6, 5e5], np.float32))
    yield case(np.array([1000, 500], np.float16))
    yield case(np.array([999.5, 500], np.float16))
    yield case(np.array([65504, 6e-8], np.float16))
    yield case(np.array([0.1, 0.2, 1 / 3], np.float16))
    yield case([np.nan, np.inf, -np.inf])
    yield case([np.nan, 1.0, 22.5])
    yield case([np.inf, 1.0, 22.5])
    yield case([-np.inf, 1.0, 22.5])
    yield case([-np.inf, 1e10, 22.5])
    yield case([np.nan, 1e10, -22.5])
    yield case([np.nan])
    yield case([np.inf])
    yield case([-np.inf])
    yield case([0.001953125, 2.5])  # a tie at the ninth digit
    yield case([0.005859375, 0.013671875])
    yield case([1.123456789, 1.1, 0.1999999999])
    yield case(np.array([1.1, 123456.789, 0.33333334], np.float32))
    yield case(np.array([16777216, 3.4e38, 1e-45], np.float32))
    yield case([1 / 3, 2 / 3], precision=3)
    yield case([0.001, 5.0], precision=2)
    yield case([1e10, 1 / 3], precision=2)
    yield case([1 / 3, 100.0], precision=17)
    yield case(np.pi * 10.0 ** np.arange(-3, 4))
    for dt in (np.float16, np.float32, np.float64):
        yield case(rng.standard_normal((4, 9)).astype(dt))
        yield case((rng.standard_normal(40) * 100).astype(dt))
        yield case((rng.standard_normal((3, 5)) * 10.0 ** rng.integers(-9, 9, (3, 5))).astype(dt))
        yield case((rng.integers(0, 1 << 62, 64).view(np.float64) if dt is np.float64 else
                    rng.integers(0, 1 << (8 * dt().itemsize), 64, dtype=np.uint64).astype(f"u{dt().itemsize}").view(dt)))
    for dt in (np.complex64, np.complex128):
        yield case((rng.standard_normal((2, 5)) + 1j * rng.standard_normal((2, 5))).astype(dt))
        yield case(np.array([1 + 10j, -1.5 - 2j, 0.25j], dt))
        yield case(np.array([1e10 + 1j, 1 - 1e-10j], dt))
        yield case(np.array([complex(np.nan, 1), complex(np.inf, -np.inf), complex(1.5, np.nan), complex(-np.inf, 10)], dt))
        yield case(np.array([complex(0.0, -0.0), complex(-0.0, 0.0)], dt))
        yield case(np.array([complex(np.nan, np.inf)], dt))
        for z in (0, 1 + 2j, 2.5j, -2j, -0.0 + 1j, 1.1 - 1e20j, 1e-5 + 1j, complex(np.nan, np.inf), complex(0, np.nan), complex(1, -np.inf), complex(1, -np.nan)):
            yield case(np.array(z, dt))
    for name in NUMPY[1:9]:
        info = np.iinfo(name)
        yield case(np.array([[info.min, 0, 7], [info.max, 100, 12]], name))
        yield case(np.array(info.max, name))
    yield case(np.array([-100, 5, 10]))
    yield case([True, False, True])
    yield case(np.array([[True], [False]]))
    yield case(np.array(True))
    yield case(np.array(False))
    yield case(np.zeros(50, bool))
    for name in ("float16", "float32", "float64"):
        for x in (0, -0.0, 1, 1.5, 0.1, 1 / 3, 123456789, 1e15, 9999999999999999, 1e16, 1e-4, 9.9e-5, 65504, 1e22, np.nan, np.inf, -np.inf, -7):
            yield case(np.array(x, name))
    for shape in ((0,), (0, 3), (3, 0), (2, 0, 4)):
        yield case(np.zeros(shape, np.float32))
    yield case(np.zeros((0,), ml_dtypes.bfloat16))
    yield case(np.arange(1000))
    yield case(np.arange(1001))
    yield case(np.arange(2000.0))
    yield case(np.arange(10000).reshape(100, 100))
    yield case(np.arange(4000).reshape(4, 1000))
    yield case(np.arange(4000).reshape(1000, 4))
    yield case(np.arange(3000.0, dtype=np.float32).reshape(10, 10, 30) / 7)
    yield case(np.arange(1200).reshape(2, 2, 3, 100))
    yield case(np.arange(24).reshape(2, 3, 4))
    yield case(np.arange(8.0).reshape(1, 2, 2, 2))
    yield case(np.arange(8.0).reshape(2, 1, 2, 2))
    yield case(np.arange(7), threshold=5)
    yield case(np.arange(6), threshold=5)
    yield case(np.arange(20), threshold=5, edgeitems=2)
    yield case(np.arange(40).reshape(4, 10), threshold=5, edgeitems=1)
    yield case(np.arange(64).reshape(4, 4, 4), threshold=5, edgeitems=1)
    yield case(np.arange(2000), threshold=5000)
    yield case(np.arange(30), linewidth=20)
    yield case(np.arange(30).reshape(2, 15) * 1000003, linewidth=30)
    yield case(np.array([1e300, 2e300, 1 / 3]), linewidth=10)
    yield case(np.arange(60.0).reshape(2, 2, 15), linewidth=40)
    yield case(np.where(np.arange(2000) == 1000, 1e30, 1.0))  # not shown, so not counted
    yield case(np.arange(1500) % 2 == 0)
    yield case(np.arange(1500) * (1 + 1j))
    for name in ML:
        d = dtype(name)
        yield case(np.array([[1, 0, 3, -1.5], [0.3, 1.1, 7, 100]]).astype(d))
        yield case(np.arange(40).astype(d).reshape(2, 20))
        yield case(np.arange(1500).astype(d))
        yield case(np.array(1).astype(d))
        if d.itemsize == 1 and name[:3] != "int" and name[:4] != "uint":
            bits = 8 if name[5] == "8" else int(name[5])
            yield case(np.arange(1 << bits, dtype=np.uint8).view(d))
    yield case(rng.integers(0, 1 << 16, 300, dtype=np.uint16).view(ml_dtypes.bfloat16))
    yield case((rng.standard_normal((5, 6)) * 1000).astype(ml_dtypes.bfloat16))


f16 = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
crc = [zlib.crc32("\n".join(str(x) for x in f16[i:i + 256]).encode()) for i in range(0, 1 << 16, 256)]
out = json.dumps({"text": list(texts()), "float16": crc}, separators=(",", ":")).encode()
with open(sys.argv[1], "wb") as f, gzip.GzipFile(fileobj=f, mode="wb", compresslevel=9, mtime=0, filename="") as z:
    z.write(out)
