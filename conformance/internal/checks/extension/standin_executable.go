// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// archive records what the real plugin reports about the executables that it has
// serialized.
type archive struct {
	mu    sync.Mutex
	known map[string]*archived // by the bytes; guarded by mu
}

// archived holds messages about an executable.
type archived struct{ module, stats []byte }

func (x *archive) hooks() []serve.Hook {
	find := func(p *byte, n uintptr) (*archived, error) {
		x.mu.Lock()
		defer x.mu.Unlock()
		if a := x.known[capi.String(p, n)]; a != nil {
			return a, nil
		}
		return nil, invalid("these bytes are no executable")
	}
	return []serve.Hook{
		serve.Around(func(c *serve.Invocation, a *capi.ExecutableSerializeArgs) {
			if c.Forward(); c.Err() == nil {
				x.mu.Lock()
				defer x.mu.Unlock()
				if x.known == nil {
					x.known = make(map[string]*archived)
				}
				x.known[capi.String(a.SerializedBytes, a.SerializedBytesSize)] = about(c.Table(), a.Executable)
			}
		}),
		serve.Around(func(c *serve.Invocation, a *capi.TPUExecutableGetTargetArgumentsArgs) {
			_, err := find(a.SerializedExecutable, a.SerializedExecutableSize)
			a.TargetArguments, a.TargetArgumentsSize = mutant.LastingText("\x08\x01")
			a.TargetArgumentsDeleter = capi.TPUExecutableGetTargetArgumentsArgsTargetArgumentsDeleter(nothing())
			c.FailWith(err)
		}),
		serve.Around(func(c *serve.Invocation, a *capi.TPUExecutableGetHLOModuleWithConfigArgs) {
			e, err := find(a.SerializedExecutable, a.SerializedExecutableSize)
			if err == nil {
				a.HLOModuleWithConfig, a.HLOModuleWithConfigSize = mutant.LastingText(string(e.module))
				a.HLOModuleWithConfigDeleter = capi.TPUExecutableGetHLOModuleWithConfigArgsHLOModuleWithConfigDeleter(nothing())
			}
			c.FailWith(err)
		}),
		serve.Around(func(c *serve.Invocation, a *capi.TPUExecutableGetCompiledMemoryStatsArgs) {
			e, err := find(a.SerializedExecutable, a.SerializedExecutableSize)
			if err == nil {
				a.CompiledMemoryStats, a.CompiledMemoryStatsSize = mutant.LastingText(string(e.stats))
				a.CompiledMemoryStatsDeleter = capi.TPUExecutableGetCompiledMemoryStatsArgsCompiledMemoryStatsDeleter(nothing())
			}
			c.FailWith(err)
		}),
	}
}

// about asks the real plugin about an executable.
func about(table *capi.Table, e *capi.Executable) *archived {
	x := &archived{}
	name, err := mutant.Try(table, capi.ExecutableNameArgs{Executable: e})
	if err == nil {
		module := wire.AppendBytes(nil, 1, capi.String(name.ExecutableName, name.ExecutableNameSize))
		x.module = wire.AppendBytes(nil, 1, module)
	}
	stats, err := mutant.Try(table, capi.ExecutableGetCompiledMemoryStatsArgs{Executable: e})
	if err == nil {
		for n, v := range memoryFields(&stats) {
			x.stats = wire.AppendInt(x.stats, n, v)
		}
	}
	return x
}
