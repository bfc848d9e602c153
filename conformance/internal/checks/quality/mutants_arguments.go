// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"os"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// ends makes the in-memory plugin, which survives all arguments, end the process for
// some of them.
func ends[A any](family, fault string, when func(*A) bool) []mutant.Mutant {
	var list []mutant.Mutant
	for _, variant := range []string{"", ",fields=several"} {
		list = append(list, mutant.Before("FUZZ-01/functions="+family+variant, fault, func(a *A) {
			if when(a) {
				os.Exit(134)
			}
		}).InMemory())
	}
	return list
}

// extended makes functions that end the process if their arguments have an unknown
// extension.
func extended[A any](family string, extension func(*A) *capi.ExtensionBase) []mutant.Mutant {
	return ends(family, "follows an extension that it does not know", func(a *A) bool {
		x := extension(a)
		return x != nil && x.Type == unknownExtension
	})
}

func argumentMutants() []mutant.Mutant {
	return slices.Concat(
		ends("client", "takes an id for an index", func(a *capi.ClientLookupDeviceArgs) bool { return a.ID < 0 || a.ID > 1000 }),
		ends("client", "reads a message to its NUL", func(a *capi.DevicePoisonExecutionArgs) bool {
			return strings.Contains(capi.String(a.ErrorMessage, a.ErrorMessageSize), "\x00")
		}),
		ends("compile", "copies the format to 4 KiB of stack", func(a *capi.ClientCompileArgs) bool { return a.Program.FormatSize > 4096 }),
		ends("compile", "reads options that are not there", func(a *capi.ClientCompileArgs) bool { return a.CompileOptions == nil }),
		ends("upload", "ends with a fatal check on an unknown type",
			func(a *capi.ClientBufferFromHostBufferArgs) bool { return a.Type > 1000 || a.Type < 0 }),
		ends("upload", "ends with a fatal check on unknown semantics", func(a *capi.ClientBufferFromHostBufferArgs) bool {
			return a.HostBufferSemantics > 1000 || a.HostBufferSemantics < 0
		}),
		ends("upload", "takes negative dimensions for large ones", func(a *capi.ClientCreateUninitializedBufferArgs) bool {
			return slices.ContainsFunc(capi.Slice(a.ShapeDims, a.ShapeNumDims), func(n int64) bool { return n < 0 })
		}),
		ends("buffer", "reads in front of a buffer", func(a *capi.BufferCopyRawToHostArgs) bool { return a.Offset < 0 }),
		ends("transfer", "takes any number for a buffer's",
			func(a *capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs) bool { return a.BufferIndex != 0 }),
		ends("execute", "writes behind the list of arguments", func(a *capi.LoadedExecutableExecuteArgs) bool {
			return slices.ContainsFunc(capi.Slice(a.Options.NonDonatableInputIndices, a.Options.NumNonDonatableInputIndices),
				func(n int64) bool { return n < 0 })
		}),
		extended("execute", func(a *capi.LoadedExecutableExecuteArgs) *capi.ExtensionBase { return a.ExtensionStart }),
		extended("getters", func(a *capi.BufferDimensionsArgs) *capi.ExtensionBase { return a.ExtensionStart }),
		ends("topology", "reads a name to its NUL", func(a *capi.TopologyDescriptionCreateArgs) bool {
			return strings.Contains(capi.String(a.TopologyName, a.TopologyNameSize), "\x00")
		}),
		spoils(),
	)
}

// spoils returns faults that show in later calls.
func spoils() []mutant.Mutant {
	m := mutant.Mutant{Check: "FUZZ-01/functions=execute", Fault: "an execution for no device spoils those that follow",
		Base: mutant.Memory, Hooks: func() []serve.Hook {
			spoiled := false
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) {
				spoiled = spoiled || a.NumDevices == 0
				mutant.FailIf(c, spoiled, capi.ErrorCodeInternal, "there is no device")
			})}
		}}
	return []mutant.Mutant{m}
}
