# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Writes a small language model of JAX for the example: its programs, its weights, and what JAX computes with them.

    make bin/jax/ready && bin/jax/bin/python pjrt/examples/transformer/export.py

The model is built as GPT-2 is, and its weights have the names of GPT-2. It was taught one sentence. Tokens are the
bytes of a text.
"""

import json
import math
import pathlib
import struct
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_platforms", "cpu")

FOLDER = pathlib.Path(__file__).parent / "model"
SENTENCE = "A quick brown fox jumps over the lazy dog.\n"
PROMPT = "A quick brown"

VOCABULARY, CONTEXT, WIDTH, HEADS, LAYERS = 128, 64, 32, 4, 3
CHUNK = 8  # tokens of a prompt that one execution takes


# The programs take weights in the order of these fields, which the structs in model.go have too.


class Norm(NamedTuple):
    scale: jax.Array
    shift: jax.Array


class Linear(NamedTuple):
    weight: jax.Array  # a column for each output
    bias: jax.Array


class Block(NamedTuple):
    attention_norm: Norm
    attention: Linear  # queries, keys and values, side by side
    attention_out: Linear
    mlp_norm: Norm
    mlp: Linear
    mlp_out: Linear


class Model(NamedTuple):
    tokens: jax.Array  # the embedding, and, transposed, the output
    positions: jax.Array
    blocks: tuple[Block, ...]
    norm: Norm


class Cache(NamedTuple):
    """Keys and values of the tokens so far."""

    keys: jax.Array  # of a block, a head, a position
    values: jax.Array


def normalized(norm, x):
    x = x - x.mean(axis=-1, keepdims=True)
    return x * jax.lax.rsqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5) * norm.scale + norm.shift


def linear(layer, x):
    return x @ layer.weight + layer.bias


def forward(model, cache, tokens, start):
    """Returns the logits of the token after each of the tokens, the first of which is at position start."""
    n = tokens.shape[0]
    at = start + jnp.arange(n)
    x = model.tokens[tokens] + model.positions[at]
    seen = jnp.arange(CONTEXT)[None, :] <= at[:, None]  # a token sees itself, and those before it
    for i, block in enumerate(model.blocks):
        qkv = linear(block.attention, normalized(block.attention_norm, x))
        q, k, v = (a.reshape(n, HEADS, -1).swapaxes(0, 1) for a in jnp.split(qkv, 3, axis=-1))
        cache = Cache(
            jax.lax.dynamic_update_slice(cache.keys, k[None], (i, 0, start, 0)),
            jax.lax.dynamic_update_slice(cache.values, v[None], (i, 0, start, 0)),
        )
        scores = jnp.einsum("hqd,hkd->hqk", q, cache.keys[i]) / math.sqrt(q.shape[-1])
        weights = jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1)
        mixed = jnp.einsum("hqk,hkd->qhd", weights, cache.values[i]).reshape(n, WIDTH)
        x = x + linear(block.attention_out, mixed)
        x = x + linear(block.mlp_out, jax.nn.gelu(linear(block.mlp, normalized(block.mlp_norm, x)), approximate=True))
    return normalized(model.norm, x) @ model.tokens.T, cache


def empty():
    shape = LAYERS, HEADS, CONTEXT, WIDTH // HEADS
    return Cache(jnp.zeros(shape), jnp.zeros(shape))


def random(key):
    keys = iter(jax.random.split(key, 2 + 4 * LAYERS))
    norm = lambda: Norm(jnp.ones(WIDTH), jnp.zeros(WIDTH))
    matrix = lambda *shape: 0.1 * jax.random.normal(next(keys), shape)
    layer = lambda inputs, outputs: Linear(matrix(inputs, outputs), jnp.zeros(outputs))
    block = lambda: Block(
        norm(), layer(WIDTH, 3 * WIDTH), layer(WIDTH, WIDTH), norm(), layer(WIDTH, 4 * WIDTH), layer(4 * WIDTH, WIDTH)
    )
    return Model(matrix(VOCABULARY, WIDTH), matrix(CONTEXT, WIDTH), tuple(block() for _ in range(LAYERS)), norm())


def taught(model, text):
    """Teaches the text with Adam."""

    def loss(model):
        logits, _ = forward(model, empty(), text[:-1], 0)
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), text[1:, None], axis=-1).mean()

    @jax.jit
    def step(i, model, mean, square):
        value, slope = jax.value_and_grad(loss)(model)
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, slope)
        square = jax.tree.map(lambda s, g: 0.99 * s + 0.01 * g * g, square, slope)
        update = lambda w, m, s: w - 3e-3 * (m / (1 - 0.9**i)) / (jnp.sqrt(s / (1 - 0.99**i)) + 1e-8)
        return value, jax.tree.map(update, model, mean, square), mean, square

    mean = square = jax.tree.map(jnp.zeros_like, model)
    for i in range(1, 301):
        value, model, mean, square = step(i, model, mean, square)
    print(f"loss {value:.5f}")
    return model


def named(model):
    """Returns the weights by their names in GPT-2."""
    names = {"wte.weight": model.tokens, "wpe.weight": model.positions, "ln_f.weight": model.norm.scale, "ln_f.bias": model.norm.shift}
    for i, block in enumerate(model.blocks):
        for part, (weight, bias) in zip(("ln_1", "attn.c_attn", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.c_proj"), block):
            names[f"h.{i}.{part}.weight"], names[f"h.{i}.{part}.bias"] = weight, bias
    return {name: np.asarray(array) for name, array in names.items()}


def write_safetensors(file, arrays):
    header, data = {}, b""
    for name, array in arrays.items():
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.astype("<f4").tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_weights(arrays):
    """Writes the weights as two files and their index, as large models are published."""
    total, shards, size = sum(a.nbytes for a in arrays.values()), ({}, {}), 0
    for name, array in arrays.items():
        shards[2 * size >= total][name] = array
        size += array.nbytes
    places = {}
    for i, shard in enumerate(shards):
        file = f"model-{i + 1:05}-of-{len(shards):05}.safetensors"
        write_safetensors(FOLDER / file, shard)
        places |= dict.fromkeys(shard, file)
    index = {"metadata": {"total_size": total}, "weight_map": places}
    (FOLDER / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")


def generate(model, prompt, n):
    """Returns the n most probable tokens after the prompt, one by one, and the logits of all but the last."""
    whole = jax.jit(forward)
    tokens = list(prompt)
    for _ in range(n):
        padded = jnp.array(tokens + [0] * (CONTEXT - len(tokens)))  # tokens do not see what comes after them
        logits = whole(model, empty(), padded, 0)[0][: len(tokens)]
        first, second = np.sort(logits[-1])[:-3:-1]
        assert first - second > 0.1, "rounding could decide which token is next"
        tokens.append(int(np.argmax(logits[-1])))
    return logits, tokens[len(prompt) :]


def main():
    FOLDER.mkdir(exist_ok=True)
    model = taught(random(jax.random.key(0)), jnp.array(list(SENTENCE.encode())))
    write_weights(named(model))
    for name, n in {"chunk": CHUNK, "token": 1}.items():
        # The cache is donated: the new one is written where the old one was.
        program = jax.jit(forward, donate_argnums=1)
        lowered = program.lower(model, empty(), jnp.zeros(n, jnp.int32), jnp.int32(0))
        (FOLDER / f"{name}.mlir").write_text(lowered.as_text())
    config = {
        "n_vocab": VOCABULARY, "n_positions": CONTEXT, "n_embd": WIDTH, "n_head": HEADS, "n_layer": LAYERS, "chunk": CHUNK
    }  # fmt: skip
    (FOLDER / "config.json").write_text(json.dumps(config) + "\n")
    logits, tokens = generate(model, PROMPT.encode(), len(SENTENCE) - len(PROMPT))
    assert bytes(tokens).decode() == SENTENCE[len(PROMPT) :]
    expected = {"prompt": PROMPT, "tokens": tokens, "logits": np.asarray(logits, float).round(5).tolist()}
    (FOLDER.parent / "testdata").mkdir(exist_ok=True)
    (FOLDER.parent / "testdata" / "jax.json").write_text(json.dumps(expected) + "\n")


main()
