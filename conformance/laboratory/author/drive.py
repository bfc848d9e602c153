# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Does with JAX what its users do, with a plugin that lacks something.

watch.py has processes take the actions, which are forked from this one, which has imported JAX and has no backend yet.
"""

import gc
import inspect as introspect
import os
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import watch
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

# What the actions share: arrays that live until the process ends.
kept = {}


def array():
    return np.linspace(-2, 2, 24, dtype=np.float32).reshape(4, 6)


def same(got, want):
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5, atol=1e-6)


def mesh():
    return Mesh(np.array(jax.devices()[:4]), ("d",))


def start():
    devices = jax.devices()
    local = jax.local_devices()
    return f"{len(devices)} devices, {len(local)} local, {jax.default_backend()}, process {jax.process_index()} of {jax.process_count()}"


def transfer():
    x = array()
    a = jax.device_put(x)
    a.block_until_ready()
    same(a, x)
    same(jax.device_put(np.int8([1, -2])), np.int8([1, -2]))
    b = jax.device_put(x, jax.devices()[1])
    same(b, x)
    assert b.devices() == {jax.devices()[1]}, b.devices()
    c = jnp.array(a, copy=True)
    a.delete()
    assert a.is_deleted()
    same(c, x)
    kept["transfer"] = c


def copy():
    a = jax.device_put(array(), jax.devices()[0])
    b = jax.device_put(a, jax.devices()[2])
    same(b, array())
    kept["copy"] = b


def jit():
    x = array()
    f = jax.jit(lambda a: (jnp.tanh(a @ a.T), a.sum()))
    y, s = f(x)
    same(y, np.tanh(x @ x.T))
    same(s, x.sum())
    same(f(jax.device_put(x))[0], np.tanh(x @ x.T))
    kept["jit"] = y


def pending():
    y = jnp.ones((96, 96))
    f = jax.jit(lambda a: a @ a / 96)
    for _ in range(20):
        y = f(y)
    y.copy_to_host_async()
    assert y.is_ready() in (True, False)
    same(jax.block_until_ready(y), np.ones((96, 96)))


def grad():
    x = array()
    loss = lambda a: (jnp.sin(a) ** 2).sum()
    same(jax.jit(jax.grad(loss))(x), np.sin(2 * x))
    key = jax.random.key(7)
    same(jax.random.normal(key, (3,)), jax.random.normal(key, (3,)))
    same(jax.lax.fori_loop(0, 3, lambda i, a: a * 0.5 + i, x), ((x * 0.5 + 0) * 0.5 + 1) * 0.5 + 2)


def donate():
    x = array()
    a = jax.device_put(x)
    y = jax.jit(lambda a: a * 2, donate_argnums=0)(a)
    same(y, x * 2)
    return f"the argument is deleted: {a.is_deleted()}"


def shard():
    x = array()
    s = NamedSharding(mesh(), PartitionSpec("d"))
    a = jax.device_put(x, s)
    y = jax.jit(lambda a: a / jnp.linalg.norm(a), out_shardings=s)(a)
    same(y, x / np.linalg.norm(x))
    same(jax.jit(lambda a: a.sum(0), out_shardings=NamedSharding(mesh(), PartitionSpec()))(a), x.sum(0))
    same(y.addressable_shards[1].data, (x / np.linalg.norm(x))[1:2])
    b = jax.make_array_from_callback(x.shape, s, lambda i: x[i])
    same(jax.device_put(b, NamedSharding(mesh(), PartitionSpec())), x)
    kept["shard"] = y


def infer():
    a = jax.device_put(array(), NamedSharding(mesh(), PartitionSpec("d")))
    y = jax.jit(lambda a: a * 2)(a)
    same(y, array() * 2)
    return f"on {len(y.sharding.device_set)} devices"


def export():
    from jax import export as e

    x = array()
    saved = e.export(jax.jit(jnp.cos), platforms=["cpu"], disabled_checks=[])(x).serialize()
    same(jax.jit(e.deserialize(saved).call)(x), np.cos(x))


def compile():
    x = array()
    lowered = jax.jit(lambda a: jnp.cos(a) + 1).lower(x)
    c = lowered.compile()
    same(c(x), np.cos(x) + 1)
    return f"{sorted(c.cost_analysis() or {})[:3]}"


def inspect():
    c = jax.jit(lambda a: jnp.sin(a) + 1).lower(array()).compile()
    text = c.as_text()
    m = c.memory_analysis()
    return f"text: {bool(text)}, memory: {m and m.argument_size_in_bytes}, {c.input_shardings}, {c.output_shardings}"


def serialize():
    from jax.experimental import serialize_executable as s

    x = array()
    c = jax.jit(lambda a: jnp.exp(a) + 2).lower(x).compile()
    where = {}
    if "execution_devices" in introspect.signature(s.deserialize_and_load).parameters:
        where["execution_devices"] = jax.devices()[:1]
    same(s.deserialize_and_load(*s.serialize(c), **where)(x), np.exp(x) + 2)


def cache():
    from jax._src import compilation_cache

    with tempfile.TemporaryDirectory() as folder:
        jax.config.update("jax_compilation_cache_dir", folder)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        compilation_cache.reset_cache()
        try:
            for _ in range(2):
                same(jax.jit(lambda a: jnp.sin(a) * 3)(array()), np.sin(array()) * 3)
                jax.clear_caches()
            return f"entries: {any(f.endswith('-cache') for f in os.listdir(folder))}"
        finally:
            jax.config.update("jax_compilation_cache_dir", None)
            compilation_cache.reset_cache()


def describe():
    d = jax.devices()[1]
    version = d.client.platform_version.splitlines()[0]
    return f"{d!r} {d} {d.id} {d.platform} {d.device_kind} {d.process_index} {d.local_hardware_id} {version}"


def memories():
    d = jax.devices()[0]
    return f"{[m.kind for m in d.addressable_memories()]}, default {d.default_memory().kind}, {d.default_memory()!r}"


def offload():
    x = array()
    d = jax.devices()[0]
    a = jax.device_put(x, SingleDeviceSharding(d, memory_kind="pinned_host"))
    same(a, x)
    b = jax.device_put(a, SingleDeviceSharding(d, memory_kind=d.default_memory().kind))
    same(b, x)
    return f"{a.sharding.memory_kind} to {b.sharding.memory_kind}"


def memory_stats():
    return f"{sorted(jax.devices()[0].memory_stats() or {})}"


def memory_profile():
    a = jax.device_put(array())
    return f"profile: {len(jax.profiler.device_memory_profile()) > 0}, live: {a in jax.live_arrays()}"


def profile():
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            with jax.profiler.TraceAnnotation("work"):
                same(jax.jit(lambda a: a * 5)(array()), array() * 5)
        return f"files: {sum(len(f) for _, _, f in os.walk(folder)) > 0}"


def layouts():
    x = array()
    from jax.experimental import layout

    Layout = getattr(layout, "DeviceLocalLayout", layout.Layout)
    Format = getattr(layout, "Format", layout.Layout)
    a = jax.device_put(x)
    found = str(getattr(a, "format", None) or a.layout)
    column = Format(Layout(major_to_minor=(1, 0)), SingleDeviceSharding(jax.devices()[0]))
    b = jax.jit(lambda a: a + 1, out_shardings=column)(x)
    same(b, x + 1)
    auto = jax.jit(lambda a: a @ a.T, in_shardings=Format(Layout.AUTO)).lower(jax.ShapeDtypeStruct((4, 6), np.float32)).compile()
    return f"{found}, {getattr(auto, 'input_formats', None) or auto.input_layouts}"


def callback():
    x = array()
    y = jax.jit(lambda a: jax.pure_callback(lambda b: np.asarray(b) * 2, jax.ShapeDtypeStruct(x.shape, x.dtype), a))(x)
    same(y, x * 2)
    seen = []
    jax.jit(lambda a: jax.debug.callback(lambda b: seen.append(np.asarray(b).sum()), a))(x)
    jax.effects_barrier()
    same(seen[0], x.sum())


def share():
    a = jax.device_put(array())
    same(np.from_dlpack(a), array())
    return f"pointer: {a.unsafe_buffer_pointer() != 0}"


def mistake():
    try:
        jax.jit(lambda a: a + 1, backend=None).lower(array()).compile({"no_such_option": 1})
    except Exception as e:
        return f"{type(e).__name__} {'no_such_option' in str(e)}"
    return "no exception"


def too_large():
    try:
        jax.block_until_ready(jax.jit(lambda: jnp.ones((1 << 21, 1 << 21), np.float32))())
    except Exception as e:
        return f"{type(e).__name__} {str(e).split(':')[0]}"
    return "no exception"


ACTIONS = [
    start, describe, transfer, jit, pending, grad, copy, donate, shard, infer, export, compile, inspect, serialize, cache, memories, offload,
    memory_stats, memory_profile, profile, layouts, callback, share, mistake, too_large,
]
ACTIONS = {f.__name__: f for f in ACTIONS}
EXIT = "exit"  # the last action: the end of the process, with arrays and programs alive


def take(actions, tell, report):
    """Takes actions, and ends the process."""
    for action in actions:
        tell(begin=action)
        if action == EXIT:
            sys.exit(0)
        try:
            seen = ACTIONS[action]()
            gc.collect()
            tell(end=action, seen=seen)
        except BaseException as e:
            name = "wrong numbers" if isinstance(e, AssertionError) else type(e).__name__
            text = f"{name}: {e}"
            del e
            gc.collect()
            tell(end=action, exception=text)
    os._exit(0)


if __name__ == "__main__":
    jaxlib = __import__("jaxlib").version.__version__
    watch.main({"client": "jax@" + jax.__version__, "with": ["jaxlib " + jaxlib, "Python " + sys.version.split()[0]],
                "actions": list(ACTIONS) + [EXIT]}, take)
