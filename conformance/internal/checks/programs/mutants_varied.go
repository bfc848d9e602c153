// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"slices"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// variedMutants are faults of what comes in several, and of ranks, which programs with one or two
// small arrays do not show.
func variedMutants() []mutant.Mutant {
	// listed changes the indices of arguments that must not be donated.
	listed := func(name, fault string, change func(list []int64) []int64) mutant.Mutant {
		return mutant.Of(name, fault, func(c *serve.Invocation, a *execution) {
			given := a.Options
			own := *given
			own.NonDonatableInputIndices, own.NumNonDonatableInputIndices = mutant.LastingArray(
				change(capi.Slice(own.NonDonatableInputIndices, own.NumNonDonatableInputIndices)))
			a.Options = &own
			c.Forward()
			a.Options = given
		})
	}
	// without loses the last result in a list of n.
	without := func(n uintptr, size *uintptr) {
		if *size == n {
			*size--
		}
	}
	return slices.Concat(unsteadyMutants(), otherMutants(), []mutant.Mutant{
		mutant.After("EXE-04", "cuts names at 64 bytes", func(a *capi.ExecutableNameArgs) { a.ExecutableNameSize = min(a.ExecutableNameSize, 64) }),
		mutant.After("EXE-04", "counts a byte less in names that fill sixteen", func(a *capi.ExecutableNameArgs) { without(16, &a.ExecutableNameSize) }),
		mutant.Lists[capi.ExecutableOutputElementTypesArgs]("EXE-09", "has the type of the second of three results for the third",
			func(list []capi.BufferType) []capi.BufferType {
				if len(list) == 3 {
					list[2] = list[1]
				}
				return list
			}),
		mutant.After("EXE-10", "loses the dimensions of the last of 33 results", func(a *capi.ExecutableOutputDimensionsArgs) {
			if a.NumOutputs == 33 {
				a.DimSizes, _ = mutant.LastingArray(append(capi.Slice(a.DimSizes, 32), 0))
			}
		}),
		mutant.After("EXE-11", "loses the type of the last of 17 results", func(a *capi.ExecutableOutputElementTypesArgs) { without(17, &a.NumOutputTypes) }),
		mutant.After("EXE-13", "has the kind of the second result for the third", func(a *capi.ExecutableOutputMemoryKindsArgs) {
			a.MemoryKinds, a.MemoryKindSizes = thirdLikeSecond(a.MemoryKinds, a.MemoryKindSizes, a.NumOutputs)
		}).InMemory(),
		mutant.After("EXE-13", "loses the kind of the last of five results", func(a *capi.ExecutableOutputMemoryKindsArgs) { without(5, &a.NumOutputs) }).InMemory(),
		mutant.After("EXE-14", "has the kind of the second parameter for the third", func(a *capi.ExecutableParameterMemoryKindsArgs) {
			a.MemoryKinds, a.MemoryKindSizes = thirdLikeSecond(a.MemoryKinds, a.MemoryKindSizes, a.NumParameters)
		}).InMemory(),
		mutant.Again[capi.Executable]("EXE-15", "loses the last property when it is asked again",
			func(c *serve.Invocation, a *capi.ExecutableGetCostAnalysisArgs) {
				c.Forward()
				a.NumProperties--
			}).InMemory(),
		mutant.OnePlace("EXE-15", "has one place for all properties",
			check.Answer[capi.ExecutableGetCostAnalysisArgs, capi.NamedValue]).InMemory(),
		mutant.After("EXE-17", "counts at most 1,000 bytes of small arguments", func(a *capi.ExecutableGetCompiledMemoryStatsArgs) {
			if a.ArgumentSizeInBytes < 1<<20 {
				a.ArgumentSizeInBytes = min(a.ArgumentSizeInBytes, 1000)
			}
		}),
		mutant.After("EXE-18", "counts one of several that are donated", func(a *capi.ExecutableGetCompiledMemoryStatsArgs) {
			if a.AliasSizeInBytes < 1<<20 {
				a.AliasSizeInBytes = min(a.AliasSizeInBytes, 1<<17)
			}
		}),
		codeFingerprints("EXE-26", "is that of the first 256 bytes", func(code string) string { return code[:min(len(code), 256)] }),
		codeFingerprints("EXE-26/constants", "is that of constants without their last bytes", func(code string) string {
			head, _, _ := strings.Cut(code, "\">")
			return head[:len(head)-2]
		}).InMemory(),
		codeFingerprints("EXE-27/no-arguments", "is made of the arguments", func(code string) string {
			_, signature, _ := strings.Cut(code, "@main(")
			arguments, _, _ := strings.Cut(signature, ")")
			return arguments
		}).InMemory(),
		mutant.Of("RUN-01/several", "mixes up the last two of 33 results", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() == nil && outputsOf(c.Table(), a.Executable) == 33 {
				_, results := lists(a, 33)
				copy(results[0], mutant.LastExchanged(results[0], 2))
			}
		}),
		mutant.Refuses("SER-02", "wants a zero behind the bytes", capi.ErrorCodeInvalidArgument,
			func(a *capi.ExecutableDeserializeAndLoadArgs) bool {
				return mutant.View(a.SerializedExecutable, a.SerializedExecutableSize+1)[a.SerializedExecutableSize] != 0
			}),
		ofLoaded[capi.LoadedExecutable]("SER-02", "mixes up the results from the third on of what was loaded",
			func(c *serve.Invocation, a *execution) {
				if n := outputsOf(c.Table(), a.Executable); n > 3 {
					_, results := lists(a, n)
					slices.Reverse(results[0][2:])
				}
			}),
		mutant.OfEach("SER-02", "loads another program for the second time",
			func(c *serve.Invocation, a *capi.ExecutableDeserializeAndLoadArgs, n int64) {
				if c.Forward(); c.Err() == nil && n == 3 { // the first call is about another program
					a.LoadedExecutable = compileInstead(c.Table(), a.Client, another)
				}
			}),
		ofLoaded[capi.Executable]("SER-04", "cuts names at 64 bytes", func(_ *serve.Invocation, a *capi.ExecutableNameArgs) {
			a.ExecutableNameSize = min(a.ExecutableNameSize, 64)
		}),
		ofLoaded[capi.Executable]("SER-04", "mixes up the types of the last two of five results",
			func(_ *serve.Invocation, a *capi.ExecutableOutputElementTypesArgs) {
				if list := capi.Slice(a.OutputTypes, a.NumOutputTypes); len(list) == 5 {
					a.OutputTypes, _ = mutant.LastingArray(mutant.LastExchanged(list, 2))
				}
			}),
		mutant.After("EXE-07", "has at most 16 results", func(a *capi.ExecutableNumOutputsArgs) { a.NumOutputs = min(a.NumOutputs, 16) }),
		mutant.Lists[capi.ExecutableOutputElementTypesArgs]("EXE-09", "gives the results behind the twelfth its type",
			func(list []capi.BufferType) []capi.BufferType {
				for i := 12; i < len(list); i++ {
					list[i] = list[11]
				}
				return list
			}),
		mutant.After("EXE-10", "tells the last two of at least four dimensions in the other order",
			func(a *capi.ExecutableOutputDimensionsArgs) {
				sizes := capi.Slice(a.DimSizes, a.NumOutputs)
				n := uintptr(0)
				for _, s := range sizes {
					n += s
				}
				all := capi.Slice(a.Dims, n)
				at := uintptr(0)
				for _, s := range sizes {
					copy(all[at:], mutant.LastExchanged(all[at:at+s], 4))
					at += s
				}
				a.Dims, _ = mutant.LastingArray(all)
			}),
		mutant.Of("MULTI-01", "mixes up the last two results of the last of four devices", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() == nil && a.NumDevices > 3 {
				_, results := lists(a, outputsOf(c.Table(), a.Executable))
				copy(results[3], mutant.LastExchanged(results[3], 2))
			}
		}),
		mutant.Of("DON-01", "takes the argument in front of the last when the last of four is donated",
			func(c *serve.Invocation, a *execution) {
				if c.Forward(); c.Err() == nil && a.NumArgs == 4 {
					arguments, _ := lists(a, 0)
					mutant.Try(c.Table(), capi.BufferDeleteArgs{Buffer: arguments[0][2]})
				}
			}),
		listed("DON-01", "looks at no index above 2 of those that are not donatable", func(list []int64) []int64 {
			return slices.DeleteFunc(list, func(i int64) bool { return i > 2 })
		}),
		mutant.Hooked("CDS-03", "counts two chunks at most", func() []serve.Hook {
			var mu sync.Mutex
			var sizes []int64 // guarded by mu
			return []serve.Hook{
				mutant.Ahead(func(a *addition) {
					mu.Lock()
					defer mu.Unlock()
					sizes = append(sizes, int64(a.Chunk.Size))
				}),
				mutant.Changed(func(a *capi.CopyToDeviceStreamCurrentBytesArgs, _ int64) {
					mu.Lock()
					defer mu.Unlock()
					if len(sizes) > 2 {
						a.CurrentBytes = sizes[0] + sizes[1]
					}
				}),
			}
		}).InMemory().On(granular),
		mutant.AfterEach("EXE-08", "counts the code of all calls together",
			func(a *capi.ExecutableSizeOfGeneratedCodeInBytesArgs, n int64) { a.SizeInBytes *= n }).InMemory(),
		mutant.AfterEach("COPT-09", "loses the last byte when it is asked for again",
			func(a *capi.ExecutableGetCompileOptionsArgs, n int64) {
				if n == 2 {
					a.SerializedBytesSize--
				}
			}).InMemory(),
		mutant.Again[capi.Executable]("EXE-25", "loses the last byte when it is asked for again",
			func(c *serve.Invocation, a *capi.ExecutableFingerprintArgs) {
				if c.Forward(); c.Err() == nil {
					a.ExecutableFingerprintSize--
				}
			}),
		mutant.OfEach("EXE-21", "has a size of half the bytes when it is asked for again",
			func(c *serve.Invocation, a *capi.ExecutableOptimizedProgramArgs, n int64) {
				if c.Forward(); n > 3 && a.Program.Code == nil {
					a.Program.CodeSize /= 2
				}
			}),
		mutant.OfEach("EXE-21", "has no format when it is asked for again",
			func(c *serve.Invocation, a *capi.ExecutableOptimizedProgramArgs, n int64) {
				if c.Forward(); n > 3 && a.Program.Code == nil {
					a.Program.FormatSize = 0
				}
			}),
	}, mutant.Restless("EXE-15", func(a *capi.ExecutableGetCostAnalysisArgs) any { return a.Executable }))
}

// thirdLikeSecond returns a list of texts whose third is the second.
func thirdLikeSecond(texts **byte, sizes *uintptr, n uintptr) (**byte, *uintptr) {
	list, lengths := capi.Slice(texts, n), capi.Slice(sizes, n)
	if n > 2 {
		list[2], lengths[2] = list[1], lengths[1]
	}
	texts, _ = mutant.LastingArray(list)
	sizes, _ = mutant.LastingArray(lengths)
	return texts, sizes
}

// ofLoaded makes a mutant that changes what successful calls about loaded executables of serialized
// bytes, or about the executables in them, gave. H is either of both.
func ofLoaded[H, A any](name, fault string, change func(c *serve.Invocation, a *A)) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		m := new(mutant.Marks)
		return []serve.Hook{
			mutant.Marking(m, mutant.Made[capi.ExecutableDeserializeAndLoadArgs, capi.LoadedExecutable]),
			mutant.Changed(func(a *capi.ClientCompileArgs, _ int64) { m.Remove(a.Executable) }),
			mutant.Changed(func(a *capi.LoadedExecutableGetExecutableArgs, _ int64) {
				if m.Remove(a.Executable); m.Has(a.LoadedExecutable) {
					m.Add(a.Executable)
				}
			}),
			mutant.OfMarked[H](m, func(c *serve.Invocation, a *A) {
				if c.Forward(); c.Err() == nil {
					change(c, a)
				}
			}),
		}
	})
}

// otherMutants tell about an executable what is so of another, or lose a part of what they tell.
func otherMutants() []mutant.Mutant {
	var list []mutant.Mutant
	for _, lost := range []struct {
		what       string
		top, inner wire.Number
	}{
		{"parameter_is_tupled_arguments", 2, 0}, {"compile_portable_executable", 4, 0}, {"argument_layouts", 1, 0},
		{"device_assignment", 3, 9}, {"use_spmd_partitioning", 3, 6}, {"memory_fitting_level", 3, 25},
	} {
		list = append(list, mutant.After("COPT-09", "tells no "+lost.what, func(a *capi.ExecutableGetCompileOptionsArgs) {
			mutant.Reply(a, withoutField(capi.Bytes(a.SerializedBytes, a.SerializedBytesSize), lost.top, lost.inner))
		}))
	}
	list = append(list, mutant.Hooked("COPT-09", "tells the options of the third executable about later ones", func() []serve.Hook {
		var mu sync.Mutex
		var third []byte
		places := make(map[*capi.Executable]int)
		return []serve.Hook{mutant.Changed(func(a *capi.ExecutableGetCompileOptionsArgs, _ int64) {
			mu.Lock()
			defer mu.Unlock()
			if places[a.Executable] == 0 {
				places[a.Executable] = len(places) + 1
			}
			switch n := places[a.Executable]; {
			case n == 3:
				third = capi.Bytes(a.SerializedBytes, a.SerializedBytesSize)
			case n > 3:
				mutant.Reply(a, third)
			}
		})}
	}))
	const fault = "gives the optimized program of the first executable for all"
	return append(inMemory(list), mutant.Hooked("EXE-21", fault, func() []serve.Hook {
		var mu sync.Mutex
		var first *capi.Executable
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.ExecutableOptimizedProgramArgs) {
			mu.Lock()
			if first == nil {
				first = a.Executable
			}
			mu.Unlock()
			mutant.Forward(c, a, func(a *capi.ExecutableOptimizedProgramArgs) { a.Executable = first })
		})}
	}))
}

// withoutField returns a message without a field, or without one of the message in that field.
func withoutField(b []byte, n, inner wire.Number) []byte {
	var out []byte
	_ = wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.Number != n:
			out = append(out, f.Raw...)
		case inner != 0:
			out = message(out, n, withoutField(f.Bytes, inner, 0))
		}
		return nil
	})
	return out
}

// unsteadyMutants say something else of an executable when they are asked again, or of a later one
// what is so of an earlier one.
func unsteadyMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.AfterFirst[capi.Executable]("EXE-05", "is another when asked again",
			func(a *capi.ExecutableNumReplicasArgs) { a.NumReplicas++ }).InMemory(),
		mutant.AfterFirst[capi.Executable]("EXE-06", "is another when asked again",
			func(a *capi.ExecutableNumPartitionsArgs) { a.NumPartitions++ }).InMemory(),
		mutant.Of("EXE-05", "are as many as devices, if there are several partitions of each",
			func(c *serve.Invocation, a *capi.ExecutableNumReplicasArgs) {
				c.Forward()
				out, err := mutant.Try(c.Table(), capi.ExecutableNumPartitionsArgs{Executable: a.Executable})
				if err == nil && a.NumReplicas > 1 {
					a.NumReplicas *= out.NumPartitions
				}
			}),
		mutant.AfterFirst[capi.Executable]("EXE-13", "the last is gone when asked again",
			func(a *capi.ExecutableOutputMemoryKindsArgs) { a.NumOutputs-- }).InMemory(),
		mutant.AfterFirst[capi.Executable]("EXE-14", "the last is gone when asked again",
			func(a *capi.ExecutableParameterMemoryKindsArgs) { a.NumParameters-- }).InMemory(),
		mutant.AfterFirst[capi.Executable]("EXE-17", "is another when asked again",
			func(a *capi.ExecutableGetCompiledMemoryStatsArgs) { a.TempSizeInBytes++ }),
		mutant.LikeFormer[capi.Executable]("EXE-16", "later programs have the costs of the first", 2,
			func(a, former *capi.ExecutableGetCostAnalysisArgs) {
				a.Properties, a.NumProperties = former.Properties, former.NumProperties
			}),
		mutant.AfterFirst[capi.LoadedExecutable]("EXE-28", "is another when asked again",
			func(a *capi.LoadedExecutableFingerprintArgs) { a.ExecutableFingerprintSize-- }).On(fingerprinting),
		mutant.LikeFormer[capi.LoadedExecutable]("EXE-28", "the third program has that of the second", 3,
			func(a, former *capi.LoadedExecutableFingerprintArgs) {
				a.ExecutableFingerprint, a.ExecutableFingerprintSize = former.ExecutableFingerprint, former.ExecutableFingerprintSize
			}).On(fingerprinting),
	}
}

// fingerprinting makes a plugin that tells the fingerprint of an executable also of the loaded one,
// which the base does not.
func fingerprinting(base *capi.Table, faults ...serve.Hook) (*serve.Table, error) {
	return serve.Wrap(base, append(faults, serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableFingerprintArgs) {
		of, err := mutant.Try(c.Table(), capi.LoadedExecutableGetExecutableArgs{LoadedExecutable: a.Executable})
		if err != nil {
			c.Forward()
			return
		}
		defer mutant.Try(c.Table(), capi.ExecutableDestroyArgs{Executable: of.Executable})
		out, _ := mutant.Try(c.Table(), capi.ExecutableFingerprintArgs{Executable: of.Executable})
		mutant.Reply(a, capi.Bytes(out.ExecutableFingerprint, out.ExecutableFingerprintSize))
	}))...)
}
