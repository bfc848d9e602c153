# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Writes golden.gz, what NumPy and ml_dtypes make of numbers, for the tests of this package.

    python golden.py golden.gz        needs: pip install numpy==2.4.6 ml_dtypes==0.6.0, on amd64

The file is a gzip of one JSON line, {"sections": [[name, length in bytes], ...]}, followed by the sections. All numbers
are little-endian. Sections of more than one byte per number are stored by planes, all lowest bytes first, which packs
better. NaN is stored as the quiet NaN of its sign.

    decode/T         the float32 of every code of T
    encode.f16/T     T of every float16, in the order of their codes
    encode.bf16/T    T of every bfloat16
    edges.in/T       float32: every code of T, the middle to the next one and both neighbours of that, and special numbers
    edges.out/T      T of those
    once.in/T        float64 next to the middle between neighbours of T, closer than a float32 can be
    once.out/T       T of those, by ml_dtypes' scalar constructor, which rounds once
    cast.in/T        some or all T
    cast/T/U         U of those, one astype for each element
    text/T           what str() gives for every code, joined by newlines
"""

import gzip
import json
import sys
import warnings

import ml_dtypes
import numpy as np

warnings.simplefilter("ignore")
np.seterr(all="ignore")

FLOATS = {
    "float16": 16, "bfloat16": 16,
    "float8_e5m2": 8, "float8_e4m3": 8, "float8_e3m4": 8, "float8_e4m3fn": 8,
    "float8_e4m3fnuz": 8, "float8_e5m2fnuz": 8, "float8_e4m3b11fnuz": 8, "float8_e8m0fnu": 8,
    "float6_e2m3fn": 6, "float6_e3m2fn": 6, "float4_e2m1fn": 4,
}
INTS = {"int1": 1, "int2": 2, "int4": 4, "uint1": 1, "uint2": 2, "uint4": 4}
NUMPY = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float32", "float64", "complex64", "complex128"]

sections = []


def dtype(name):
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def word(d):
    return np.dtype(f"u{d.itemsize}")


def ours(d):
    """Whether d is one of NumPy's own floats: float8_e5m2 claims to be of their kind."""
    return d.kind in "fc" and d.itemsize > 1


def canonical(a):
    if ours(a.dtype):
        part = a.view(np.dtype(f"f{a.real.dtype.itemsize}"))
        bits = part.view(word(part.dtype))
        top = 8 * part.dtype.itemsize - 1
        quiet = {2: 0x7E00, 4: 0x7FC00000, 8: 0x7FF8 << 48}[part.dtype.itemsize]
        nan = np.isnan(part)
        bits[nan] = bits[nan] >> top << top | bits.dtype.type(quiet)
    return a


def put(name, a):
    a = canonical(np.ascontiguousarray(a).copy())
    if a.dtype.kind == "c":
        a = a.view(a.real.dtype)
    size = a.dtype.itemsize
    raw = a.view(np.uint8).reshape(-1, size).T.tobytes()
    sections.append((name, raw))


def codes(name, bits):
    d = dtype(name)
    return np.arange(1 << bits, dtype=word(d)).view(d)


def edges(name, bits):
    v = codes(name, bits).astype(np.float32)
    v = np.unique(v[np.isfinite(v)])
    mid = ((v[1:].astype(np.float64) + v[:-1]) / 2).astype(np.float32)
    top = float(v[-1])
    step = top - float(v[-2])
    special = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1e-45, -1e-45, 1e-38, 3.4028235e38, -3.4028235e38]
    for k in (0.25, 0.5, 0.75, 1, 2):
        m = np.float32(min(top + k * step, 3.4e38))
        special += [m, -m, np.nextafter(m, np.float32(0)), -np.nextafter(m, np.float32(np.inf)), np.nextafter(m, np.float32(np.inf))]
    for x in (2.0**-127, 2.0**-126):
        x = np.float32(x)
        special += [np.nextafter(x, np.float32(0)), x, np.nextafter(x, np.float32(1))]
    special = np.array(special, np.float32)
    inf = np.float32(np.inf)
    return np.concatenate([v, mid, np.nextafter(mid, inf), np.nextafter(mid, -inf), special])


def once(name, bits):
    v = codes(name, bits).astype(np.float64)
    v = np.unique(v[np.isfinite(v)])
    mid = (v[1:] + v[:-1]) / 2
    return np.concatenate([np.nextafter(mid, np.inf), np.nextafter(mid, -np.inf)])


INTEGERS = [0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 100, 127, 128, 200, 255, 256, 257, 448, 464, 465, 1000, 32767, 32768, 57344, 61440,
            65504, 65519, 65520, 65535, 65536, 2**24 + 1, 2**24 + 3, 2**24 + 2**16 + 1, 2**31 - 1, 2**31, 2**31 + 2**23 + 1, 2**32 - 1,
            2**32, 2**32 + 5, 2**53 + 1, 2**62 + 2**38 + 1, 2**62 + 2**54 + 1, 2**63 - 1, 2**63, 2**63 + 2**55 + 1, 2**64 - 1]
REALS = [0.0, 0.3, 0.5, 0.9, 1.0, 1.0625, 1.0625 * (1 + 2**-40), 1 + 2**-8 + 2**-40, 1.5, 2.5, 3.999, 7.2, 8.9, 100.5, 127.9, 128.1, 255.9, 256.5, 300.9, 464,
         57344, 65519.99, 65520, 70000.5, 2147483520, 2147483646.5, 2147483648, 3e9, 4294967295.5, 4294967301, 5e9, 1e18,
         9.2e18, 9223372036854774784, 9223372036854775808, 9.3e18, 1.5e19, 18446744073709549568, 18446744073709551616, 1e20, 1e30,
         1e38, 3.5e38, 1e39, 1e300, 1e-3, 1e-6, 2**-25, 2**-126, 2**-127, 2**-133, 2**-140, 1e-300, 5e-324, np.inf, np.nan]


def inputs(name):
    d = dtype(name)
    if name in FLOATS and FLOATS[name] <= 8:
        return codes(name, FLOATS[name])
    if name in INTS:
        return codes(name, INTS[name])
    if name == "bool":
        return np.array([False, True])
    if d.kind in "iu":
        lim = np.iinfo(d)
        v = sorted({s * x for x in INTEGERS for s in (1, -1) if lim.min <= s * x <= lim.max} | {int(lim.min)})
        return np.array(v, d)
    r = np.array(REALS, np.float64)
    r = np.concatenate([r, -r])
    if d.kind == "c":
        v = np.empty(2 * len(r), np.complex128)
        v.real = np.concatenate([r, r])
        v.imag = np.concatenate([np.zeros(len(r)), r[::-1]])
        return v.astype(d)
    return r.astype(d)


for name, bits in FLOATS.items():
    d = dtype(name)
    put(f"decode/{name}", codes(name, bits).astype(np.float32))
    put(f"encode.f16/{name}", codes("float16", 16).astype(d).view(word(d)))
    put(f"encode.bf16/{name}", codes("bfloat16", 16).astype(d).view(word(d)))
    e = edges(name, bits)
    if bits == 16:
        # Every middle is too many; each exponent and both ends of it are there.
        e = np.concatenate([e[::61], e[-46:]])
    put(f"edges.in/{name}", e)
    put(f"edges.out/{name}", canonical(e.astype(d)).view(word(d)))
    if bits <= 8:
        o = once(name, bits)
        put(f"once.in/{name}", o)
        put(f"once.out/{name}", np.array([d.type(x) for x in o.tolist()], d).view(word(d)))
    if bits <= 8:
        sections.append((f"text/{name}", "\n".join(str(x) for x in codes(name, bits)).encode()))
sections.append(("text/bfloat16", "\n".join(str(x) for x in codes("bfloat16", 16)[::17]).encode()))

every = list(FLOATS) + list(INTS) + NUMPY
for src in every:
    a = inputs(src)
    put(f"cast.in/{src}", a.view(word(a.dtype)) if not ours(a.dtype) else a)
    for dst in every:
        d = dtype(dst)
        if a.dtype.kind == "c" and d.kind not in "cb":
            continue
        try:
            out = np.concatenate([a[i:i + 1].astype(d) for i in range(len(a))])
        except TypeError:
            continue
        out = canonical(out)
        put(f"cast/{src}/{dst}", out.view(word(d)) if not ours(d) else out)

with open(sys.argv[1], "wb") as f, gzip.GzipFile(fileobj=f, mode="wb", compresslevel=9, mtime=0, filename="") as z:
    z.write(json.dumps({"sections": [[n, len(b)] for n, b in sections]}, separators=(",", ":")).encode() + b"\n")
    for _, b in sections:
        z.write(b)
