// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// shardingHooks return the shardings that the programs of the checks get.
func shardingHooks() []serve.Hook {
	return []serve.Hook{
		serve.Around(func(c *serve.Invocation, a *capi.ShardingsExecutableOutputShardingsArgs) {
			a.Shardings, a.ShardingSizes, a.NumOutputs = shardingsOf(c.Table(), a.Executable)
		}),
		serve.Around(func(c *serve.Invocation, a *capi.ShardingsExecutableParameterShardingsArgs) {
			// The programs of the checks have as many parameters as results, except add.
			a.Shardings, a.ShardingSizes, a.NumParameters = shardingsOf(c.Table(), a.Executable)
			name, err := mutant.Try(c.Table(), capi.ExecutableNameArgs{Executable: a.Executable})
			if err == nil && capi.String(name.ExecutableName, name.ExecutableNameSize) == "add" {
				a.Shardings, a.ShardingSizes, a.NumParameters = mutant.LastingTexts("", "")
			}
		}),
	}
}

// shardingsOf returns tiled shardings for the program with one result on two partitions,
// and replicated ones for all others.
func shardingsOf(table *capi.Table, e *capi.Executable) (**byte, *uintptr, uintptr) {
	outputs, err := mutant.Try(table, capi.ExecutableNumOutputsArgs{Executable: e})
	partitions, err2 := mutant.Try(table, capi.ExecutableNumPartitionsArgs{Executable: e})
	if err != nil || err2 != nil {
		return nil, nil, 0
	}
	sharding := ""
	if outputs.NumOutputs == 1 && partitions.NumPartitions == 2 {
		sharding = "\x08\x03"
	}
	return mutant.LastingTexts(slices.Repeat([]string{sharding}, int(outputs.NumOutputs))...)
}
