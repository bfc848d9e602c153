// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"iter"
	"maps"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// serialized returns a serialized executable, and the executable itself.
func serialized(t *check.T) ([]byte, *capi.Executable) {
	e := compiled(t, check.AddOne, check.Devices(1, 1))
	return t.Serialize(e), e
}

// memoryFields returns the numbers of a CompiledMemoryStatsProto that the core's function
// reports too, by field.
func memoryFields(s *capi.ExecutableGetCompiledMemoryStatsArgs) iter.Seq2[wire.Number, int64] {
	return maps.All(map[wire.Number]int64{
		1: s.GeneratedCodeSizeInBytes, 2: s.ArgumentSizeInBytes, 3: s.OutputSizeInBytes, 4: s.AliasSizeInBytes, 5: s.TempSizeInBytes,
		7: s.HostGeneratedCodeSizeInBytes, 8: s.HostArgumentSizeInBytes, 9: s.HostOutputSizeInBytes, 10: s.HostAliasSizeInBytes, 11: s.HostTempSizeInBytes,
	})
}

// numbers returns the varint fields of a message.
func numbers(b []byte) map[wire.Number]int64 {
	list := make(map[wire.Number]int64)
	for f, err := range wire.Fields(b) {
		if err == nil && f.Type == wire.Varint {
			list[f.Number] = int64(f.Int)
		}
	}
	return list
}

// field returns the last value of a field of bytes in a message.
func field(b []byte, number wire.Number) (value []byte) {
	for f, err := range wire.Fields(b) {
		if err == nil && f.Number == number {
			value = f.Bytes
		}
	}
	return value
}

// tpuMessages returns the messages about a serialized executable.
func tpuMessages(t *check.T, data []byte) (target, module, stats string) {
	p, n := capi.BytesData(data)
	a := check.Call(t, capi.TPUExecutableGetTargetArgumentsArgs{SerializedExecutable: p, SerializedExecutableSize: n})
	target = capi.String(a.TargetArguments, a.TargetArgumentsSize)
	a.TargetArgumentsDeleter.Call(a.TargetArgumentsPtr)
	b := check.Call(t, capi.TPUExecutableGetHLOModuleWithConfigArgs{SerializedExecutable: p, SerializedExecutableSize: n})
	module = capi.String(b.HLOModuleWithConfig, b.HLOModuleWithConfigSize)
	b.HLOModuleWithConfigDeleter.Call(b.HLOModuleWithConfigPtr)
	c := check.Call(t, capi.TPUExecutableGetCompiledMemoryStatsArgs{SerializedExecutable: p, SerializedExecutableSize: n})
	stats = capi.String(c.CompiledMemoryStats, c.CompiledMemoryStatsSize)
	c.CompiledMemoryStatsDeleter.Call(c.CompiledMemoryStatsPtr)
	return target, module, stats
}

var tpuExecutableChecks = []check.Check{
	{Rule: "XTPU-05", Library: true, Hostile: true, Run: func(t *check.T) {
		data, e := serialized(t)
		target, module, stats := tpuMessages(t, data)
		for range 3 { // by now, a deleter would have damaged memory that it must not free
			a, b, c := tpuMessages(t, data)
			check.Equal(t, len(target), len(a), "length of the target arguments, asked for again")
			check.Equal(t, len(module), len(b), "length of the program, asked for again")
			check.Equal(t, stats, c, "the memory statistics, asked for again")
		}
		isMessage(t, []byte(target), "the target arguments")
		isMessage(t, []byte(module), "the program")
		isMessage(t, []byte(stats), "the memory statistics")
		name := check.Optional(t, capi.ExecutableNameArgs{Executable: e})
		check.Equal(t, capi.String(name.ExecutableName, name.ExecutableNameSize), string(field(field([]byte(module), 1), 1)),
			"the program's name, next to PJRT_Executable_Name")
		core := check.Optional(t, capi.ExecutableGetCompiledMemoryStatsArgs{Executable: e})
		told := numbers([]byte(stats))
		for n, want := range memoryFields(&core) {
			check.Equal(t, want, told[n], "field %d of the memory statistics, next to PJRT_Executable_GetCompiledMemoryStats", n)
		}
		var bad capi.TPUExecutableGetHLOModuleWithConfigArgs
		bad.SerializedExecutable, bad.SerializedExecutableSize = capi.StringData("no executable")
		_, err := check.Try(t, bad)
		t.ErrorCode(err, "asking garbage for its program")
	}},
}
