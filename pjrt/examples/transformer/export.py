# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Writes a small language model of JAX for the example: its programs, its weights, and what JAX computes with them.

    make bin/jax/ready && bin/jax/bin/python pjrt/examples/transformer/export.py

The model is built as GPT-2 is, and its weights have the names of GPT-2. It was taught one sentence. Tokens are the
bytes of a text. Other sizes give a model that was taught nothing, to measure with, in another folder:

    export.py --layers 12 --width 768 --heads 12 --vocabulary 8192 --context 256 --chunk 32 /tmp/large
"""

import argparse
import json
import math
import pathlib
import struct
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

HERE = pathlib.Path(__file__).parent
SENTENCE = "A quick brown fox jumps over the lazy dog.\n"
PROMPT = "A quick brown"


class Sizes(NamedTuple):
    layers: int = 3
    width: int = 32
    heads: int = 4
    vocabulary: int = 128
    context: int = 64
    chunk: int = 8  # tokens of a prompt that one execution takes


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
    """Returns the logits of the token after each of the tokens, the first of which is at position start.

    Of one token, XLA's compiler for CPUs makes x @ w.T ten times as slow as (w @ x.T).T.
    """
    n, (_, heads, context, _) = tokens.shape[0], cache.keys.shape
    at = start + jnp.arange(n)
    x = model.tokens[tokens] + model.positions[at]
    seen = jnp.arange(context)[None, :] <= at[:, None]  # a token sees itself, and those before it
    for i, block in enumerate(model.blocks):
        qkv = linear(block.attention, normalized(block.attention_norm, x))
        q, k, v = (a.reshape(n, heads, -1).swapaxes(0, 1) for a in jnp.split(qkv, 3, axis=-1))
        cache = Cache(
            jax.lax.dynamic_update_slice(cache.keys, k[None], (i, 0, start, 0)),
            jax.lax.dynamic_update_slice(cache.values, v[None], (i, 0, start, 0)),
        )
        scores = jnp.einsum("hkd,hqd->hkq", cache.keys[i], q).swapaxes(1, 2) / math.sqrt(q.shape[-1])
        weights = jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1)
        mixed = jnp.einsum("hqk,hkd->qhd", weights, cache.values[i]).reshape(n, -1)
        x = x + linear(block.attention_out, mixed)
        x = x + linear(block.mlp_out, jax.nn.gelu(linear(block.mlp, normalized(block.mlp_norm, x)), approximate=True))
    return (model.tokens @ normalized(model.norm, x).T).T, cache


def empty(sizes):
    shape = sizes.layers, sizes.heads, sizes.context, sizes.width // sizes.heads
    return Cache(jnp.zeros(shape), jnp.zeros(shape))


def random(sizes, key):
    width = sizes.width
    keys = iter(jax.random.split(key, 2 + 4 * sizes.layers))
    norm = lambda: Norm(jnp.ones(width), jnp.zeros(width))
    matrix = lambda *shape: 0.1 * jax.random.normal(next(keys), shape)
    layer = lambda inputs, outputs: Linear(matrix(inputs, outputs), jnp.zeros(outputs))
    block = lambda: Block(
        norm(), layer(width, 3 * width), layer(width, width), norm(), layer(width, 4 * width), layer(4 * width, width)
    )
    blocks = tuple(block() for _ in range(sizes.layers))
    return Model(matrix(sizes.vocabulary, width), matrix(sizes.context, width), blocks, norm())


def taught(sizes, model, text):
    """Teaches the text with Adam."""

    def loss(model):
        logits, _ = forward(model, empty(sizes), text[:-1], 0)
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
    header, end = {}, 0
    for name, array in arrays.items():
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 64)  # arrays at multiples of 64 bytes can be used where they are
    with file.open("wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for array in arrays.values():
            f.write(array.astype("<f4").tobytes())


def write_weights(folder, arrays):
    """Writes the weights as two files and their index, as large models are published."""
    total, shards, size = sum(a.nbytes for a in arrays.values()), ({}, {}), 0
    for name, array in arrays.items():
        shards[2 * size >= total][name] = array
        size += array.nbytes
    places = {}
    for i, shard in enumerate(shards):
        file = f"model-{i + 1:05}-of-{len(shards):05}.safetensors"
        write_safetensors(folder / file, shard)
        places |= dict.fromkeys(shard, file)
    index = {"metadata": {"total_size": total}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")


def write(folder, sizes, model):
    """Writes the programs, the weights and the sizes."""
    folder.mkdir(exist_ok=True)
    write_weights(folder, named(model))
    for name, n in {"chunk": sizes.chunk, "token": 1}.items():
        # The cache is donated: the new one is written where the old one was.
        program = jax.jit(forward, donate_argnums=1)
        lowered = program.lower(model, empty(sizes), jnp.zeros(n, jnp.int32), jnp.int32(0))
        (folder / f"{name}.mlir").write_text(lowered.as_text())
    config = {
        "n_vocab": sizes.vocabulary, "n_positions": sizes.context, "n_embd": sizes.width, "n_head": sizes.heads,
        "n_layer": sizes.layers, "chunk": sizes.chunk,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config) + "\n")


def generate(sizes, model, prompt, n):
    """Returns the n most probable tokens after the prompt, one by one, and the logits of all but the last."""
    whole = jax.jit(forward)
    tokens = list(prompt)
    for _ in range(n):
        padded = jnp.array(tokens + [0] * (sizes.context - len(tokens)))  # tokens do not see what comes after them
        logits = whole(model, empty(sizes), padded, 0)[0][: len(tokens)]
        first, second = np.sort(logits[-1])[:-3:-1]
        assert first - second > 0.1, "rounding could decide which token is next"
        tokens.append(int(np.argmax(logits[-1])))
    return logits, tokens[len(prompt) :]


def main():
    jax.config.update("jax_platforms", "cpu")
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", nargs="?", type=pathlib.Path)
    for name, size in Sizes()._asdict().items():
        arguments.add_argument(f"--{name}", type=int, default=size)
    chosen = vars(arguments.parse_args())
    folder, sizes = chosen.pop("folder"), Sizes(**chosen)
    model = random(sizes, jax.random.key(0))
    if folder:
        write(folder, sizes, model)
        return
    model = taught(sizes, model, jnp.array(list(SENTENCE.encode())))
    write(HERE / "model", sizes, model)
    logits, tokens = generate(sizes, model, PROMPT.encode(), len(SENTENCE) - len(PROMPT))
    assert bytes(tokens).decode() == SENTENCE[len(PROMPT) :]
    expected = {"prompt": PROMPT, "tokens": tokens, "logits": np.asarray(logits, float).round(5).tolist()}
    (HERE / "testdata").mkdir(exist_ok=True)
    (HERE / "testdata" / "jax.json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
