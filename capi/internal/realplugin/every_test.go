// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// cpuTests call every function that the CPU plugin implements, or that returns an error saying that
// it does not.
var cpuTests = []struct {
	name string
	run  func(*testing.T)
}{
	{"plugin", cpuPlugin},
	{"errors", cpuErrors},
	{"events", cpuEvents},
	{"client", cpuClient},
	{"key-value store", cpuKeyValueStore},
	{"devices", cpuDevices},
	{"memories", cpuMemories},
	{"topology", cpuTopology},
	{"executable", cpuExecutable},
	{"deleted executable", cpuDeletedExecutable},
	{"compile errors", cpuCompileErrors},
	{"execute", cpuExecute},
	{"execute on two devices", cpuExecuteOnTwoDevices},
	{"execute errors", cpuExecuteErrors},
	{"serialize", cpuSerialize},
	{"donation", cpuDonation},
	{"buffer", cpuBuffer},
	{"copies", cpuBufferCopies},
	{"layouts", cpuLayouts},
	{"strides", cpuStrides},
	{"bad shapes", cpuBadShapes},
	{"host buffer semantics", cpuHostBufferSemantics},
	{"zero copy donation", cpuZeroCopyDonation},
	{"views", cpuViews},
	{"uninitialized buffer", cpuUninitializedBuffer},
	{"alias buffer", cpuAliasBuffer},
	{"async transfers", cpuAsyncTransfers},
	{"element types", cpuElementTypes},
	{"events of the caller", cpuOwnEvents},
	{"payloads of errors", cpuPayloads},
	{"newer buffers", cpuNewerBuffers},
	{"literals", cpuLiteral},
	{"newer devices", cpuNewerDevices},
	{"newer executables", cpuNewerExecutables},
}

// standInOnly lists functions of the CPU plugin that tests cannot reach: it compiles no program
// that receives from the host, so it makes no stream.
var standInOnly = []string{
	"PJRT_CopyToDeviceStream_AddChunk",
	"PJRT_CopyToDeviceStream_TotalBytes",
	"PJRT_CopyToDeviceStream_GranuleSize",
	"PJRT_CopyToDeviceStream_CurrentBytes",
}

func TestEveryCoreFunctionIsCalled(t *testing.T) {
	plugin := cpu(t)
	s := newStandIn(t)
	plugin.forget()
	for _, c := range cpuTests {
		t.Run("cpu "+c.name, c.run)
	}
	for _, e := range echoes {
		t.Run("stand-in "+e.function.Name, func(t *testing.T) { e.run(t, s) })
	}
	t.Run("none is left out", func(t *testing.T) {
		var all, real []string
		for _, f := range capi.Functions(capi.SectionCore) {
			all = append(all, f.Name)
			if plugin.table.Has(f) && !slices.Contains(standInOnly, f.Name) {
				real = append(real, f.Name)
			}
		}
		slices.Sort(all)
		slices.Sort(real)
		require.Len(t, real, byAge(t, ages(114, 132, 134)))
		assert.Equal(t, real, plugin.functions(), "called on the CPU plugin")
		assert.Equal(t, all, s.functions(), "called on the stand-in, by the list echoes")
	})
}
