# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""The models of the jobs, and what JAX makes of them for programs in other languages.

    models.py DIR

writes two files for each job to DIR: NAME.mlir is the program, and NAME.job says what to do with it, in lines of

    arg TYPE FILL RANK DIMENSIONS...   the next argument: numbers (ones if they are integers), or zero
    write ARGUMENT                     which comes from the host before each execution
    carry RESULT ARGUMENT              the result takes the argument's place in the next execution; the argument is donated
    read RESULT                        which goes to the host after each execution
    results COUNT
"""

import functools
import pathlib
import sys
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import transformer  # export.py of the example

SIZES = {
    "small": transformer.Sizes(),
    "medium": transformer.Sizes(6, 384, 6, 8192, 256, 32),
    "gpt2": transformer.Sizes(12, 768, 12, 8192, 256, 32),
}


class Job(NamedTuple):
    run: Any  # the function
    args: tuple  # pytrees of numpy arrays, one for each argument of run
    write: tuple  # numbers of the arguments that come from the host each time
    carry: dict  # argument: result that replaces it
    read: int  # the result that goes to the host


def numbers(shape):
    """Numbers that neither overflow nor vanish, whatever the model does with them."""
    n = int(np.prod(shape))
    return (((np.arange(n, dtype=np.uint32) * 2654435761 >> 16) & 0xFF).astype(np.float32) / 2550 - 0.05).reshape(shape)


def made_up(tree):
    return jax.tree.map(lambda a: numbers(a.shape), tree)


def zeros(tree):
    return jax.tree.map(lambda a: np.zeros(a.shape, a.dtype), tree)


def weights(sizes):
    return jax.eval_shape(lambda: transformer.random(sizes, jax.random.key(0)))


def tokens(name, streams):
    """The next token of some streams."""
    sizes = SIZES[name]
    cache = jax.eval_shape(lambda: transformer.empty(sizes))
    start = np.int32(1)
    if streams == 1:
        run, token = transformer.forward, np.ones(1, np.int32)
    else:
        run, token = jax.vmap(transformer.forward, in_axes=(None, 0, 0, None)), np.ones((streams, 1), np.int32)
        cache = jax.tree.map(lambda a: jax.ShapeDtypeStruct((streams, *a.shape), a.dtype), cache)
    return Job(run, (made_up(weights(sizes)), zeros(cache), token, start), (2, 3), {1: 1}, 0)


def step_mlp(batch):
    """A step of training a network with two hidden layers."""
    widths = 256, 512, 512, 10
    shapes = [(jax.ShapeDtypeStruct((i, o), np.float32), jax.ShapeDtypeStruct((o,), np.float32)) for i, o in zip(widths, widths[1:])]

    def loss(layers, x, y):
        for weight, bias in layers[:-1]:
            x = jax.nn.relu(x @ weight + bias)
        weight, bias = layers[-1]
        return -(jax.nn.log_softmax(x @ weight + bias) * y).sum(axis=-1).mean()

    def run(layers, x, y):
        value, slope = jax.value_and_grad(loss)(layers, x, y)
        return value, jax.tree.map(lambda w, g: w - 1e-3 * g, layers, slope)

    return Job(run, (made_up(shapes), numbers((batch, widths[0])), numbers((batch, 10))), (1, 2), {0: 1}, 0)


def step_transformer():
    """A step of teaching the small transformer a text."""
    sizes = SIZES["small"]

    def loss(model, text):
        logits, _ = transformer.forward(model, transformer.empty(sizes), text[:-1], 0)
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), text[1:, None], axis=-1).mean()

    def run(model, text):
        value, slope = jax.value_and_grad(loss)(model, text)
        return value, jax.tree.map(lambda w, g: w - 1e-3 * g, model, slope)

    return Job(run, (made_up(weights(sizes)), np.ones(sizes.context, np.int32)), (1,), {0: 1}, 0)


JOBS = {
    "tokens-small": functools.partial(tokens, "small", 1),
    "tokens-medium": functools.partial(tokens, "medium", 1),
    "tokens-gpt2": functools.partial(tokens, "gpt2", 1),
    "tokens-medium-2": functools.partial(tokens, "medium", 2),
    "tokens-medium-8": functools.partial(tokens, "medium", 8),
    "tokens-gpt2-8": functools.partial(tokens, "gpt2", 8),
    "step-mlp-32": functools.partial(step_mlp, 32),
    "step-mlp-128": functools.partial(step_mlp, 128),
    "step-mlp-512": functools.partial(step_mlp, 512),
    "step-transformer": step_transformer,
}


def flat(trees):
    """Returns the leaves of pytrees, and the number of each tree's first leaf."""
    leaves, first = [], []
    for t in trees:
        first.append(len(leaves))
        leaves += jax.tree.leaves(t)
    return leaves, first


def describe(job, results):
    args, at = flat(job.args)
    outs, out_at = flat(results)
    lines = []
    for a in args:
        kind, fill = {"float32": "f32", "int32": "s32"}[str(a.dtype)], "numbers" if np.any(a) else "zero"
        lines.append(" ".join(map(str, ["arg", kind, fill, a.ndim, *a.shape])))
    for tree in job.write:
        lines += [f"write {at[tree] + i}" for i in range(len(jax.tree.leaves(job.args[tree])))]
    for tree, result in job.carry.items():
        lines += [f"carry {out_at[result] + i} {at[tree] + i}" for i in range(len(jax.tree.leaves(job.args[tree])))]
    return "\n".join([*lines, f"read {out_at[job.read]}", f"results {len(outs)}", ""])


def main():
    jax.config.update("jax_platforms", "cpu")
    folder = pathlib.Path(sys.argv[1])
    for name, make in JOBS.items():
        job = make()
        lowered = jax.jit(job.run, donate_argnums=tuple(job.carry)).lower(*job.args)
        (folder / f"{name}.mlir").write_text(lowered.as_text())
        (folder / f"{name}.job").write_text(describe(job, jax.eval_shape(job.run, *job.args)))


if __name__ == "__main__":
    main()
