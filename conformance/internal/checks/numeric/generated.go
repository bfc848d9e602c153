// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// writer makes a random, well-typed program, and computes it as it goes. All its operations
// are exact, so the order in which a compiler computes does not matter.
type writer struct {
	r      *rand.Rand
	t      dtype.Type
	values []array // value i is called names[i]
	names  []string
	body   strings.Builder
}

// random makes an array of random elements.
func (g *writer) random(dims ...int64) array {
	return build(g.t, dims, func([]int64) value {
		if g.t == dtype.Pred {
			return truth(g.r.IntN(2) == 0)
		}
		return wrap(g.t, g.r.Uint64())
	})
}

// pick returns a value of the program so far.
func (g *writer) pick() (array, string) {
	i := g.r.IntN(len(g.values))
	return g.values[i], g.names[i]
}

// like returns a value with the dimensions of a; there is at least a itself.
func (g *writer) like(a array) (array, string) {
	var fit []int
	for i, v := range g.values {
		if slices.Equal(v.dims, a.dims) {
			fit = append(fit, i)
		}
	}
	i := fit[g.r.IntN(len(fit))]
	return g.values[i], g.names[i]
}

// define adds an operation; format and args make its text, without the name of its result.
func (g *writer) define(result array, format string, args ...any) {
	name := fmt.Sprintf("%%v%d", len(g.values))
	fmt.Fprintf(&g.body, "%s = %s\n  ", name, fmt.Sprintf(format, args...))
	g.values, g.names = append(g.values, result), append(g.names, name)
}

// exactBinaries lists the binary operations all of whose results are specified.
var exactBinaries = func() []*binaryOp {
	var ops []*binaryOp
	for i := range binaries {
		switch b := &binaries[i]; b.name {
		case "add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor":
			ops = append(ops, b)
		}
	}
	return ops
}()

// step adds one operation.
func (g *writer) step() {
	a, x := g.pick()
	switch g.r.IntN(9) {
	case 0, 1, 2:
		op := exactBinaries[g.r.IntN(len(exactBinaries))]
		if op.in&kindOf(g.t) == 0 || g.t == dtype.Pred && op.name == "add" {
			return // sums of bools have a check of their own, which says more
		}
		b, y := g.like(a)
		out := array{g.t, a.dims, make([]value, len(a.v))}
		for i := range out.v {
			out.v[i] = op.eval(g.t, a.v[i], b.v[i])
		}
		g.define(out, "stablehlo.%s %s, %s : %s", op.name, x, y, a.typ())
	case 3:
		out := array{g.t, a.dims, make([]value, len(a.v))}
		for i, v := range a.v {
			if out.v[i] = wrap(g.t, ^uint64(v.i)); g.t == dtype.Pred {
				out.v[i] = truth(v.i == 0)
			}
		}
		g.define(out, "stablehlo.not %s : %s", x, a.typ())
	case 4:
		b, y := g.like(a)
		out := array{g.t, a.dims, make([]value, len(a.v))}
		for i := range out.v {
			if out.v[i] = b.v[i]; less(g.t, a.v[i], b.v[i]) {
				out.v[i] = a.v[i]
			}
		}
		kind := map[kinds]string{bools: "UNSIGNED", unsigned: "UNSIGNED", signed: "SIGNED"}[kindOf(g.t)]
		pred := check.Tensor(dtype.Pred, a.dims)
		c := fmt.Sprintf("%%c%d", len(g.values))
		fmt.Fprintf(&g.body, "%s = stablehlo.compare LT, %s, %s, %s : (%s, %s) -> %s\n  ", c, x, y, kind, a.typ(), a.typ(), pred)
		g.define(out, "stablehlo.select %s, %s, %s : %s, %s", c, x, y, pred, a.typ())
	case 5:
		out := build(g.t, []int64{a.dims[1], a.dims[0]}, func(ix []int64) value { return a.at(ix[1], ix[0]) })
		g.define(out, "stablehlo.transpose %s, dims = [1, 0] : (%s) -> %s", x, a.typ(), out.typ())
	case 6:
		d := g.r.IntN(2)
		out := build(g.t, a.dims, func(ix []int64) value {
			at := slices.Clone(ix)
			at[d] = a.dims[d] - 1 - at[d]
			return a.at(at...)
		})
		g.define(out, "stablehlo.reverse %s, dims = [%d] : %s", x, d, a.typ())
	case 7:
		out := array{g.t, []int64{a.dims[1] * a.dims[0] / 2, 2}, a.v}
		if len(a.v)%2 != 0 {
			return
		}
		g.define(out, "stablehlo.reshape %s : (%s) -> %s", x, a.typ(), out.typ())
	case 8:
		if a.dims[0] < 2 {
			return
		}
		out := build(g.t, []int64{a.dims[0] - 1, a.dims[1]}, func(ix []int64) value { return a.at(ix[0]+1, ix[1]) })
		g.define(out, "stablehlo.slice %s [1:%d, 0:%d] : (%s) -> %s", x, a.dims[0], a.dims[1], a.typ(), out.typ())
	}
}

// generate makes the program that belongs to a seed.
func generate(seed uint64, t dtype.Type, steps int) program {
	g := &writer{r: rand.New(rand.NewPCG(seed, uint64(t))), t: t}
	inputs := []array{g.random(4, 6), g.random(4, 6), g.random(3, 2)}
	for i, a := range inputs {
		g.values, g.names = append(g.values, a), append(g.names, fmt.Sprintf("%%a%d", i))
	}
	for len(g.values) < len(inputs)+steps {
		g.step()
	}
	p := program{inputs: inputs}
	for i := range 3 {
		at := len(g.values) - 1 - i
		p.want = append(p.want, g.values[at])
		fmt.Fprintf(&g.body, "%%r%d = stablehlo.optimization_barrier %s : %s\n  ", i, g.names[at], g.values[at].typ())
	}
	p.body = strings.TrimSpace(g.body.String())
	return p
}

// generatedChecks returns checks of random programs. The seeds are part of the checks: a check
// that fails does so every time.
func generatedChecks() []check.Check {
	var cs []check.Check
	for _, l := range lots {
		cs = append(cs, check.Check{Rule: "FUZZ-05", Variant: l.name, Profile: l.profile, Timeout: l.timeout, Run: func(t *check.T) {
			for p := range l.programs() {
				p.run(t, parameters, mixed)
				if t.Failed() {
					return
				}
			}
		}})
	}
	return cs
}

// lot says how many random programs of each type there are, and how long they are.
type lot struct {
	name    string
	profile check.Profile
	timeout time.Duration
	n       int
	steps   int
}

var lots = []lot{
	{n: 2, steps: 12},
	{name: "many", profile: check.Core, timeout: 3 * check.DefaultTimeout, n: 20, steps: 30},
	{name: "large", profile: check.Full, timeout: 30 * check.DefaultTimeout, n: 100, steps: 100},
}

func (l *lot) programs() iter.Seq[program] {
	return func(yield func(program) bool) {
		for _, e := range []dtype.Type{dtype.S32, dtype.U8, dtype.Pred, dtype.S64} {
			for seed := range l.n {
				if !yield(generate(uint64(seed), e, l.steps)) {
					return
				}
			}
		}
	}
}
