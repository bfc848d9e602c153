// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

func executableFaults() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.OnceFails[capi.ExecutableDestroyArgs, capi.ExecutableNameArgs]("EXE-01", "destroying one executable ends the others", capi.ErrorCodeInternal),
		mutant.OnceFails[capi.LoadedExecutableDestroyArgs, capi.ExecutableNameArgs]("EXE-02", "the executable does not outlive the loaded one", capi.ErrorCodeInternal).InMemory(),
		mutant.Fails("EXE-03", "refuses null", func(a *capi.ExecutableDestroyArgs) bool { return a.Executable == nil }),
		lacksNull("EXE-03", func(a *capi.ExecutableDestroyArgs) bool { return a.Executable == nil }),
		mutant.After("EXE-04", "has no name", func(a *capi.ExecutableNameArgs) { a.ExecutableNameSize = 0 }),
		mutant.After("EXE-04", "counts the terminator of the name", func(a *capi.ExecutableNameArgs) {
			a.ExecutableName, a.ExecutableNameSize = capi.StringData(capi.String(a.ExecutableName, a.ExecutableNameSize) + "\x00")
			check.Retain(a.ExecutableName)
		}),
		renamed("EXE-04"),
		mutant.After("EXE-05", "has no replicas", func(a *capi.ExecutableNumReplicasArgs) { a.NumReplicas = 0 }),
		mutant.After("EXE-06", "has no partitions", func(a *capi.ExecutableNumPartitionsArgs) { a.NumPartitions = 0 }),
		mutant.After("EXE-07", "counts a result where there is none", func(a *capi.ExecutableNumOutputsArgs) { a.NumOutputs = max(a.NumOutputs, 1) }),
		mutant.After("EXE-08", "gives a size that cannot be", func(a *capi.ExecutableSizeOfGeneratedCodeInBytesArgs) { a.SizeInBytes = -77 }),
		mutant.After("EXE-09", "lists the types in another order", func(a *capi.ExecutableOutputElementTypesArgs) {
			list := capi.Slice(a.OutputTypes, a.NumOutputTypes)
			slices.Reverse(list)
			if len(list) > 0 {
				a.OutputTypes = &list[0]
			}
		}),
		mutant.After("EXE-10", "leaves scalars out", func(a *capi.ExecutableOutputDimensionsArgs) {
			list := slices.DeleteFunc(capi.Slice(a.DimSizes, a.NumOutputs), func(n uintptr) bool { return n == 0 })
			if a.NumOutputs = uintptr(len(list)); len(list) > 0 {
				a.DimSizes = &list[0]
			}
		}),
		mutant.After("EXE-11", "counts a tuple as one", func(a *capi.ExecutableOutputElementTypesArgs) { a.NumOutputTypes = min(a.NumOutputTypes, 1) }),
		mutant.OnePlace("EXE-12", "uses one array for all executables",
			func(a *capi.ExecutableOutputElementTypesArgs) (**capi.BufferType, *uintptr) {
				return &a.OutputTypes, &a.NumOutputTypes
			}),
		mutant.After("EXE-13", "has no kinds", func(a *capi.ExecutableOutputMemoryKindsArgs) { a.NumOutputs = 0 }).InMemory(),
		mutant.After("EXE-13", "has kinds without names", func(a *capi.ExecutableOutputMemoryKindsArgs) {
			clear(mutant.View(a.MemoryKindSizes, a.NumOutputs))
		}).InMemory(),
		mutant.After("EXE-14", "counts no parameters", func(a *capi.ExecutableParameterMemoryKindsArgs) { a.NumParameters = 0 }).InMemory(),
		mutant.After("EXE-15", "gives a count without properties", func(a *capi.ExecutableGetCostAnalysisArgs) { a.Properties = nil }),
		mutant.After("EXE-15", "gives a property twice", func(a *capi.ExecutableGetCostAnalysisArgs) {
			list := capi.Slice(a.Properties, a.NumProperties)
			list = append(list, list[0])
			a.Properties, a.NumProperties = &list[0], uintptr(len(list))
		}),
		mutant.After("EXE-16", "counts too many flops", func(a *capi.ExecutableGetCostAnalysisArgs) {
			list := capi.Slice(a.Properties, a.NumProperties)
			for i := range list {
				if list[i].Type == capi.NamedValueFloat {
					list[i].SetFloatValue(10 * list[i].FloatValue())
				}
			}
			a.Properties = &list[0]
		}),
		mutant.After("EXE-17", "swaps arguments and results", func(a *capi.ExecutableGetCompiledMemoryStatsArgs) {
			a.ArgumentSizeInBytes, a.OutputSizeInBytes = a.OutputSizeInBytes, a.ArgumentSizeInBytes
		}),
		mutant.After("EXE-18", "does not count what is donated", func(a *capi.ExecutableGetCompiledMemoryStatsArgs) { a.AliasSizeInBytes = 0 }),
		mutant.After("EXE-19", "has no peak", func(a *capi.ExecutableGetCompiledMemoryStatsArgs) { a.PeakMemoryInBytes = 0 }),
		mutant.After("EXE-20", "counts results in host memory as the device's", func(a *capi.ExecutableGetCompiledMemoryStatsArgs) {
			a.OutputSizeInBytes, a.HostOutputSizeInBytes = a.HostOutputSizeInBytes, 0
		}).InMemory(),
		mutant.Of("EXE-21", "does not fill the last byte", func(c *serve.Invocation, a *capi.ExecutableOptimizedProgramArgs) {
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
		mutant.Of("EXE-21", "gives a larger size at first", func(c *serve.Invocation, a *capi.ExecutableOptimizedProgramArgs) {
			first := a.Program.Code == nil
			if c.Forward(); first {
				a.Program.CodeSize += 8
			}
		}),
		mutant.Swallows[capi.ExecutableOptimizedProgramArgs]("EXE-22", "succeeds when there is no room"),
		mutant.After("EXE-23", "names no format", func(a *capi.ExecutableOptimizedProgramArgs) { a.Program.FormatSize = 0 }),
		mutant.Once[capi.ExecutableOptimizedProgramArgs]("EXE-24", "does another thing when it compiles what it optimised",
			func(c *serve.Invocation, a *capi.ClientCompileArgs) {
				mutant.Forward(c, a, func(a *capi.ClientCompileArgs) { a.Program = check.Program("mlir", another) })
			}).InMemory(),
		fingerprints("EXE-25", "is another at each call", func(_ []byte, n int64) []byte { return fmt.Appendf(nil, "fingerprint %d", n) }),
		fingerprints("EXE-25/processes", "depends on the process", func(b []byte, _ int64) []byte { return append(slices.Clone(b), "here"...) }),
		fingerprints("EXE-26", "is the same for all", func([]byte, int64) []byte { return []byte("fingerprint") }),
		fingerprints("EXE-27", "is empty", func([]byte, int64) []byte { return nil }),
		mutant.Of("EXE-28", "fails with INTERNAL", func(c *serve.Invocation, _ *capi.LoadedExecutableFingerprintArgs) {
			c.Fail(capi.ErrorCodeInternal, "no fingerprint")
		}),
		mutant.OfEach("EXE-29", "is not safe when asked at the same time",
			func(c *serve.Invocation, a *capi.ExecutableOutputDimensionsArgs, n int64) {
				if c.Forward(); n == 3 {
					a.NumOutputs = 0
				}
			}),
	}
}

// another is a program that is compiled or loaded instead of one.
var another = replaced(check.AddOne, "stablehlo.add", "stablehlo.multiply")

// renamed makes a fault: the name is a different one at each call.
func renamed(check string) mutant.Mutant {
	return mutant.OfEach(check, "changes its name", func(c *serve.Invocation, a *capi.ExecutableNameArgs, n int64) {
		c.Forward()
		a.ExecutableName, a.ExecutableNameSize = capi.StringData(fmt.Sprintf("name %d", n))
	})
}

// fingerprints makes a fault of fingerprints: change gets the right one and the number of
// the call.
func fingerprints(check, words string, change func(b []byte, call int64) []byte) mutant.Mutant {
	return mutant.OfEach(check, words, func(c *serve.Invocation, a *capi.ExecutableFingerprintArgs, n int64) {
		if c.Forward(); c.Err() == nil {
			a.ExecutableFingerprint,
				a.ExecutableFingerprintSize = capi.BytesData(change(capi.Bytes(a.ExecutableFingerprint,
				a.ExecutableFingerprintSize), n))
		}
	})
}

// lacksNull makes a fault: a plugin that has executables does not implement null.
func lacksNull[A any](check string, null func(a *A) bool) mutant.Mutant {
	return mutant.Refuses(check, "does not implement null", capi.ErrorCodeUnimplemented, func(a *A) bool { return null(a) })
}

func loadedFaults() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Fails("LEX-01", "refuses null", func(a *capi.LoadedExecutableDestroyArgs) bool { return a.Executable == nil }),
		lacksNull("LEX-01", func(a *capi.LoadedExecutableDestroyArgs) bool { return a.Executable == nil }),
		mutant.After("LEX-02", "does not know that it is deleted", func(a *capi.LoadedExecutableIsDeletedArgs) { a.IsDeleted = false }).InMemory(),
		mutant.After("LEX-02", "thinks that it is deleted", func(a *capi.LoadedExecutableIsDeletedArgs) { a.IsDeleted = true }).InMemory(),
		mutant.Of("LEX-03", "does nothing when it is to be deleted", func(*serve.Invocation, *capi.LoadedExecutableDeleteArgs) {}).InMemory(),
		mutant.OnceFails[capi.LoadedExecutableDeleteArgs, capi.EventAwaitArgs]("LEX-04", "cancels executions when it is deleted", capi.ErrorCodeCancelled),
		instead("LEX-05", "dense<1.0>", "dense<2.0>"),
		mutant.OnceFails[capi.LoadedExecutableDestroyArgs, capi.EventAwaitArgs]("LEX-06", "cancels executions when it is destroyed", capi.ErrorCodeCancelled),
		mutant.OnceFails[capi.LoadedExecutableDestroyArgs, capi.LoadedExecutableExecuteArgs]("LEX-07", "takes its results with it when it is destroyed", capi.ErrorCodeInternal),
		mutant.After("LEX-08", "wraps its devices", func(a *capi.LoadedExecutableAddressableDevicesArgs) {
			list := make([]*capi.Device, a.NumAddressableDevices)
			for i := range list {
				list[i] = wrappedDevice
			}
			a.AddressableDevices = &list[0]
		}),
		swapsIDs("LEX-09/2x1"), swapsIDs("LEX-09/2x2"),
		reassigned("LEX-10"), reassigned("LEX-10/2x1"), reassigned("LEX-10/2x2"),
		mutant.After("LEX-11", "gives bytes for a portable executable", func(a *capi.LoadedExecutableGetDeviceAssignmentArgs) {
			a.SerializedBytes, a.SerializedBytesSize = capi.StringData("\x08\x01")
		}),
		mutant.OfEach("LEX-12", "gives other bytes at each call",
			func(c *serve.Invocation, a *capi.LoadedExecutableGetDeviceAssignmentArgs, n int64) {
				c.Forward()
				a.SerializedBytes, a.SerializedBytesSize = capi.StringData(fmt.Sprint(n))
			}),
	}
}

var wrappedDevice = new(capi.Device)

// swapsIDs makes a fault: logical ids are transposed.
func swapsIDs(check string) mutant.Mutant {
	return mutant.After(check, "takes replicas for partitions", func(a *capi.LoadedExecutableAddressableDeviceLogicalIDsArgs) {
		list := mutant.View(a.AddressableDeviceLogicalIDs, a.NumAddressableDeviceLogicalIDs)
		for i := range list {
			list[i].Replica, list[i].Partition = list[i].Partition, list[i].Replica
		}
	}).InMemory()
}

// reassigned makes a fault: the device assignment names other devices.
func reassigned(check string) mutant.Mutant {
	return mutant.After(check, "names other devices", func(a *capi.LoadedExecutableGetDeviceAssignmentArgs) {
		b := capi.Bytes(a.SerializedBytes, a.SerializedBytesSize)
		b[len(b)-1] ^= 1
		a.SerializedBytes, a.SerializedBytesSize = capi.BytesData(b)
	})
}

// compileInstead compiles a text on a client of the plugin behind the hooks.
func compileInstead(t *capi.Table, client *capi.Client, text string) *capi.LoadedExecutable {
	args := capi.ClientCompileArgs{Client: client, Program: check.Program("mlir", text)}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(options{}.bytes())
	out, _ := mutant.Try(t, args)
	return out.Executable
}

// loadsInstead makes a fault: another program is loaded.
func loadsInstead(check, words, text string) mutant.Mutant {
	return mutant.Of(check, words, func(c *serve.Invocation, a *capi.ExecutableDeserializeAndLoadArgs) {
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

func serializationFaults() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.After("SER-01", "gives no bytes", func(a *capi.ExecutableSerializeArgs) { a.SerializedBytesSize = 0 }),
		loadsInstead("SER-02", "loses constants", otherConstants),
		withClient("SER-03", "writes another program", func(client *atomic.Pointer[capi.Client]) serve.Hook {
			return serve.Around(func(c *serve.Invocation, a *capi.ExecutableSerializeArgs) {
				other := compileInstead(c.Table(), client.Load(), otherConstants)
				out, _ := mutant.Try(c.Table(), capi.LoadedExecutableGetExecutableArgs{LoadedExecutable: other})
				mutant.Forward(c, a, func(a *capi.ExecutableSerializeArgs) { a.Executable = out.Executable })
			})
		}),
		loadsInstead("SER-04", "loses the name", otherName),
		mutant.Fails("SER-05", "cannot write what it loaded", func(a *capi.ExecutableDeserializeAndLoadArgs) bool {
			return capi.Bytes(a.SerializedExecutable, a.SerializedExecutableSize)[0] == 'x'
		}).And(serializesOnce()).InMemory(),
		acceptsAnything("SER-06"), acceptsAnything("SER-08"),
		mutant.After("SER-07", "succeeds without an executable", func(a *capi.ExecutableDeserializeAndLoadArgs) { a.LoadedExecutable = nil }).InMemory(),
		mutant.Before("SER-09", "drops the options", func(a *capi.ExecutableDeserializeAndLoadArgs) {
			a.OverriddenSerializedCompileOptions, a.OverriddenSerializedCompileOptionsSize = nil, 0
		}),
		mutant.Before("SER-10", "drops the options", func(a *capi.ExecutableDeserializeAndLoadArgs) {
			a.OverriddenSerializedCompileOptions, a.OverriddenSerializedCompileOptionsSize = nil, 0
		}),
		mutant.Refuses("SER-11", "wants load_options", capi.ErrorCodeInvalidArgument, func(a *capi.ExecutableDeserializeAndLoadArgs) bool { return a.LoadOptions == nil }).InMemory(),
		loadsInstead("SER-12", "reads the origin beyond its size, and loads for another device", another).InMemory(),
		loadsInstead("SER-13", "reads the bytes after the call", otherConstants),
		mutant.Fails("SER-14", "loads programs for one device only", mutant.Always[capi.ExecutableDeserializeAndLoadArgs]),
	}
}

// serializesOnce makes a fault: what is serialized by the second call is unreadable.
func serializesOnce() mutant.Mutant {
	return mutant.OfEach("", "", func(c *serve.Invocation, a *capi.ExecutableSerializeArgs, n int64) {
		if c.Forward(); n == 2 {
			b := capi.Bytes(a.SerializedBytes, a.SerializedBytesSize)
			b[0] = 'x'
			a.SerializedBytes, a.SerializedBytesSize = capi.BytesData(b)
		}
	})
}

// acceptsAnything makes a fault: another program is loaded when one cannot be loaded.
func acceptsAnything(check string) mutant.Mutant {
	return mutant.Of(check, "loads something when it cannot read the bytes",
		func(c *serve.Invocation, a *capi.ExecutableDeserializeAndLoadArgs) {
			if c.Forward(); c.Err() != nil {
				c.FailWith(nil)
				a.LoadedExecutable = compileInstead(c.Table(), a.Client, another)
			}
		})
}
