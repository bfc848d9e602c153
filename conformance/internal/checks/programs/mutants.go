// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// faultMutants returns the faults of functions, on XLA's CPU plugin or, where that has such a
// fault itself or lacks the function, on the in-memory plugin.
// Where a check also runs ahead of time, its faults must be found there, too.
func faultMutants() []mutant.Mutant {
	names := make(map[string]bool)
	for _, c := range Checks() {
		names[c.Name()] = true
	}
	var list []mutant.Mutant
	for _, m := range slices.Concat(compileFaults(), optionFaults(), executableFaults(), loadedFaults(), serializationFaults(),
		executeFaults(), executeOptionFaults(), donationFaults(), multiFaults(), betweenDevices(), sampleFaults(), newerFaults(),
		dependencyFaults(), streamFaults(), sendFaults(), orderFaults(), moreExecuteFaults(), moreMetadataFaults(),
		moreLoadedFaults(), moreDonationFaults()) {
		list = append(list, m)
		ahead := m.Check + "-aot"
		if !strings.Contains(m.Check, "/") {
			ahead = m.Check + "/aot"
		}
		if names[ahead] && !unseenAhead[m.Name()] {
			m.Check = ahead
			list = append(list, m.InMemory().On(strict))
		}
	}
	return list
}

// unseenAhead lists faults that show only when a program runs, or that only CMP-19/aot
// finds: where no text compiles, the other checks are skipped.
var unseenAhead = map[string]bool{
	"CMP-01: compiles bytecode only":                       true,
	"CMP-01: compiles stablehlo.add as stablehlo.subtract": true,
	"CMP-19: compiles stablehlo.add as stablehlo.multiply": true,
	"EXE-11: fills one place more than there are results":  true,
}

// strict puts faults in front of the in-memory plugin, which compiles whatever has the name of a
// program that it knows, and between them a reader of texts: it refuses damaged artifacts, and
// programs with a wrong operation in line 3.
func strict(memory *capi.Table, faults ...serve.Hook) (*serve.Table, error) {
	return serve.Wrap(memory, append(faults, compileHooks(func(c *compilation) {
		switch code := c.code(); {
		case wrongOperation.MatchString(code):
			c.Fail(capi.ErrorCodeInvalidArgument, "program:3: the operation is wrong")
		case check.IsBytecode(code) && !isArtifact(code):
			c.Fail(capi.ErrorCodeInvalidArgument, "malformed bytecode")
		default:
			c.Forward()
		}
	})...)...)
}

func isArtifact(code string) bool {
	return slices.ContainsFunc(check.Artifacts, func(a check.Artifact) bool { return a.Code == code })
}

var wrongOperation = regexp.MustCompile(`stablehlo\.frobnicate|func\.call @nowhere|tensor<5xf32>\) -> tensor<4xf32>`)

// compilation is a call of PJRT_Client_Compile or PJRT_Compile.
type compilation struct {
	*serve.Invocation
	program **capi.Program
	options **byte
	size    *uintptr
	drop    func() // the executable of a call that succeeded
}

func (c *compilation) code() string { return capi.String((*c.program).Code, (*c.program).CodeSize) }
func (c *compilation) format() string {
	return capi.String((*c.program).Format, (*c.program).FormatSize)
}
func (c *compilation) bytes() []byte { return capi.Bytes(*c.options, *c.size) }

// with forwards the call with another program.
func (c *compilation) with(format, code string) {
	kept := *c.program
	*c.program = check.Program(format, code)
	c.Forward()
	*c.program = kept
}

// withOptions forwards the call with other options.
func (c *compilation) withOptions(o []byte) {
	data, size := *c.options, *c.size
	*c.options, *c.size = capi.BytesData(o)
	c.Forward()
	*c.options, *c.size = data, size
}

// onCompile makes a fault of both functions that compile.
func onCompile(check, words string, hook func(c *compilation)) mutant.Mutant {
	return mutant.Hooked(check, words, func() []serve.Hook { return compileHooks(hook) })
}

func compileHooks(hook func(c *compilation)) []serve.Hook {
	return []serve.Hook{
		serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) {
			drop := func() {
				mutant.Try(c.Table(), capi.LoadedExecutableDestroyArgs{Executable: a.Executable})
				a.Executable = nil
			}
			hook(&compilation{c, &a.Program, &a.CompileOptions, &a.CompileOptionsSize, drop})
		}),
		serve.Around(func(c *serve.Invocation, a *capi.CompileArgs) {
			drop := func() { a.Executable = nil }
			hook(&compilation{c, &a.Program, &a.CompileOptions, &a.CompileOptionsSize, drop})
		}),
	}
}

// instead makes a fault: texts are compiled with a replacement in them.
func instead(check, from, to string) mutant.Mutant {
	return onCompile(check, "compiles "+from+" as "+to, func(c *compilation) {
		c.with(c.format(), strings.ReplaceAll(c.code(), from, to))
	})
}

// refuses makes a fault: texts that contain a word do not compile.
func refuses(check, word string) mutant.Mutant {
	return onCompile(check, "does not compile "+word, func(c *compilation) {
		mutant.FailIf(c.Invocation, strings.Contains(c.code(), word), capi.ErrorCodeInternal, "%s is not known", word)
	})
}

// takesDefaults makes a fault: what does not compile is compiled with default options.
func takesDefaults(check, words string) mutant.Mutant {
	return onCompile(check, words, func(c *compilation) {
		if c.Forward(); c.Err() != nil {
			c.withOptions(options{}.bytes())
		}
	})
}

// compilesAnything makes a fault: another program is compiled instead of one that does not
// compile.
func compilesAnything(check string) mutant.Mutant {
	return onCompile(check, "compiles another program when one does not compile", func(c *compilation) {
		if c.Forward(); c.Err() != nil {
			c.with("mlir", addOneText)
		}
	})
}

const addOneText = check.AddOne

// nth returns a function that returns true at its n-th call.
func nth(n int64) func() bool {
	var calls atomic.Int64
	return func() bool { return calls.Add(1) == n }
}

// familyFaults returns the faults of the families of operations.
func familyFaults() []mutant.Mutant {
	var list []mutant.Mutant
	for _, variant := range []string{"elementwise", "integer", "integer-of-8-bits", "integer-of-64-bits", "complex", "convert",
		"data-movement", "contraction", "reduction", "control-flow",
		"random-and-linear", "dynamic", "tokens-and-transfers", "collective", "quantized"} {
		list = append(list, onCompile("CMP-11/"+variant, "succeeds without an executable", func(c *compilation) {
			if c.Forward(); c.Err() == nil {
				c.drop()
				return
			}
			c.FailWith(nil)
		}))
	}
	for _, variant := range []string{"bitcast-of-i1", "bitcast-of-i1-to-f64", "bitcast-to-i1", "concatenate-i2", "concatenate-ui2",
		"complex-remainder", "complex-remainder-f64", "new-types", "f6-concatenate", "f6-broadcast_in_dim", "f6-reshape", "f6-convert",
		"f6E3M2FN-concatenate", "f6E3M2FN-broadcast_in_dim", "f6E3M2FN-reshape", "f6E3M2FN-convert"} {
		list = append(list, onCompile("CMP-11/"+variant, "succeeds without an executable", func(c *compilation) {
			if c.Forward(); c.Err() == nil {
				c.drop()
			}
			c.FailWith(nil)
		}).InMemory())
	}
	return list
}

func compileFaults() []mutant.Mutant {
	return slices.Concat([]mutant.Mutant{
		instead("CMP-01", "stablehlo.add", "stablehlo.subtract"),
		onCompile("CMP-01", "compiles bytecode only", func(c *compilation) {
			if !check.IsBytecode(c.code()) && c.code() != addOneText {
				c.Forward()
				return
			}
			c.Fail(capi.ErrorCodeInvalidArgument, "no bytecode")
		}),
		refuses("CMP-02", "StableHLO_v0.14.0"),
		onCompile("CMP-03", "fails with INTERNAL on HLO", func(c *compilation) {
			mutant.FailIf(c.Invocation, c.format() == "hlo", capi.ErrorCodeInternal, "no HLO")
		}),
		onCompile("CMP-04", "compiles another program", func(c *compilation) { c.with("mlir", addOneText) }),
		onCompile("CMP-05", "takes every format for mlir", func(c *compilation) { c.with("mlir", c.code()) }),
		onCompile("CMP-05", "does not name the format", func(c *compilation) {
			if c.Forward(); c.Err() != nil {
				c.Fail(capi.ErrorCodeInvalidArgument, "bad program")
			}
		}),
		onCompile("CMP-06", "reads the format beyond its size", func(c *compilation) {
			mutant.FailIf(c.Invocation, c.code() == addOneText && c.format() == "mlir" && capi.String((*c.program).Format,
				8) == "mlirXXXX", capi.ErrorCodeInvalidArgument,
				"unknown format mlirXXXX")
		}),
		onCompile("CMP-07", "reads the code beyond its size", func(c *compilation) {
			// Not beyond a zero byte, which is what follows other programs.
			p := *c.program
			n := p.CodeSize
			for n < p.CodeSize+4 && capi.String(p.Code, n+1)[n] != 0 {
				n++
			}
			c.with(c.format(), capi.String(p.Code, n))
		}),
		compilesAnything("CMP-08/garbage"), compilesAnything("CMP-08/truncated"), compilesAnything("CMP-08/truncated-bytecode"),
		poisoned("CMP-08/flipped"), poisoned("CMP-08/flipped-bytecode").InMemory().On(strict),
		compilesAnything("CMP-09"), poisoned("CMP-09"), compilesAnything("CMP-09/recursion").InMemory(),
		onCompile("CMP-10", "says only that compiling failed", func(c *compilation) {
			if c.Forward(); c.Err() != nil {
				c.Fail(capi.ErrorCodeUnknown, "compilation failed")
			}
		}),
		takesDefaults("CMP-12", "takes default options for those that it cannot read"),
		onCompile("CMP-13", "refuses empty options", func(c *compilation) {
			mutant.FailIf(c.Invocation, *c.size == 0, capi.ErrorCodeInvalidArgument, "no options")
		}).InMemory(),
		mutant.Fails("CMP-14/no-arguments", "wants arguments", func(a *capi.LoadedExecutableExecuteArgs) bool { return a.NumArgs == 0 }),
		mutant.After("CMP-14/no-results", "counts a result where there is none", func(a *capi.ExecutableNumOutputsArgs) { a.NumOutputs = max(a.NumOutputs, 1) }),
		onArguments("CMP-14/arguments=1000", "has room for 256 arguments", func(list []*capi.Buffer) {
			for i := 256; i < len(list); i++ {
				list[i] = list[0]
			}
		}),
		onOutputs("CMP-14/results=1000", "has room for 256 results", func(list []*capi.Buffer) {
			if n := len(list); n > 257 {
				list[n-1], list[256] = list[256], list[n-1]
			}
		}),
		onArguments("CMP-15/tupled-arguments", "takes the elements of the tuple in another order", slices.Reverse),
		compilesAnything("CMP-15/tuple-argument").And(onArguments("", "", slices.Reverse)),
		compilesAnything("CMP-15/tuple-result").And(onOutputs("", "", slices.Reverse)),
		mixesPrograms("CMP-16"), mixesPrograms("CMP-16/many"),
		leaksCompiling("CMP-17", 8<<20), leaksCompiling("CMP-17/many", 1<<20),
		instead("CMP-18", "dense<2.5>", "dense<2.0>"), instead("CMP-18/size=16MiB", "dense<2.5>", "dense<2.0>"), instead("CMP-18/size=64MiB", "dense<2.5>", "dense<2.0>"),
		refuses("CMP-23/mhlo", "mhlo.sharding"), refuses("CMP-23/sdy", "sdy.mesh"),
		refuses("CMP-24/erf", "chlo."), refuses("CMP-24/top_k", "chlo."),
	}, familyFaults())
}

// poisoned makes a fault: nothing compiles after a program that did not.
func poisoned(check string) mutant.Mutant {
	return mutant.Hooked(check, "compiles nothing any more after a bad program", func() []serve.Hook {
		var dead atomic.Bool
		return compileHooks(func(c *compilation) {
			if c.Forward(); c.Err() != nil {
				dead.Store(true)
			} else if dead.Load() {
				c.drop()
				c.Fail(capi.ErrorCodeInternal, "the compiler is in a bad state")
			}
		})
	})
}

// mixesPrograms makes a fault: in place of the third program, the second is compiled again. The
// first is the one that checks share, which may do what one of their own does.
func mixesPrograms(check string) mutant.Mutant {
	return mutant.Hooked(check, "mixes up programs that are compiled at the same time", func() []serve.Hook {
		var mu sync.Mutex
		var second string
		compiled := 0
		return compileHooks(func(c *compilation) {
			mu.Lock()
			compiled++
			n := compiled
			if n == 2 {
				second = strings.Clone(c.code())
			}
			mu.Unlock()
			if n == 3 {
				c.with(c.format(), second)
				return
			}
			c.Forward()
		})
	})
}

// leaksCompiling makes a fault: each compilation leaks memory.
func leaksCompiling(check string, n int) mutant.Mutant {
	return mutant.Hooked(check, "never frees what it compiled", func() []serve.Hook {
		kept := mutant.NewHoard()
		return compileHooks(func(c *compilation) {
			kept.Add(n)
			c.Forward()
		})
	})
}

func optionFaults() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.After("COPT-01", "always has one replica", func(a *capi.ExecutableNumReplicasArgs) { a.NumReplicas = 1 }),
		onCompile("COPT-02", "ignores the device assignment", func(c *compilation) {
			if o, _ := readOptions(c.bytes()); o.assignment != nil && o.replicas == 1 {
				c.withOptions(options{}.bytes())
				return
			}
			c.Forward()
		}),
		claimsAssignment("COPT-02"),
		takesDefaults("COPT-03", "takes default options for those that it refuses").InMemory(),
		takesDefaults("COPT-04", "takes default options for those that it refuses").InMemory(),
		executesOnFirst("COPT-05"),
		onCompile("COPT-06", "ignores layouts", func(c *compilation) { c.withOptions(options{}.bytes()) }).InMemory(),
		takesDefaults("COPT-07", "ignores flags that it does not know"),
		changesFlags("COPT-07", "reads one flag", func(names []string) []string { return names[:min(len(names), 1)] }),
		changesFlags("COPT-07", "loses the last of several flags", func(names []string) []string { return names[:max(len(names)-1, 1)] }),
		changesFlags("COPT-07", "compares names of flags by their first 24 bytes", func(names []string) []string {
			out := slices.Clone(names)
			for i, name := range out {
				if strings.HasPrefix(name, "xla_embed_ir_in_executab") {
					out[i] = "xla_embed_ir_in_executable"
				}
			}
			return out
		}),
		onCompile("COPT-08", "refuses fields that it does not know", func(c *compilation) {
			mutant.FailIf(c.Invocation, strings.Contains(string(c.bytes()), "newer"), capi.ErrorCodeInvalidArgument, "unknown field 9999")
		}),
		onCompile("COPT-11", "does not know the last optimization_level", func(c *compilation) {
			mutant.FailIf(c.Invocation, strings.Contains(string(c.bytes()), "\xc0\x01\x04"), capi.ErrorCodeInvalidArgument,
				"unknown effort 4")
		}),
		onCompile("COPT-12", "refuses the device ordinal -1", func(c *compilation) {
			mutant.FailIf(c.Invocation, strings.Contains(string(c.bytes()),
				"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), capi.ErrorCodeInvalidArgument,
				"device ordinal -1")
		}),
	}
}

// changesFlags makes a fault: the compiler gets other flags than the caller gave.
func changesFlags(check, words string, change func(names []string) []string) mutant.Mutant {
	return onCompile(check, words, func(c *compilation) {
		var others []byte
		var names []string
		values := make(map[string][]byte)
		err := wire.Visit(c.bytes(), func(f wire.Field) error {
			if f.Number != 7 {
				others = append(others, f.Raw...)
				return nil
			}
			return wire.Visit(f.Bytes, func(f wire.Field) error {
				if f.Number == 1 {
					names = append(names, string(f.Bytes))
				} else if f.Number == 2 {
					values[names[len(names)-1]] = f.Bytes
				}
				return nil
			})
		})
		if err != nil || len(names) == 0 {
			c.Forward()
			return
		}
		for _, name := range change(names) {
			others = message(others, 7, message(message(nil, 1, []byte(name)), 2, values[name]))
		}
		c.withOptions(others)
	})
}

// claimsAssignment makes a fault: a program that is assigned to one device is compiled for
// the default one, and claims to be for the other.
func claimsAssignment(check string) mutant.Mutant {
	return mutant.Hooked(check, "lists the device of the assignment, and computes on another", func() []serve.Hook {
		var mu sync.Mutex
		claimed := make(map[*capi.LoadedExecutable]**capi.Device)
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) {
				o, _ := readOptions(capi.Bytes(a.CompileOptions, a.CompileOptionsSize))
				if o.replicas != 1 || len(o.assignment) != 1 {
					c.Forward()
					return
				}
				mutant.Forward(c, a, func(a *capi.ClientCompileArgs) {
					a.CompileOptions, a.CompileOptionsSize = capi.BytesData(options{}.bytes())
				})
				out, err := mutant.Try(c.Table(), capi.ClientDevicesArgs{Client: a.Client})
				if c.Err() != nil || err != nil {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				claimed[a.Executable] = &capi.Slice(out.Devices, out.NumDevices)[o.assignment[0][0]]
			}),
			serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableAddressableDevicesArgs) {
				c.Forward()
				mu.Lock()
				defer mu.Unlock()
				if device, ok := claimed[a.Executable]; ok {
					a.AddressableDevices, a.NumAddressableDevices = device, 1
				}
			}),
		}
	})
}

// executesOnFirst makes a fault: all executions run on the device of the first one.
func executesOnFirst(check string) mutant.Mutant {
	return mutant.Hooked(check, "executes on one device whatever execute_device says", func() []serve.Hook {
		var first atomic.Pointer[capi.Device]
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) {
			first.CompareAndSwap(nil, a.ExecuteDevice)
			if a.ExecuteDevice != nil {
				a.ExecuteDevice = first.Load()
			}
			c.Forward()
		})}
	})
}
