// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

func executableFaults() []fault {
	return []fault{
		hooked("EXE-01", "destroying one executable ends the others", func() []serve.Hook {
			var gone atomic.Bool
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, _ *capi.ExecutableDestroyArgs) {
					gone.Store(true)
					c.Forward()
				}),
				serve.Around(func(c *serve.Invocation, _ *capi.ExecutableNameArgs) {
					if c.Forward(); gone.Load() {
						c.Fail(capi.ErrorCodeInternal, "the executable is gone")
					}
				}),
			}
		}),
		hooked("EXE-02", "the executable does not outlive the loaded one", func() []serve.Hook {
			var gone atomic.Bool
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, _ *capi.LoadedExecutableDestroyArgs) {
					gone.Store(true)
					c.Forward()
				}),
				serve.Around(func(c *serve.Invocation, _ *capi.ExecutableNameArgs) {
					if c.Forward(); gone.Load() {
						c.Fail(capi.ErrorCodeInternal, "the executable is gone")
					}
				}),
			}
		}).inModel(),
		fails("EXE-03", "refuses null", func(a *capi.ExecutableDestroyArgs) bool { return a.Executable == nil }),
		lacksNull("EXE-03", func(a *capi.ExecutableDestroyArgs) bool { return a.Executable == nil }),
		after("EXE-04", "has no name", func(a *capi.ExecutableNameArgs) { a.ExecutableNameSize = 0 }),
		renamed("EXE-04"),
		after("EXE-05", "has no replicas", func(a *capi.ExecutableNumReplicasArgs) { a.NumReplicas = 0 }),
		after("EXE-06", "has no partitions", func(a *capi.ExecutableNumPartitionsArgs) { a.NumPartitions = 0 }),
		after("EXE-07", "counts a result where there is none", func(a *capi.ExecutableNumOutputsArgs) { a.NumOutputs = max(a.NumOutputs, 1) }),
		after("EXE-08", "gives a size that cannot be", func(a *capi.ExecutableSizeOfGeneratedCodeInBytesArgs) { a.SizeInBytes = -77 }),
		after("EXE-09", "lists the types in another order", func(a *capi.ExecutableOutputElementTypesArgs) {
			list := capi.Slice(a.OutputTypes, a.NumOutputTypes)
			slices.Reverse(list)
			if len(list) > 0 {
				a.OutputTypes = &list[0]
			}
		}),
		after("EXE-10", "leaves scalars out", func(a *capi.ExecutableOutputDimensionsArgs) {
			list := slices.DeleteFunc(capi.Slice(a.DimSizes, a.NumOutputs), func(n uintptr) bool { return n == 0 })
			if a.NumOutputs = uintptr(len(list)); len(list) > 0 {
				a.DimSizes = &list[0]
			}
		}),
		after("EXE-11", "counts a tuple as one", func(a *capi.ExecutableOutputElementTypesArgs) { a.NumOutputTypes = min(a.NumOutputTypes, 1) }),
		hooked("EXE-12", "uses one array for all executables", func() []serve.Hook {
			shared := make([]capi.BufferType, 64)
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.ExecutableOutputElementTypesArgs) {
				if c.Forward(); c.Err() == nil {
					copy(shared, capi.Slice(a.OutputTypes, a.NumOutputTypes))
					a.OutputTypes = &shared[0]
				}
			})}
		}),
		after("EXE-13", "has no kinds", func(a *capi.ExecutableOutputMemoryKindsArgs) { a.NumOutputs = 0 }).inModel(),
		after("EXE-13", "has kinds without names", func(a *capi.ExecutableOutputMemoryKindsArgs) {
			clear(mutant.View(a.MemoryKindSizes, a.NumOutputs))
		}).inModel(),
		after("EXE-14", "counts no parameters", func(a *capi.ExecutableParameterMemoryKindsArgs) { a.NumParameters = 0 }).inModel(),
		after("EXE-15", "gives a count without properties", func(a *capi.ExecutableGetCostAnalysisArgs) { a.Properties = nil }),
		after("EXE-15", "gives a property twice", func(a *capi.ExecutableGetCostAnalysisArgs) {
			list := capi.Slice(a.Properties, a.NumProperties)
			list = append(list, list[0])
			a.Properties, a.NumProperties = &list[0], uintptr(len(list))
		}),
		after("EXE-16", "counts too many flops", func(a *capi.ExecutableGetCostAnalysisArgs) {
			list := capi.Slice(a.Properties, a.NumProperties)
			for i := range list {
				if list[i].Type == capi.NamedValueFloat {
					list[i].SetFloatValue(10 * list[i].FloatValue())
				}
			}
			a.Properties = &list[0]
		}),
		after("EXE-17", "swaps arguments and results", func(a *capi.ExecutableGetCompiledMemoryStatsArgs) {
			a.ArgumentSizeInBytes, a.OutputSizeInBytes = a.OutputSizeInBytes, a.ArgumentSizeInBytes
		}),
		after("EXE-18", "does not count what is donated", func(a *capi.ExecutableGetCompiledMemoryStatsArgs) { a.AliasSizeInBytes = 0 }),
		after("EXE-19", "has no peak", func(a *capi.ExecutableGetCompiledMemoryStatsArgs) { a.PeakMemoryInBytes = 0 }),
		after("EXE-20", "counts results in host memory as the device's", func(a *capi.ExecutableGetCompiledMemoryStatsArgs) {
			a.OutputSizeInBytes, a.HostOutputSizeInBytes = a.HostOutputSizeInBytes, 0
		}).inModel(),
		of("EXE-21", "does not fill the last byte", func(c *serve.Invocation, a *capi.ExecutableOptimizedProgramArgs) {
			var code []byte
			if a.Program.Code != nil {
				code = mutant.View(a.Program.Code, a.Program.CodeSize)
			}
			var last byte
			if len(code) > 0 {
				last = code[len(code)-1]
			}
			if c.Forward(); len(code) > 0 {
				code[len(code)-1] = last
			}
		}),
		of("EXE-21", "gives a larger size at first", func(c *serve.Invocation, a *capi.ExecutableOptimizedProgramArgs) {
			first := a.Program.Code == nil
			if c.Forward(); first {
				a.Program.CodeSize += 8
			}
		}),
		swallows[capi.ExecutableOptimizedProgramArgs]("EXE-22", "succeeds when there is no room"),
		of("EXE-23", "names no format", func(c *serve.Invocation, a *capi.ExecutableOptimizedProgramArgs) {
			c.Forward()
			a.Program.FormatSize = 0
		}),
		onCompile("EXE-24", "does another thing when it compiles what it optimised", func(c *compilation) {
			if c.format() != "mlir" {
				c.with("mlir", donateText)
				return
			}
			c.Forward()
		}).inModel(),
		fingerprints("EXE-25", "is another at each call", func(_ []byte, n int64) []byte { return fmt.Appendf(nil, "fingerprint %d", n) }),
		fingerprints("EXE-25/processes", "depends on the process", func(b []byte, _ int64) []byte { return append(slices.Clone(b), "here"...) }),
		fingerprints("EXE-26", "is the same for all", func([]byte, int64) []byte { return []byte("fingerprint") }),
		fingerprints("EXE-27", "is empty", func([]byte, int64) []byte { return nil }),
		of("EXE-28", "fails with INTERNAL", func(c *serve.Invocation, _ *capi.LoadedExecutableFingerprintArgs) {
			c.Fail(capi.ErrorCodeInternal, "no fingerprint")
		}),
		hooked("EXE-29", "is not safe when asked at the same time", func() []serve.Hook {
			now := nth(3)
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.ExecutableOutputDimensionsArgs) {
				if c.Forward(); now() {
					a.NumOutputs = 0
				}
			})}
		}),
	}
}

const donateText = `module @other {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.multiply %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`

// renamed makes a fault: the name is a different one at each call.
func renamed(check string) fault {
	return hooked(check, "changes its name", func() []serve.Hook {
		var calls atomic.Int64
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.ExecutableNameArgs) {
			c.Forward()
			a.ExecutableName, a.ExecutableNameSize = capi.StringData(fmt.Sprintf("name %d", calls.Add(1)))
		})}
	})
}

// fingerprints makes a fault of fingerprints: change gets the right one and the number of
// the call.
func fingerprints(check, words string, change func(b []byte, call int64) []byte) fault {
	return hooked(check, words, func() []serve.Hook {
		var calls atomic.Int64
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.ExecutableFingerprintArgs) {
			if c.Forward(); c.Err() == nil {
				a.ExecutableFingerprint,
					a.ExecutableFingerprintSize = capi.BytesData(change(capi.Bytes(a.ExecutableFingerprint,
					a.ExecutableFingerprintSize), calls.Add(1)))
			}
		})}
	})
}

// lacksNull makes a fault: a plugin that has executables does not implement null.
func lacksNull[A any](check string, null func(a *A) bool) fault {
	return of(check, "does not implement null", func(c *serve.Invocation, a *A) {
		if null(a) {
			c.Fail(capi.ErrorCodeUnimplemented, "null")
			return
		}
		c.Forward()
	})
}

func loadedFaults() []fault {
	return []fault{
		fails("LEX-01", "refuses null", func(a *capi.LoadedExecutableDestroyArgs) bool { return a.Executable == nil }),
		lacksNull("LEX-01", func(a *capi.LoadedExecutableDestroyArgs) bool { return a.Executable == nil }),
		after("LEX-02", "does not know that it is deleted", func(a *capi.LoadedExecutableIsDeletedArgs) { a.IsDeleted = false }).inModel(),
		after("LEX-02", "thinks that it is deleted", func(a *capi.LoadedExecutableIsDeletedArgs) { a.IsDeleted = true }).inModel(),
		of("LEX-03", "does nothing when it is to be deleted", func(*serve.Invocation, *capi.LoadedExecutableDeleteArgs) {}).inModel(),
		endsWith[capi.LoadedExecutableDeleteArgs]("LEX-04", "cancels executions when it is deleted"),
		instead("LEX-05", "dense<1.0>", "dense<2.0>"),
		endsWith[capi.LoadedExecutableDestroyArgs]("LEX-06", "cancels executions when it is destroyed"),
		hooked("LEX-07", "takes its results with it when it is destroyed", func() []serve.Hook {
			var gone atomic.Bool
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, _ *capi.LoadedExecutableDestroyArgs) {
					gone.Store(true)
					c.Forward()
				}),
				serve.Around(func(c *serve.Invocation, _ *capi.LoadedExecutableExecuteArgs) {
					if gone.Load() {
						c.Fail(capi.ErrorCodeInternal, "the argument is gone")
						return
					}
					c.Forward()
				}),
			}
		}),
		after("LEX-08", "wraps its devices", func(a *capi.LoadedExecutableAddressableDevicesArgs) {
			list := make([]*capi.Device, a.NumAddressableDevices)
			for i := range list {
				list[i] = wrappedDevice
			}
			a.AddressableDevices = &list[0]
		}),
		swapsIDs("LEX-09/2x1"), swapsIDs("LEX-09/2x2"),
		reassigned("LEX-10"), reassigned("LEX-10/2x1"), reassigned("LEX-10/2x2"),
		after("LEX-11", "gives bytes for a portable executable", func(a *capi.LoadedExecutableGetDeviceAssignmentArgs) {
			a.SerializedBytes, a.SerializedBytesSize = capi.StringData("\x08\x01")
		}),
		hooked("LEX-12", "gives other bytes at each call", func() []serve.Hook {
			var calls atomic.Int64
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableGetDeviceAssignmentArgs) {
				c.Forward()
				a.SerializedBytes, a.SerializedBytesSize = capi.StringData(fmt.Sprint(calls.Add(1)))
			})}
		}),
	}
}

var wrappedDevice = new(capi.Device)

// swapsIDs makes a fault: logical ids are transposed.
func swapsIDs(check string) fault {
	return after(check, "takes replicas for partitions", func(a *capi.LoadedExecutableAddressableDeviceLogicalIDsArgs) {
		list := mutant.View(a.AddressableDeviceLogicalIDs, a.NumAddressableDeviceLogicalIDs)
		for i := range list {
			list[i].Replica, list[i].Partition = list[i].Partition, list[i].Replica
		}
	}).inModel()
}

// reassigned makes a fault: the device assignment names other devices.
func reassigned(check string) fault {
	return after(check, "names other devices", func(a *capi.LoadedExecutableGetDeviceAssignmentArgs) {
		b := capi.Bytes(a.SerializedBytes, a.SerializedBytesSize)
		b[len(b)-1] ^= 1
		a.SerializedBytes, a.SerializedBytesSize = capi.BytesData(b)
	})
}

// compileInstead compiles a text on a client of the plugin behind the hooks.
func compileInstead(t *capi.Table, client *capi.Client, text string) *capi.LoadedExecutable {
	args := capi.ClientCompileArgs{Client: client, Program: programOf(text)}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(options{}.bytes())
	out, _ := mutant.Try(t, args)
	return out.Executable
}

func programOf(text string) *capi.Program {
	p := &capi.Program{StructSize: capi.ProgramSize, Code: capi.CString(text), CodeSize: uintptr(len(text))}
	p.Format, p.FormatSize = capi.StringData("mlir")
	return p
}

// loadsInstead makes a fault: another program is loaded.
func loadsInstead(check, words, text string) fault {
	return of(check, words, func(c *serve.Invocation, a *capi.ExecutableDeserializeAndLoadArgs) {
		c.FailWith(nil)
		a.LoadedExecutable = compileInstead(c.Table(), a.Client, text)
	})
}

// otherConstants is the program constants with a different constant, and otherName is the
// program under a different name.
var (
	otherConstants = replaced(constants, "0.1", "0.2")
	otherName      = replaced(constants, "@constants", "@lost")
)

func serializationFaults() []fault {
	return []fault{
		after("SER-01", "gives no bytes", func(a *capi.ExecutableSerializeArgs) { a.SerializedBytesSize = 0 }),
		loadsInstead("SER-02", "loses constants", otherConstants),
		hooked("SER-03", "writes another program", func() []serve.Hook {
			var client atomic.Pointer[capi.Client]
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, a *capi.ClientCreateArgs) {
					c.Forward()
					client.Store(a.Client)
				}),
				serve.Around(func(c *serve.Invocation, a *capi.ExecutableSerializeArgs) {
					other := compileInstead(c.Table(), client.Load(), otherConstants)
					out, _ := mutant.Try(c.Table(), capi.LoadedExecutableGetExecutableArgs{LoadedExecutable: other})
					kept := a.Executable
					a.Executable = out.Executable
					c.Forward()
					a.Executable = kept
				}),
			}
		}),
		loadsInstead("SER-04", "loses the name", otherName),
		of("SER-05", "cannot write what it loaded", func(c *serve.Invocation, a *capi.ExecutableDeserializeAndLoadArgs) {
			if capi.Bytes(a.SerializedExecutable, a.SerializedExecutableSize)[0] == 'x' {
				c.Fail(capi.ErrorCodeInternal, "not readable")
				return
			}
			c.Forward()
		}).and(serializesOnce()).inModel(),
		acceptsAnything("SER-06"), acceptsAnything("SER-08"),
		after("SER-07", "succeeds without an executable", func(a *capi.ExecutableDeserializeAndLoadArgs) { a.LoadedExecutable = nil }).inModel(),
		of("SER-09", "drops the options", func(c *serve.Invocation, a *capi.ExecutableDeserializeAndLoadArgs) {
			a.OverriddenSerializedCompileOptions, a.OverriddenSerializedCompileOptionsSize = nil, 0
			c.Forward()
		}),
		of("SER-10", "drops the options", func(c *serve.Invocation, a *capi.ExecutableDeserializeAndLoadArgs) {
			a.OverriddenSerializedCompileOptions, a.OverriddenSerializedCompileOptionsSize = nil, 0
			c.Forward()
		}),
		of("SER-11", "wants load_options", func(c *serve.Invocation, a *capi.ExecutableDeserializeAndLoadArgs) {
			if a.LoadOptions == nil {
				c.Fail(capi.ErrorCodeInvalidArgument, "no load_options")
				return
			}
			c.Forward()
		}).inModel(),
		loadsInstead("SER-12", "reads the origin beyond its size, and loads for another device", donateText).inModel(),
		loadsInstead("SER-13", "reads the bytes after the call", otherConstants),
		fails("SER-14", "loads programs for one device only", mutant.Always[capi.ExecutableDeserializeAndLoadArgs]),
	}
}

// serializesOnce makes a fault: what is serialized by the second call is unreadable.
func serializesOnce() fault {
	return hooked("", "", func() []serve.Hook {
		second := nth(2)
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.ExecutableSerializeArgs) {
			if c.Forward(); second() {
				b := capi.Bytes(a.SerializedBytes, a.SerializedBytesSize)
				b[0] = 'x'
				a.SerializedBytes, a.SerializedBytesSize = capi.BytesData(b)
			}
		})}
	})
}

// acceptsAnything makes a fault: another program is loaded when one cannot be loaded.
func acceptsAnything(check string) fault {
	return of(check, "loads something when it cannot read the bytes", func(c *serve.Invocation, a *capi.ExecutableDeserializeAndLoadArgs) {
		if c.Forward(); c.Err() != nil {
			c.FailWith(nil)
			a.LoadedExecutable = compileInstead(c.Table(), a.Client, donateText)
		}
	})
}
