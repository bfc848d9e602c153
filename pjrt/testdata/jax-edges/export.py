# Writes programs.json beside itself: operations on NaN, infinities, zeros of both signs and
# denormals, as the StableHLO of jax.jit, with JAX's results on its own CPU. The arguments of all
# programs are the arrays in "values", one for each type. It needs JAX 0.12.0.1.
import base64, functools, json, os
import jax, jax.numpy as jnp, ml_dtypes, numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_traceback_in_locations_limit", 0)


def values(t):
    f = ml_dtypes.finfo(t)
    tiny, least = float(f.tiny), float(f.smallest_subnormal)
    v = [np.nan, np.inf, -np.inf, 0.0, -0.0, least, -least, tiny - least, tiny, float(f.max), -float(f.max), 1, -1, 0.5, -2.5, 3]
    return np.array(v, np.float64).astype(t)


def pairs(f):
    return lambda v: f(jnp.repeat(v, v.size), jnp.tile(v, v.size))


def both(v):
    return jnp.stack([jnp.repeat(v, v.size), jnp.tile(v, v.size)], axis=1)


def reduced(f, start):
    return lambda v: lax.reduce(both(v), jnp.array(start, v.dtype), f, (1,))


def windows(f, start):
    return lambda v: lax.reduce_window(both(v).reshape(-1), jnp.array(start, v.dtype), f, (3,), (1,), "SAME")


groups = {
    "exact": {"abs": lax.abs, "neg": lax.neg, "sign": lax.sign, "floor": lax.floor, "ceil": lax.ceil, "round": jnp.round, "sqrt": lax.sqrt,
              "round away": functools.partial(lax.round, rounding_method=lax.RoundingMethod.AWAY_FROM_ZERO), "is_finite": lax.is_finite,
              "to f32": lambda v: v.astype(jnp.float32), "to bf16": lambda v: v.astype(jnp.bfloat16)},
    "approximate": {"rsqrt": lax.rsqrt, "cbrt": lax.cbrt, "exp": lax.exp, "expm1": lax.expm1, "log": lax.log, "log1p": lax.log1p, "sin": lax.sin,
                    "cos": lax.cos, "tan": lax.tan, "tanh": lax.tanh, "logistic": lax.logistic},
    "pairs": {"add": pairs(lax.add), "sub": pairs(lax.sub), "mul": pairs(lax.mul), "div": pairs(lax.div), "rem": pairs(lax.rem),
              "max": pairs(lax.max), "min": pairs(lax.min), "nextafter": pairs(lax.nextafter),
              "clamp": pairs(lambda a, b: lax.clamp(jnp.array(-1, a.dtype), a, b))},
    "approximate pairs": {"pow": pairs(lax.pow), "atan2": pairs(lax.atan2)},
    "compare": {"eq": pairs(lax.eq), "ne": pairs(lax.ne), "lt": pairs(lax.lt), "le": pairs(lax.le), "gt": pairs(lax.gt), "ge": pairs(lax.ge)},
    "reduce": {"max": reduced(lax.max, -np.inf), "min": reduced(lax.min, np.inf), "add": reduced(lax.add, 0), "mul": reduced(lax.mul, 1),
               "argmax": lambda v: lax.argmax(both(v), 1, jnp.int32)},
    "window": {"max": windows(lax.max, -np.inf), "min": windows(lax.min, np.inf), "add": windows(lax.add, 0)},
}
types = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "f16": np.float16}


def encode(a):
    return base64.b64encode(np.ascontiguousarray(a).tobytes()).decode()


out = {"jax": jax.__version__, "values": {n: encode(values(t)) for n, t in types.items()}, "programs": []}
for group, operations in groups.items():
    for name, t in types.items():
        skipped = ("nextafter",) if name in ("bf16", "f16") else ()
        chosen = {k: f for k, f in operations.items() if k not in skipped}
        f = jax.jit(lambda v: tuple(g(v) for g in chosen.values()))
        v = values(t)
        out["programs"].append({"group": group, "type": name, "operations": list(chosen), "code": f.lower(v).as_text(),
                                "results": [encode(np.asarray(r)) for r in f(v)]})
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs.json"), "w") as file:
    json.dump(out, file, indent=1)
    file.write("\n")
