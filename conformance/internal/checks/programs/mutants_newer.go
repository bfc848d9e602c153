// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// newerFaults are faults of functions that XLA's CPU plugin 0.81 lacks.
func newerFaults() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Fails("CMP-19", "compiles nothing for topologies", mutant.Always[capi.CompileArgs]).InMemory(),
		instead("CMP-19", "stablehlo.add", "stablehlo.multiply").InMemory(),
		mutant.After("CMP-01/aot", "counts no results", func(a *capi.ExecutableNumOutputsArgs) { a.NumOutputs = 0 }).InMemory(),
		mutant.After("CMP-19/aot", "counts no results", func(a *capi.ExecutableNumOutputsArgs) { a.NumOutputs = 0 }).InMemory(),
		mutant.Refuses("CMP-20", "wants a client", capi.ErrorCodeInvalidArgument, func(a *capi.CompileArgs) bool { return a.Client == nil }).InMemory(),
		takesDefaults("CMP-21", "takes default options for those that it refuses").InMemory(),
		fingerprints("CMP-22", "differs between a topology and its copy", func(_ []byte, n int64) []byte { return fmt.Appendf(nil, "%d", n) }).InMemory(),
		onCompile("COPT-09", "forgets the options", func(c *compilation) { c.withOptions(options{}.bytes()) }).InMemory(),
		mutant.After("COPT-09", "gives no bytes", func(a *capi.ExecutableGetCompileOptionsArgs) { a.SerializedBytesSize = 0 }).InMemory(),
		mutant.After("COPT-10", "gives no bytes", func(a *capi.ExecutableGetCompileOptionsArgs) { a.SerializedBytesSize = 0 }).InMemory(),
		mutant.After("COPT-10", "gives no deleter", func(a *capi.ExecutableGetCompileOptionsArgs) { a.SerializedCompileOptionsDeleter = 0 }).InMemory(),
		instead("LEX-13", "stablehlo.add", "stablehlo.multiply").InMemory(),
		mutant.Fails("LEX-13", "cannot load", mutant.Always[capi.ClientLoadArgs]).InMemory(),
		mutant.OfEach("LEX-14", "uses the executable up when it is loaded", func(c *serve.Invocation, _ *capi.ClientLoadArgs, n int64) {
			mutant.FailIf(c, n == 2, capi.ErrorCodeInternal, "the executable is gone")
		}).InMemory(),
		mutant.Before("LEX-15", "ignores the options", func(a *capi.ClientLoadArgs) { a.CompileOptions, a.CompileOptionsSize = nil, 0 }).InMemory(),
		mutant.Fails("LEX-15", "wants options", func(a *capi.ClientLoadArgs) bool { return a.CompileOptionsSize == 0 }).InMemory(),
		mutant.After("CDS-01", "has no size", func(a *capi.CopyToDeviceStreamTotalBytesArgs) { a.TotalBytes = 0 }).InMemory(),
		mutant.After("CDS-02", "has a granule of nothing", func(a *capi.CopyToDeviceStreamGranuleSizeArgs) { a.GranuleSizeInBytes = 0 }).InMemory(),
		mutant.After("CDS-05", "gives no event", func(a *capi.CopyToDeviceStreamAddChunkArgs) { a.TransferComplete = nil }).InMemory(),
	}
}
