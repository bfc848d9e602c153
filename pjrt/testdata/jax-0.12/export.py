# Writes programs of many kinds as the portable artifacts of jax.export, with arguments and JAX's
# results: export.py DIR. With a version of StableHLO, export.py DIR VERSION writes those that
# need it as pjrt/docs/from-jax.md advises for an older plugin.
import sys, os, json
if len(sys.argv) > 2: os.environ["JAX_USE_SHARDY_PARTITIONER"] = "0"
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
import numpy as np, jax, jax.numpy as jnp
from jax import export, lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
# Locations name source files: keep only the last part of their paths.
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
jax.config.update("jax_traceback_in_locations_limit", 0)
out = sys.argv[1]; os.makedirs(out, exist_ok=True)
def ramp(shape, dtype=np.float32, lo=-1.0, hi=1.0):
    n = int(np.prod(shape)); return np.linspace(lo, hi, n).reshape(shape).astype(dtype)
def spd(n):
    a = ramp((n, n)); return (a @ a.T + n * np.eye(n)).astype(np.float32)
def mlp(w1, w2, x): return jnp.tanh(x @ w1) @ w2
def attention(q, k, v):
    s = jnp.einsum("bqd,bkd->bqk", q, k) / np.float32(np.sqrt(q.shape[-1]))
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(s, axis=-1), v)
def conv(x, w): return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
def draws(x):
    k = jax.random.key(42); a, b, c = jax.random.split(k, 3)
    return x + jax.random.normal(a, x.shape), jax.random.uniform(b, (3,)), jax.random.randint(c, (4,), 0, 100)
def rnn(w, xs):
    def step(h, x): h = jnp.tanh(h @ w + x); return h, h.sum()
    return lax.scan(step, jnp.zeros((4,), jnp.float32), xs)
programs = {
 "add": (lambda x, y: x + y, [ramp((4,)), ramp((4,))]),
 "mlp": (mlp, [ramp((3, 5)), ramp((5, 2)), ramp((4, 3))]),
 "gradient": (jax.grad(lambda w1, w2, x: (mlp(w1, w2, x) ** 2).sum(), argnums=(0, 1)), [ramp((3, 5)), ramp((5, 2)), ramp((4, 3))]),
 "attention": (attention, [ramp((2, 4, 8)), ramp((2, 4, 8)), ramp((2, 4, 8))]),
 "convolution": (conv, [ramp((1, 6, 6, 2)), ramp((3, 3, 2, 3))]),
 "draws": (draws, [ramp((5,))]),
 "loop": (lambda x: lax.fori_loop(0, 5, lambda i, v: v * 1.5 + i, x), [ramp((3,))]),
 "while": (lambda x: lax.while_loop(lambda v: v.sum() < 100, lambda v: v * 2 + 1, x), [ramp((3,), lo=0)]),
 "branch": (lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, lambda v: v * v], x), [np.int32(1), ramp((3,))]),
 "recurrent": (rnn, [ramp((4, 4)), ramp((6, 4))]),
 "sort": (lambda x: (jnp.sort(x), jnp.argsort(-x)), [np.array([3, 1, 2, 5, 4], np.float32)]),
 "top": (lambda x: lax.top_k(x, 3), [np.array([3, 1, 2, 5, 4], np.float32)]),
 "argmax": (lambda x: jnp.argmax(x, axis=1), [ramp((3, 4))]),
 "cumulative": (lambda x: jnp.cumsum(x, axis=1), [ramp((3, 4))]),
 "gather": (lambda x, i: x[i], [ramp((6, 3)), np.array([4, 0, 5], np.int32)]),
 "scatter": (lambda x, i, v: x.at[i].add(v), [ramp((6,)), np.array([4, 0, 4], np.int32), ramp((3,))]),
 "pool": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID"), [ramp((4, 4))]),
 "transform": (lambda x: jnp.abs(jnp.fft.fft(x)), [ramp((8,))]),
 "special": (lambda x: (lax.erf(x), lax.lgamma(x + 2), lax.digamma(x + 2)), [ramp((5,))]),
 "bf16": (lambda x, y: (x.astype(jnp.bfloat16) @ y.astype(jnp.bfloat16)).astype(jnp.float32), [ramp((4, 4)), ramp((4, 4))]),
 "integers": (lambda x, y: (x // y, x % y, x ^ y, lax.population_count(x)), [np.array([7, -7, 100], np.int32), np.array([2, 2, -7], np.int32)]),
 "complex": (lambda x: jnp.exp(1j * x) , [ramp((4,))]),
 "norm": (lambda x: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5), [ramp((3, 8))]),
 "remat": (jax.grad(lambda x: jax.checkpoint(lambda v: jnp.sin(jnp.sin(v)))(x).sum()), [ramp((5,))]),
 "svd": (lambda x: jnp.linalg.svd(x, compute_uv=False), [ramp((4, 3)) + np.eye(4, 3, dtype=np.float32)]),
 "cholesky": (jnp.linalg.cholesky, [spd(4)]),
 "solve": (jnp.linalg.solve, [spd(3), ramp((3,))]),
}
info = {}
def save(name, f, args, **kw):
    exp = export.export(jax.jit(f, **kw) if not hasattr(f, "lower") else f)(*args)
    if len(sys.argv) > 2:
        from jaxlib.mlir.dialects import stablehlo
        with open(f"{out}/{name}-{sys.argv[2]}.mlirbc", "wb") as f:
            f.write(stablehlo.serialize_portable_artifact_str(exp.mlir_module(), sys.argv[2]))
        return
    open(f"{out}/{name}.mlirbc", "wb").write(exp.mlir_module_serialized)
    res = jax.tree.leaves((jax.jit(f, **kw) if not hasattr(f, "lower") else f)(*args))
    info[name] = {"args": [a(x) for x in args], "results": [a(x) for x in res]}
def a(x):
    x = np.asarray(x)
    if np.iscomplexobj(x): d = np.stack([x.real, x.imag], -1).ravel().tolist()
    else: d = x.ravel().tolist()
    return {"type": str(x.dtype), "dims": list(x.shape), "data": d}
older = {"draws", "loop", "branch", "top", "special", "svd", "cholesky", "solve", "sharded"}
for n, (f, args) in programs.items():
    if len(sys.argv) < 3 or n in older: save(n, f, args)
mesh = Mesh(np.array(jax.devices()[:2]), ("d",))
sh = NamedSharding(mesh, P("d"))
save("sharded", jax.jit(lambda x, w: jnp.tanh(x @ w).sum(0), in_shardings=(sh, NamedSharding(mesh, P())), out_shardings=NamedSharding(mesh, P())), [ramp((4, 3)), ramp((3, 2))])
if len(sys.argv) > 2: sys.exit()
json.dump({"jax": jax.__version__, "programs": info}, open(f"{out}/programs.json", "w"), indent=None, separators=(",", ":"))
print(jax.__version__, len(info))
