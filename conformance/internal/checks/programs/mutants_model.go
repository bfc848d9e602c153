// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// modelFaults are faults of functions that XLA's CPU plugin 0.81 lacks, or of features that
// it does not support.
func modelFaults() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Fails("CMP-19", "compiles nothing for topologies", mutant.Always[capi.CompileArgs]).On(simulate),
		instead("CMP-19", "stablehlo.add", "stablehlo.multiply").On(simulate),
		mutant.After("CMP-01/aot", "counts no results", func(a *capi.ExecutableNumOutputsArgs) { a.NumOutputs = 0 }).On(simulate),
		mutant.After("CMP-19/aot", "counts no results", func(a *capi.ExecutableNumOutputsArgs) { a.NumOutputs = 0 }).On(simulate),
		mutant.Refuses("CMP-20", "wants a client", capi.ErrorCodeInvalidArgument, func(a *capi.CompileArgs) bool { return a.Client == nil }).On(simulate),
		takesDefaults("CMP-21", "takes default options for those that it refuses").On(simulate),
		fingerprints("CMP-22", "differs between a topology and its copy", func(_ []byte, n int64) []byte { return fmt.Appendf(nil, "%d", n) }).On(simulate),
		onCompile("COPT-09", "forgets the options", func(c *compilation) { c.withOptions(options{}.bytes()) }).On(simulate),
		mutant.After("COPT-09", "gives no bytes", func(a *capi.ExecutableGetCompileOptionsArgs) { a.SerializedBytesSize = 0 }).On(simulate),
		mutant.After("COPT-10", "gives no bytes", func(a *capi.ExecutableGetCompileOptionsArgs) { a.SerializedBytesSize = 0 }).On(simulate),
		mutant.After("COPT-10", "gives no deleter", func(a *capi.ExecutableGetCompileOptionsArgs) { a.SerializedCompileOptionsDeleter = 0 }).On(simulate),
		instead("LEX-13", "stablehlo.add", "stablehlo.multiply").On(simulate),
		mutant.Fails("LEX-13", "cannot load", mutant.Always[capi.ClientLoadArgs]).On(simulate),
		mutant.OfEach("LEX-14", "uses the executable up when it is loaded", func(c *serve.Invocation, _ *capi.ClientLoadArgs, n int64) {
			mutant.FailIf(c, n == 2, capi.ErrorCodeInternal, "the executable is gone")
		}).On(simulate),
		mutant.Before("LEX-15", "ignores the options", func(a *capi.ClientLoadArgs) { a.CompileOptions, a.CompileOptionsSize = nil, 0 }).On(simulate),
		mutant.Fails("LEX-15", "wants options", func(a *capi.ClientLoadArgs) bool { return a.CompileOptionsSize == 0 }).On(simulate),
		mutant.After("CDS-01", "has no size", func(a *capi.CopyToDeviceStreamTotalBytesArgs) { a.TotalBytes = 0 }).On(simulate),
		mutant.After("CDS-02", "has a granule of nothing", func(a *capi.CopyToDeviceStreamGranuleSizeArgs) { a.GranuleSizeInBytes = 0 }).On(simulate),
		mutant.After("CDS-05", "gives no event", func(a *capi.CopyToDeviceStreamAddChunkArgs) { a.TransferComplete = nil }).On(simulate),
	}
}

// flawFaults are flaws of the model.
var flawFaults = []struct {
	check, words string
	flaw         flaw
}{
	{"DON-11", "leaves the source", sourceStays}, {"DON-11", "is ready at once", readyAtOnce}, {"DON-12", "loses the contents", contentsLost},
	{"DON-13", "forgets the error", errorForgotten}, {"DON-14", "loses the contents", contentsLost},
	{"XOPT-08", "never says that it is done", neverDone}, {"XOPT-09", "frees a chunk when the callback returns", chunkFreedEarly},
	{"XOPT-10", "ignores errors of the callback", sendErrorIgnored}, {"XOPT-11", "calls the first entry whatever its channel is", firstEntry},
	{"XOPT-12", "drops the data", dataDropped}, {"XOPT-13", "expects the data when the callback returns", assumesInline},
	{"XOPT-14", "ignores that data is missing", missingIgnored}, {"XOPT-15", "calls nobody", sendsNothing},
	{"XOPT-16", "calls the callbacks of the first device", listOfFirst}, {"XOPT-17", "calls nobody when there is an execute_device", executeDeviceOff},
	{"XOPT-18", "sends data as it lies on the device", deviceLayout},
	{"CDS-03", "counts nothing", countsNothing}, {"CDS-04", "never frees a chunk", neverFrees},
	{"CDS-06", "takes chunks that are too large", takesAll}, {"CDS-07", "takes chunks of any size", takesAll}, {"CDS-08", "takes chunks after the last", takesAll},
	{"DON-13", "forgets the code of an error", codeLost}, {"DON-13", "forgets the text of an error", messageLost}, {"DON-14", "takes every dependency for the first", oneDependency},
	{"XOPT-08", "gives the size of a chunk for that of all", totalOfChunk}, {"XOPT-14", "takes a part for the whole", partTaken},
	{"CDS-03", "keeps the last chunk alone", lastChunkAlone}, {"CDS-04", "frees a chunk before it is read", freedAtOnce},
	{"MULTI-11", "waits for the devices that are not launched yet", waitsForDevices},
	{"CDS-10", "does not free a chunk that it refuses", refusedNotFreed},
}

func flawMutants() []mutant.Mutant {
	var list []mutant.Mutant
	for _, f := range flawFaults {
		list = append(list, mutant.Mutant{
			Check: f.check, Fault: f.words, Sound: simulate,
			Wrap:  func(real *capi.Table) (*serve.Table, error) { return flawed(real, f.flaw) },
			Waits: f.flaw == oneDependency,
		})
	}
	return list
}
