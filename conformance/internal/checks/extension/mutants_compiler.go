// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

func compilerMutants() []mutant.Mutant {
	return mutant.On(sound, []mutant.Mutant{
		mutant.Nothing[capi.RegisterXLATransformArgs]("XTF-01", "never calls a transformation"),
		with("XTF-01", "compiles the program that was there before", flaws{keepsProgram: true}),
		with("XTF-01", "reads a name up to its NUL", flaws{namesToNUL: true}),
		with("XTF-01", "never cleans up behind a transformation", flaws{cleansUp: -1}),
		with("XTF-01", "cleans up behind a transformation twice", flaws{cleansUp: 1}),
		mutant.Before("XTF-01/stages", "runs all transformations at one stage", func(a *capi.RegisterXLATransformArgs) { a.Stage = preScheduler }),
		mutant.Hooked("XTF-01/stages", "swaps the stages", func() []serve.Hook {
			swap := func(s *capi.XLATransformPipelineStage) { *s = preScheduler + postScheduler - *s }
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, a *capi.RegisterXLATransformArgs) {
					swap(&a.Stage)
					c.Forward()
					swap(&a.Stage)
				}),
				serve.Around(func(c *serve.Invocation, a *capi.ClearXLATransformArgs) {
					swap(&a.Stage)
					c.Forward()
					swap(&a.Stage)
				}),
			}
		}),
		mutant.After("XTF-02", "says that it clears what it did already", func(a *capi.ClearXLATransformArgs) { a.Cleared = true }),
		mutant.OfEach("XTF-02", "still runs what was cleared", func(_ *serve.Invocation, a *capi.ClearXLATransformArgs, n int64) { a.Cleared = n == 1 }),
		mutant.Hooked("XTF-02", "clears all transformations at once", func() []serve.Hook {
			var registered []capi.RegisterXLATransformArgs
			return []serve.Hook{
				mutant.Ahead(func(a *capi.RegisterXLATransformArgs) {
					name := *a
					name.Name, name.NameSize = mutant.LastingText(capi.String(a.Name, a.NameSize))
					registered = append(registered, name)
				}),
				serve.Around(func(c *serve.Invocation, a *capi.ClearXLATransformArgs) {
					c.Forward()
					given := *a
					for _, x := range registered {
						a.Name, a.NameSize, a.Stage, a.Callbacks = x.Name, x.NameSize, x.Stage, x.Callbacks
						c.Forward()
					}
					*a = given
				}),
			}
		}),
		with("XTF-02", "keeps the pointer to a name", flaws{borrowsNames: true}),
		with("XTF-03", "takes no notice of failed transformations", flaws{ignoresErrors: true}),
		with("XTF-03", "never frees the error of a transformation", flaws{cleansUp: -1}),
		with("XTF-03", "frees the error of a transformation twice", flaws{cleansUp: 1}),
		mutant.LosesCode[capi.ClientCompileArgs]("XTF-03", "loses the code of a transformation's error", capi.ErrorCodeInternal),
		mutant.LosesMessage[capi.ClientCompileArgs]("XTF-03", "loses the message of a transformation's error"),
		mutant.After("XTF-04", "has a trace that is no message", func(a *capi.XLATransformGetHLOPassPipelineTraceArgs) {
			a.Trace.SerializedTrace, a.Trace.SerializedTraceSize = mutant.LastingText("\xff\xff\xff")
		}),
		mutant.After("XTF-04", "has an empty trace",
			func(a *capi.XLATransformGetHLOPassPipelineTraceArgs) { a.Trace.SerializedTraceSize = 0 }),
		mutant.After("XTF-04", "never frees a trace", func(a *capi.XLATransformGetHLOPassPipelineTraceArgs) {
			a.Trace.SerializedTrace, a.Trace.SerializedTraceSize = mutant.LastingText("\x0a\x80\x10" + string(make([]byte, 2048)))
		}),

		mutant.Nothing[capi.RegisterCustomPartitionerArgs]("XCP-01", "never calls a partitioner"),
		with("XCP-01", "compiles another program than the partitioner's", flaws{partitionsOther: true}),
		with("XCP-01", "never cleans up behind a partitioner", flaws{cleansUp: -1}),
		with("XCP-01", "cleans up behind a partitioner twice", flaws{cleansUp: 1}),
		with("XCP-02", "keeps the pointer to a name", flaws{borrowsNames: true}),
		with("XCP-02", "reads a name up to its NUL", flaws{namesToNUL: true}),
		mutant.Hooked("XCP-02", "has one partitioner at a time", func() []serve.Hook {
			var last *capi.JAXCustomCallPartitionerCallbacks
			return []serve.Hook{mutant.Ahead(func(a *capi.RegisterCustomPartitionerArgs) {
				if last != nil {
					last.Dtor.Call(last)
				}
				last = a.Callbacks
			})}
		}),
		mutant.Nothing[capi.RegisterBatchPartitionableArgs]("XCP-03", "takes no notice of what can be split"),
		with("XCP-03", "keeps the pointer to a name", flaws{borrowsNames: true}),
		with("XCP-03", "reads a name up to its NUL", flaws{namesToNUL: true}),
		mutant.Answers[capi.RegisterBatchPartitionableArgs]("XCP-03", "refuses what can be split", capi.ErrorCodeInvalidArgument),
		with("XCP-04", "takes no notice of failed partitioners", flaws{ignoresErrors: true}),
		with("XCP-04", "never frees the error of a partitioner", flaws{cleansUp: -1}),
		mutant.LosesMessage[capi.ClientCompileArgs]("XCP-04", "loses the message of a partitioner's error"),

		mutant.After("XTPU-05", "states another size of the code",
			func(a *capi.ExecutableGetCompiledMemoryStatsArgs) { a.GeneratedCodeSizeInBytes += 8 }),
		mutant.AfterEach("XTPU-05", "states other sizes of arguments than the core",
			func(a *capi.TPUExecutableGetCompiledMemoryStatsArgs, _ int64) {
				a.CompiledMemoryStats, a.CompiledMemoryStatsSize = mutant.LastingText("\x10\x01")
			}),
		mutant.Says[capi.ExecutableNameArgs]("XTPU-05", "has another name for the program", "another"),
		mutant.After("XTPU-05", "cuts the target arguments off",
			func(a *capi.TPUExecutableGetTargetArgumentsArgs) { a.TargetArgumentsSize-- }),
		mutant.Swallows[capi.TPUExecutableGetHLOModuleWithConfigArgs]("XTPU-05", "takes garbage for an executable"),
		mutant.AfterEach("XTPU-05", "frees memory that it never made",
			func(a *capi.TPUExecutableGetHLOModuleWithConfigArgs, n int64) {
				if n > 1 {
					a.HLOModuleWithConfigSize = 0
				}
			}),

		mutant.Answers[capi.ClientCompileArgs]("XSPEC-01", "compiles for callers of an extension of its own only", capi.ErrorCodeFailedPrecondition),
		mutant.After("XSPEC-01", "computes for callers of an extension of its own only",
			func(a *capi.LoadedExecutableExecuteArgs) {
				for _, list := range capi.Slice(a.OutputLists, a.NumDevices) {
					*list = nil
				}
			}),
	}...)
}
