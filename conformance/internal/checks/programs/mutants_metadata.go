// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// More faults of what executables report about themselves: memory that is reused, answers
// that depend on too little or too much, bytes beyond the end.
func moreMetadataFaults() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Hooked("EXE-01", "gives one executable to all who ask", func() []serve.Hook {
			var mu sync.Mutex
			given := make(map[*capi.LoadedExecutable]*capi.Executable)
			gone := make(map[*capi.Executable]bool)
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableGetExecutableArgs) {
					mu.Lock()
					defer mu.Unlock()
					if a.Executable = given[a.LoadedExecutable]; a.Executable == nil {
						c.Forward()
						given[a.LoadedExecutable] = a.Executable
					}
				}),
				serve.Around(func(c *serve.Invocation, a *capi.ExecutableDestroyArgs) {
					mu.Lock()
					defer mu.Unlock()
					gone[a.Executable] = true
				}),
				serve.Around(func(c *serve.Invocation, a *capi.ExecutableNameArgs) {
					if c.Forward(); gone[a.Executable] {
						c.Fail(capi.ErrorCodeInternal, "the executable is gone")
					}
				}),
			}
		}),
		mutant.OnePlace("EXE-04", "has one place for all names", func(a *capi.ExecutableNameArgs) (**byte, *uintptr) { return &a.ExecutableName, &a.ExecutableNameSize }),
		mutant.OnePlace("EXE-27", "has one place for all fingerprints", func(a *capi.ExecutableFingerprintArgs) (**byte, *uintptr) {
			return &a.ExecutableFingerprint, &a.ExecutableFingerprintSize
		}),
		mutant.OnePlace("SER-01", "has one place for all serialized executables", func(a *capi.ExecutableSerializeArgs) (**byte, *uintptr) {
			return &a.SerializedBytes, &a.SerializedBytesSize
		}),
		mutant.OnePlace("COPT-10", "has one place for all options", func(a *capi.ExecutableGetCompileOptionsArgs) (**byte, *uintptr) {
			return &a.SerializedBytes, &a.SerializedBytesSize
		}).InMemory(),
		mutant.Places("SER-01", "has two places for serialized executables, in turns", 2,
			func(a *capi.ExecutableSerializeArgs) (**byte, *uintptr) {
				return &a.SerializedBytes, &a.SerializedBytesSize
			}),
		mutant.Places("COPT-10", "has two places for options, in turns", 2,
			func(a *capi.ExecutableGetCompileOptionsArgs) (**byte, *uintptr) {
				return &a.SerializedBytes, &a.SerializedBytesSize
			}).InMemory(),
		compiledLast(), likeFirstAssignment(),
		onCompile("COPT-08", "reads options up to a field whose number is lower than the one before", func(c *compilation) {
			otherFields(c, func(list []wire.Field) []wire.Field {
				for i := range list {
					if i > 0 && list[i].Number < list[i-1].Number {
						return list[:i]
					}
				}
				return list
			})
		}),
		onCompile("COPT-08", "keeps the last part of a message that comes in several", func(c *compilation) {
			otherFields(c, func(list []wire.Field) []wire.Field {
				return slices.DeleteFunc(slices.Clone(list), func(f wire.Field) bool {
					i := len(list) - 1
					for list[i].Number != f.Number {
						i--
					}
					return f.Number == 3 && !slices.Equal(f.Bytes, list[i].Bytes)
				})
			})
		}),
		mutant.OnePlace("LEX-12", "has one place for all device assignments",
			func(a *capi.LoadedExecutableGetDeviceAssignmentArgs) (**byte, *uintptr) {
				return &a.SerializedBytes, &a.SerializedBytesSize
			}),
		onCompile("COPT-09", "says that there is one replica", func(c *compilation) { c.Forward() }).And(
			mutant.After("", "", func(a *capi.ExecutableGetCompileOptionsArgs) {
				a.SerializedBytes, a.SerializedBytesSize = capi.BytesData(oneReplica(capi.Bytes(a.SerializedBytes, a.SerializedBytesSize)))
			})).InMemory(),
		mutant.Of("EXE-11", "fills one place more than there are results", func(c *serve.Invocation, a *execution) {
			if c.Forward(); c.Err() == nil {
				n := outputsOf(c.Table(), a.Executable)
				_, results := lists(a, n+1)
				results[0][n] = leftOver
			}
		}),
		mutant.After("EXE-15", "gives scalars the size 0", func(a *capi.ExecutableGetCostAnalysisArgs) {
			list := capi.Slice(a.Properties, a.NumProperties)
			for i := range list {
				list[i].ValueSize = 0
			}
			a.Properties = &list[0]
		}),
		mutant.After("EXE-15", "says of a number that it is a string", func(a *capi.ExecutableGetCostAnalysisArgs) {
			list := capi.Slice(a.Properties, a.NumProperties)
			list[0].Type, list[0].ValueSize = capi.NamedValueString, 1<<40
			a.Properties = &list[0]
		}),
		mutant.After("EXE-17", "has a size below zero", func(a *capi.ExecutableGetCompiledMemoryStatsArgs) { a.TempSizeInBytes = -1 }),
		mutant.After("EXE-18", "counts what is not donated", func(a *capi.ExecutableGetCompiledMemoryStatsArgs) { a.AliasSizeInBytes = 1 << 20 }),
		mutant.Of("EXE-22", "fills all whatever room there is", func(c *serve.Invocation, a *capi.ExecutableOptimizedProgramArgs) {
			n := a.Program.CodeSize
			if a.Program.Code != nil {
				own := &capi.Program{StructSize: capi.ProgramSize}
				mutant.Try(c.Table(), capi.ExecutableOptimizedProgramArgs{Executable: a.Executable, Program: own})
				a.Program.CodeSize = own.CodeSize
			}
			if c.Forward(); a.Program.Code != nil && n < a.Program.CodeSize {
				c.Fail(capi.ErrorCodeInvalidArgument, "code_size is too small")
			}
		}),
		fingerprints("EXE-25/later", "has the time in it", func(b []byte, _ int64) []byte {
			return fmt.Appendf(slices.Clone(b), "%d", time.Now().Unix())
		}),
		codeFingerprints("EXE-26", "is that of the text without its numbers", func(code string) string {
			return regexp.MustCompile(`[0-9.]+`).ReplaceAllString(code, "")
		}),
		codeFingerprints("EXE-26", "is that of the signature", func(code string) string {
			_, rest, _ := strings.Cut(code, "@main")
			signature, _, _ := strings.Cut(rest, "{\n")
			return signature
		}),
	}
}

// codeFingerprints makes a fault: the fingerprint is derived from the text that was
// compiled.
func codeFingerprints(check, words string, of func(code string) string) mutant.Mutant {
	return mutant.Hooked(check, words, func() []serve.Hook {
		var mu sync.Mutex
		loaded, codes := make(map[*capi.LoadedExecutable]string), make(map[*capi.Executable]string)
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) {
				code := capi.String(a.Program.Code, a.Program.CodeSize)
				c.Forward()
				mu.Lock()
				defer mu.Unlock()
				loaded[a.Executable] = code
			}),
			serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableGetExecutableArgs) {
				c.Forward()
				mu.Lock()
				defer mu.Unlock()
				codes[a.Executable] = loaded[a.LoadedExecutable]
			}),
			serve.Around(func(c *serve.Invocation, a *capi.ExecutableFingerprintArgs) {
				mu.Lock()
				defer mu.Unlock()
				a.ExecutableFingerprint, a.ExecutableFingerprintSize = capi.StringData(of(codes[a.Executable]))
			}),
		}
	})
}

// oneReplica sets the number of replicas in compile options to one.
func oneReplica(b []byte) []byte {
	o, _ := readOptions(b)
	o.replicas = 1
	return optionsTable.Append(nil, &o)
}

func moreLoadedFaults() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Hooked("LEX-02", "deletes all executables with one", func() []serve.Hook {
			var deleted atomic.Bool
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, _ *capi.LoadedExecutableDeleteArgs) { c.Forward(); deleted.Store(true) }),
				serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableIsDeletedArgs) {
					c.Forward()
					a.IsDeleted = deleted.Load()
				}),
			}
		}).InMemory(),
		mutant.OnceFails[capi.LoadedExecutableDeleteArgs, execution]("LEX-03", "executes nothing more once an executable was deleted", capi.ErrorCodeFailedPrecondition).InMemory(),
		mutant.After("LEX-10/2x2", "transposes the assignment", func(a *capi.LoadedExecutableGetDeviceAssignmentArgs) {
			_, _, ids, err := readDeviceAssignment(capi.Bytes(a.SerializedBytes, a.SerializedBytesSize))
			if err == nil && len(ids) == 2 {
				ids[0][1], ids[1][0] = ids[1][0], ids[0][1]
				a.SerializedBytes, a.SerializedBytesSize = capi.BytesData(deviceAssignment(ids))
			}
		}),
		mutant.After("LEX-10/2x1", "sorts the assignment", func(a *capi.LoadedExecutableGetDeviceAssignmentArgs) {
			_, _, ids, err := readDeviceAssignment(capi.Bytes(a.SerializedBytes, a.SerializedBytesSize))
			if err == nil && len(ids) == 2 && ids[0][0] > ids[1][0] {
				ids[0], ids[1] = ids[1], ids[0]
				a.SerializedBytes, a.SerializedBytesSize = capi.BytesData(deviceAssignment(ids))
			}
		}),
		overridesOptions("SER-04", "loads with default options", options{}),
		overridesOptions("SER-14", "loads for the default devices", options{replicas: 2}),
		mutant.Of("SER-12", "reads an origin of five coordinates", func(c *serve.Invocation, a *capi.ExecutableDeserializeAndLoadArgs) {
			bad := false
			if o := a.LoadOptions; o != nil && o.ComputationOrigin != nil {
				bad = slices.Max(mutant.View(o.ComputationOrigin, o.ComputationOriginSize+2)) > 0
			}
			mutant.FailIf(c, bad, capi.ErrorCodeInvalidArgument, "there is no device at the origin")
		}).InMemory(),
	}
}

// overridesOptions makes a fault: what is loaded has other options.
func overridesOptions(check, words string, o options) mutant.Mutant {
	return mutant.Before(check, words, func(a *capi.ExecutableDeserializeAndLoadArgs) {
		a.OverriddenSerializedCompileOptions, a.OverriddenSerializedCompileOptionsSize = capi.BytesData(o.bytes())
	})
}

// otherFields forwards a compilation with other fields of its options.
func otherFields(c *compilation, change func(list []wire.Field) []wire.Field) {
	var list []wire.Field
	for f, err := range wire.Fields(c.bytes()) {
		if err != nil {
			c.Forward()
			return
		}
		list = append(list, f)
	}
	var o []byte
	for _, f := range change(list) {
		o = append(o, f.Raw...)
	}
	given, size := *c.options, *c.size
	*c.options, *c.size = mutant.LastingArray(o)
	c.Forward()
	*c.options, *c.size = given, size
}

// compiledLast makes a plugin that tells the options of the last compilation about every
// executable.
func compiledLast() mutant.Mutant {
	return mutant.Hooked("COPT-09", "tells the options of the executable that was compiled last", func() []serve.Hook {
		var last []byte
		return append(compileHooks(func(c *compilation) {
			if c.Forward(); c.Err() == nil {
				last = c.bytes()
			}
		}), mutant.Changed(func(a *capi.ExecutableGetCompileOptionsArgs, _ int64) { mutant.Reply(a, last) }))
	}).InMemory()
}

// likeFirstAssignment makes a plugin that tells the first device assignment of every executable.
func likeFirstAssignment() mutant.Mutant {
	return mutant.Hooked("LEX-12", "tells the device assignment of the first executable about all", func() []serve.Hook {
		var first []byte
		return []serve.Hook{mutant.Changed(func(a *capi.LoadedExecutableGetDeviceAssignmentArgs, n int64) {
			if n == 1 {
				first = capi.Bytes(a.SerializedBytes, a.SerializedBytesSize)
			}
			mutant.Reply(a, first)
		})}
	})
}
