// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// laterMutants are faults that one small object does not show: of a second one beside the first, of
// a later call, and of other sizes, types and ranks.
func laterMutants() []mutant.Mutant {
	return slices.Concat(mutant.InMemory(
		mutant.Before("XRAW-05", "writes at most 64 bytes", func(a *capi.RawBufferCopyRawHostToDeviceArgs) {
			a.TransferSize = min(a.TransferSize, 64)
		}),
		mutant.Before("XRAW-06", "reads at most 64 bytes", func(a *capi.RawBufferCopyRawDeviceToHostArgs) {
			a.TransferSize = min(a.TransferSize, 64)
		}),
		mutant.Before("XRAW-06", "takes offsets of five bits", func(a *capi.RawBufferCopyRawDeviceToHostArgs) { a.Offset &= 31 }),
		mutant.Hooked("XRAW-07", "destroys all aliases with one", func() []serve.Hook {
			aliases := new(mutant.Marks) // there when another was destroyed
			var there []*capi.RawBuffer
			return []serve.Hook{
				mutant.Changed(func(a *capi.RawBufferCreateRawAliasOfBufferArgs, _ int64) { there = append(there, a.RawBuffer) }),
				mutant.Then(func(a *capi.RawBufferDestroyArgs) {
					mutant.AddAll(aliases, there)
					there = nil
				}),
				mutant.OfMarked[capi.RawBuffer](aliases, func(c *serve.Invocation, _ *capi.RawBufferCopyRawDeviceToHostArgs) {
					c.Fail(capi.ErrorCodeFailedPrecondition, "the alias was destroyed")
				}),
			}
		}),
		mutant.Hooked("XHMA-01", "gives the same memory to all", func() []serve.Hook {
			room := check.Retain(make([]byte, 1<<20))
			return []serve.Hook{mutant.Changed(func(a *capi.HostMemoryAllocatorAllocateArgs, _ int64) {
				if a.Size <= uintptr(len(room)) {
					a.Ptr = &room[0]
				}
			})}
		}),
		mutant.OfEach("XSTR-02", "waits for one buffer only", func(c *serve.Invocation, _ *capi.WaitUntilBufferReadyOnStreamArgs, n int64) {
			mutant.FailIf(c, n > 1, capi.ErrorCodeInternal, "the stream waits already")
		}),
		mutant.OnceFails[capi.PhaseCompileDestroyCompilerArgs, capi.PhaseCompileGetCompilerArgs]("XPH-01", "has a compiler once",
			capi.ErrorCodeFailedPrecondition),
		mutant.OnceFails[capi.PhaseCompileDestroyCompilerArgs, capi.PhaseCompileGetPhaseNamesArgs]("XPH-01",
			"destroys all compilers with one", capi.ErrorCodeFailedPrecondition),
		mutant.Before("XPH-04", "takes the first of several programs", func(a *capi.PhaseCompileRunPhaseArgs) {
			a.NumInputPrograms = min(a.NumInputPrograms, 1)
		}),
		mutant.Before("XPH-04", "runs the first of several phases", func(a *capi.PhaseCompileRunPhaseArgs) {
			a.NumPhasesToRun = min(a.NumPhasesToRun, 1)
		}),
		mutant.First("XABI-01", "has one version for all executables",
			func(a *capi.ExecutableGetABIVersionArgs) **capi.ExecutableABIVersion { return &a.ABIVersion }),
		mutant.Hooked("XXMD-01", "writes the metadata over those of the call before", func() []serve.Hook {
			var last []byte
			return []serve.Hook{mutant.Changed(func(a *capi.ExecutableMetadataGetExecutableMetadataArgs, _ int64) {
				own := check.Retain(capi.Bytes(a.Metadata.SerializedMetadata, a.Metadata.SerializedMetadataSize))
				copy(last, check.Words(len(last), 1))
				last, a.Metadata.SerializedMetadata = own, &own[0]
			})}
		}),
	), []mutant.Mutant{
		mutant.Hooked("XFFI-05", "calls the first handler for all names", func() []serve.Hook {
			first := uintptr(0)
			return []serve.Hook{mutant.Ahead(func(a *capi.FFIRegisterHandlerArgs) {
				if first == 0 {
					first = a.Handler
				}
				a.Handler = first
			})}
		}),
		mutant.LikeFormer[capi.Executable]("XLAY-06", "tells the layouts of the second executable about later ones", 3,
			func(a, former *capi.LayoutsExecutableGetOutputLayoutsArgs) {
				a.Layouts, a.NumOutputs = former.Layouts, former.NumOutputs
			}),
		mutant.LikeFormer[capi.Executable]("XLAY-07", "tells the layouts of the second executable about later ones", 3,
			func(a, former *capi.LayoutsExecutableGetParameterLayoutsArgs) {
				a.Layouts, a.NumParameters = former.Layouts, former.NumParameters
			}).InMemory(),
	}, laterTransfers())
}

// laterTransfers are such faults of transfers to another client.
func laterTransfers() []mutant.Mutant {
	refuses := func(fault string, bad func(a check.HostArray) bool) mutant.Mutant {
		badShape := func(s capi.ShapeSpec) bool {
			return bad(check.HostArray{Type: dtype.Type(s.ElementType), Dims: capi.Slice(s.Dims, s.NumDims)})
		}
		return mutant.Refuses("XXHT-01", fault, capi.ErrorCodeInvalidArgument,
			func(a *capi.TransfersClientCrossHostReceiveBuffersArgs) bool {
				return slices.ContainsFunc(shapesOf(a.NumDims, a.ShapeNumDims, a.ElementTypes, a.NumShapes), badShape)
			})
	}
	list := []mutant.Mutant{
		refuses("takes every element for one of four bytes", func(a check.HostArray) bool { return a.Type.Size() != 4 }),
		refuses("has room for two dimensions", func(a check.HostArray) bool { return len(a.Dims) > 2 }),
		refuses("has room for 1,000 elements", func(a check.HostArray) bool { return check.Elements(a.Dims...) > 1000 }),
		mutant.Refuses("XXHT-01", "has room for eight buffers", capi.ErrorCodeInvalidArgument,
			func(a *capi.TransfersClientCrossHostReceiveBuffersArgs) bool { return a.NumShapes > 8 }),
		mutant.AfterEach("XXHT-03", "swaps the descriptors of a later receive",
			func(a *capi.TransfersClientMakeCrossHostReceiveBuffersArgs, n int64) {
				if n > 1 {
					slices.Reverse(mutant.View(a.Buffers, a.NumBuffers))
				}
			}),
	}
	for i, m := range list {
		list[i] = m.On(sound).InMemory()
	}
	return list
}
