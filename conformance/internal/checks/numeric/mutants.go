// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// programMutants returns the faults that the entries name.
func programMutants() []mutant.Mutant {
	var ms []mutant.Mutant
	for _, e := range entries() {
		ms = append(ms, e.mutants()...)
	}
	return ms
}

func boundedMutants() []mutant.Mutant {
	var ms []mutant.Mutant
	for _, b := range boundeds {
		ms = append(ms, b.twist.mutant("D2H-17/program="+b.name))
	}
	return append(ms, mutant.Of("D2H-17/program=again", "counts the padding", replacing(padded(false)...)).On(behind(padded(true)...)))
}

func hugeMutants() []mutant.Mutant {
	return []mutant.Mutant{
		twist{"takes the largest for the sum", "applies stablehlo.add across",
			"applies stablehlo.maximum across"}.mutant("RUN-02/big/sum of 1 GiB"),
		twist{"indexes with 32 bits", "%r = stablehlo.dynamic_slice %b, %at", `%mask = stablehlo.constant dense<4294967295> : tensor<i64>
  %low = stablehlo.and %at, %mask : tensor<i64>
  %r = stablehlo.dynamic_slice %b, %low`}.mutant("RUN-02/big/beyond 2^32 bytes"),
	}
}

func strideMutants() []mutant.Mutant {
	var ms []mutant.Mutant
	for _, check := range layoutChecks() {
		if strings.HasPrefix(check.Variant, "host strides") {
			ms = append(ms, mutant.Before(check.Name(), "ignores strides",
				func(a *capi.ClientBufferFromHostBufferArgs) { a.ByteStrides, a.NumByteStrides = nil, 0 }))
		}
	}
	return ms
}

// plainMutants returns a plain fault for each check of which found has none.
func plainMutants(found []mutant.Mutant) []mutant.Mutant {
	var ms []mutant.Mutant
	has := make(map[string]bool)
	for _, m := range found {
		has[m.Check] = true
	}
	for _, check := range Checks() {
		switch name := check.Name(); {
		case has[name] || check.Rule == "D2H-17" || strings.HasPrefix(name, "RUN-02/big/"):
		case strings.HasPrefix(name, "DIFF-01/payload/"):
			ms = append(ms, mutant.Arrives(name, "makes every NaN the same", canonical(strings.TrimPrefix(name, "DIFF-01/payload/"))))
		case strings.HasPrefix(name, "DIFF"):
			ms = append(ms, inconstant(name))
		case check.Rule == "RUN-32" || strings.Contains(name, "edge/convert"):
			ms = append(ms, mutant.Answers[capi.LoadedExecutableExecuteArgs](name, "refuses what the program computes",
				capi.ErrorCodeInternal))
		case strings.Contains(name, "/empty/"), strings.HasSuffix(name, "/nothing"):
			ms = append(ms, mutant.After(name, "an empty result loses its other dimensions",
				func(a *capi.BufferDimensionsArgs) { a.NumDims-- }))
		case strings.Contains(name, "rng"):
			ms = append(ms, mutant.Arrives(name, "random numbers are all zero", func(b []byte) { clear(b) }))
		default:
			ms = append(ms, mutant.Arrives(name, "every bit of the results is wrong", func(b []byte) {
				for i := range b {
					b[i] = ^b[i]
				}
			}))
		}
	}
	return ms
}

// mutants returns the faults of a compiler that the check finds. A check of several
// programs is tried once with each fault; for the types that every plugin has, with each
// fault in each program.
func (e *entry) mutants() []mutant.Mutant {
	if e.programs()[0].plain != "" {
		return e.standIn()
	}
	var ms []mutant.Mutant
	seen, names := make(map[twist]bool), make(map[string]bool)
	for i, p := range e.programs() {
		for _, w := range p.faults() {
			same := seen[w]
			seen[w] = true
			if mustCompile(p.subject()) && i > 0 {
				w.fault = fmt.Sprintf("%s, program %d", w.fault, i+1)
			}
			if !same && !names[w.fault] {
				names[w.fault] = true
				ms = append(ms, w.mutant(e.name()))
			}
		}
	}
	return ms
}

// mutant is a plugin that compiles one text as another. A text that does not compile with
// the fault is compiled without it: a fault that is an error would not show what the check
// sees in results.
func (w twist) mutant(check string) mutant.Mutant {
	return mutant.Of(check, w.fault, replacing(w))
}

// replacing compiles texts with replacements.
func replacing(ws ...twist) func(*serve.Invocation, *capi.ClientCompileArgs) {
	return func(c *serve.Invocation, a *capi.ClientCompileArgs) {
		kept := a.Program
		text := capi.String(kept.Code, kept.CodeSize)
		code := text
		for _, w := range ws {
			code = strings.ReplaceAll(code, w.from, w.to)
		}
		if code != text {
			program := *kept
			program.Code, program.CodeSize = capi.CString(code), uintptr(len(code))
			a.Program = &program
			c.Forward()
			a.Program = kept
			if c.Err() == nil {
				return
			}
			c.Forward()
			if err := c.ReadErr(); err != nil {
				c.Fail(capi.CodeOf(err), "%s: %v", mutant.Refused, err)
			}
			return
		}
		c.Forward()
	}
}

// behind returns a plugin that compiles texts with replacements.
func behind(ws ...twist) mutant.Plugin {
	return func(base *capi.Table, faults ...serve.Hook) (*serve.Table, error) {
		return serve.Wrap(base, append(faults, serve.Around(replacing(ws...)))...)
	}
}

// padded replaces the texts of usedAgain by those of a plugin that pads arrays to their
// bounds: with zeros, or with anything.
func padded(zeros bool) []twist {
	maker := `module @squares {
func.func @main(%a: tensor<8xf32>, %n: tensor<i32>) -> tensor<8xf32> {
  %i = stablehlo.iota dim = 0 : tensor<8xi32>
  %m = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<8xi32>
  %in = stablehlo.compare LT, %i, %m, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %s = stablehlo.multiply %a, %a : tensor<8xf32>
  %z = stablehlo.subtract %a, %a : tensor<8xf32>
  %r = stablehlo.select %in, %s, %z : tensor<8xi1>, tensor<8xf32>
  return %r : tensor<8xf32>
}
}
`
	if !zeros {
		maker = strings.Replace(maker, "return %r", "return %s", 1)
	}
	return []twist{{from: boundeds[0].text(), to: maker}, {from: total(atMost8), to: total("tensor<8xf32>")}}
}

// standIn returns the mutants of programs that the plugin at hand refuses: they are built
// on one that compiles equivalent programs.
func (e *entry) standIn() []mutant.Mutant {
	var sound []twist
	for _, p := range e.programs() {
		sound = append(sound, twist{from: p.body, to: p.plain})
	}
	var ms []mutant.Mutant
	seen := make(map[string]bool)
	for i, p := range e.programs() {
		for _, w := range p.faults() {
			if seen[w.fault] || !strings.Contains(p.plain, w.from) {
				continue
			}
			seen[w.fault] = true
			faulty := slices.Clone(sound)
			faulty[i].to = strings.ReplaceAll(p.plain, w.from, w.to)
			ms = append(ms, mutant.Of(e.name(), w.fault, replacing(faulty...)).On(behind(sound...)))
		}
	}
	return ms
}

// canonical replaces each NaN of a type by the one that conversions produce.
func canonical(name string) func([]byte) {
	t, err := dtype.Parse(name)
	if err != nil {
		panic(err)
	}
	return func(b []byte) {
		for ; len(b) >= t.Size(); b = b[t.Size():] {
			if v := decode(t, b); math.IsNaN(v.f) {
				encodeFloat(t, math.NaN(), b)
			}
		}
	}
}

// inconstant is a plugin whose results differ each time, which any check that computes
// twice must see.
func inconstant(check string) mutant.Mutant {
	return mutant.Hooked(check, "each result differs from the one before", func() []serve.Hook {
		var n atomic.Uint32
		return []serve.Hook{mutant.Arrived(func(_ *serve.Invocation, _ *mutant.Download, b []byte) {
			if b[0] ^= byte(n.Add(1)); len(b) > 3 {
				b[3] ^= byte(n.Load())
			}
		})}
	})
}
