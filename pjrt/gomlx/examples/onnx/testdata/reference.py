# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Writes what ONNX Runtime computes with the model of the example: the samples of main_test.go.

python reference.py MODEL > reference.txt, with numpy and onnxruntime."""

import sys

import numpy as np
import onnxruntime

RATE, CHUNK, CONTEXT = 16000, 512, 64


def samples():
    """A voice of harmonics that says five syllables, between two silences."""
    t = np.arange(RATE) / RATE
    pitch = 2 * np.pi * (130 * t - 2 * np.cos(2 * np.pi * 3 * t))
    voice = np.zeros(RATE)
    for k in range(1, 30):
        f = 130 * k
        voice += (np.exp(-(((f - 700) / 300) ** 2)) + 0.6 * np.exp(-(((f - 1200) / 300) ** 2))) * np.sin(k * pitch)
    loud = np.where((t > 0.2) & (t < 0.8), np.abs(np.sin(2 * np.pi * 4 * t)), 0)
    return (0.2 * loud * voice).astype(np.float32)


session = onnxruntime.InferenceSession(sys.argv[1])
x = np.concatenate([np.zeros(CONTEXT, np.float32), samples()])
state = np.zeros((2, 1, 128), np.float32)
for start in range(0, len(x) - CONTEXT - CHUNK + 1, CHUNK):
    chunk = x[start : start + CONTEXT + CHUNK][None]
    p, state = session.run(None, {"input": chunk, "state": state, "sr": np.array(RATE, np.int64)})
    print(f"{start / RATE:.3f} {p[0, 0]:.5f}")
