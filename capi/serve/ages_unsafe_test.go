// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// history has facts measured from the headers of all versions. The README beside the file explains
// its form.
type history struct {
	API         [][5]int                `json:"api"`          // minor, size, *_STRUCT_SIZE, functions, ...
	StructSizes map[string][][2]uintptr `json:"struct_sizes"` // minor and size, oldest first
}

func readHistory(t testing.TB) *history {
	t.Helper()
	text, err := os.ReadFile("../../third_party/xla/facts/history.json")
	require.NoError(t, err)
	h := new(history)
	require.NoError(t, json.Unmarshal(text, h))
	return h
}

// tableSize is the size of PJRT_Api at a minor.
func (h *history) tableSize(minor int) int {
	size := 0
	for _, x := range h.API {
		if x[0] <= minor {
			size = x[1]
		}
	}
	return size
}

// argsSize returns the struct_size of a struct at a minor, or 0 if the struct did not exist.
func (h *history) argsSize(c string, minor int) uintptr {
	size := uintptr(0)
	for _, x := range h.StructSizes[c] {
		if x[0] <= uintptr(minor) {
			size = x[1]
		}
	}
	return size
}

// minors returns all minors that a plugin can have.
func minors() []int {
	var list []int
	for m := serve.OldestMinor; m <= capi.APIMinor; m++ {
		list = append(list, m)
	}
	return list
}

func TestAPluginOfEachAgeHasWhatItsVersionHad(t *testing.T) {
	past := readHistory(t)
	for _, minor := range minors() {
		t.Run(fmt.Sprint(minor), func(t *testing.T) {
			p := everything()
			p.Minor = minor
			tab := table(t, p)
			major, have := tab.Version()
			assert.Equal(t, capi.APIMajor, major)
			assert.Equal(t, minor, have)
			assert.EqualValues(t, past.tableSize(minor), tab.API().StructSize)
			assert.NoError(t, tab.ExtensionsErr())
			older := 0
			for _, f := range allFunctions() {
				if f.Since > minor {
					assert.False(t, tab.Has(f), "%s came with minor %d", f.Name, f.Since)
					continue
				}
				older++
				require.True(t, tab.Has(f), f.Name)
				if f.Void {
					continue
				}
				want := f.Size
				if f.Section == capi.SectionCore {
					want = past.argsSize(f.Name+"_Args", minor)
					require.NotZero(t, want, f.Name)
					w := &words{want - 1}
					e := refused(t, rawCall(t, tab, f, w.args()))
					assert.Equal(t, capi.ErrorCodeInvalidArgument, e.Code, f.Name)
					assert.Contains(t, e.Message, fmt.Sprintf("struct_size is %d, and in API 0.%d the struct has %d bytes", want-1, minor, want), f.Name)
				}
				code := capi.ErrorCodeUnimplemented
				if strings.Contains(f.Name, "_Error_") && f.Name != "PJRT_Event_Error" {
					code = capi.ErrorCodeInvalidArgument // for the null error
				}
				w := &words{want}
				assert.Equal(t, code, refused(t, rawCall(t, tab, f, w.args())).Code, f.Name)
			}
			assert.Greater(t, older, 101)
			for _, x := range tab.Extensions() {
				for _, f := range capi.Functions(capi.SectionExtension(x.Type)) {
					assert.Equal(t, f.Since <= minor, tab.Has(f), f.Name)
				}
			}
		})
	}
}

func TestNodesHaveTheSizeOfTheirAge(t *testing.T) {
	for _, c := range []struct {
		minor int
		node  capi.ExtensionType
		size  uintptr // 0 if it does not exist
	}{
		{57, capi.ExtensionTypeLayouts, 56},
		{75, capi.ExtensionTypeLayouts, 64},
		{92, capi.ExtensionTypeLayouts, 72},
		{114, capi.ExtensionTypeLayouts, capi.LayoutsExtensionSize},
		{90, capi.ExtensionTypeShardings, 0},
		{91, capi.ExtensionTypeShardings, capi.ShardingsExtensionSize},
		{113, capi.ExtensionTypeGPUCustomCall, 32},
		{114, capi.ExtensionTypeGPUCustomCall, capi.GPUCustomCallSize},
		{105, capi.ExtensionTypeHostMemoryAllocator, 0},
		{57, capi.ExtensionTypeProfiler, capi.ProfilerExtensionSize},
	} {
		p := everything()
		p.Minor = c.minor
		x := table(t, p).Extension(c.node)
		if c.size == 0 {
			assert.Nil(t, x, "%v at %d", c.node, c.minor)
			continue
		}
		require.NotNil(t, x, "%v at %d", c.node, c.minor)
		assert.Equal(t, c.size, x.Size, "%v at %d", c.node, c.minor)
	}
}

func TestTheProfilersTableHasTheSizeOfItsAge(t *testing.T) {
	for minor, size := range map[int]uintptr{57: 80, 112: 80, 113: capi.ProfilerAPISize} {
		tab := table(t, &serve.Plugin{Minor: minor, Profiler: new(serve.ProfilerAPI)})
		x := (*capi.ProfilerExtension)(unsafe.Pointer(tab.Extension(capi.ExtensionTypeProfiler).Node))
		assert.Equal(t, size, x.ProfilerAPI.StructSize, minor)
	}
}

func TestANodesDataReachesTheCaller(t *testing.T) {
	for _, want := range []bool{false, true} {
		tab := table(t, &serve.Plugin{GPU: &serve.GPUCustomCall{CustomCallHandlesTraits: want}})
		x := (*capi.GPUCustomCall)(unsafe.Pointer(tab.Extension(capi.ExtensionTypeGPUCustomCall).Node))
		assert.Equal(t, want, x.CustomCallHandlesTraits)
	}
}

func TestNodesOfTheCallerEndTheChain(t *testing.T) {
	type node struct {
		capi.ExtensionBase
		data uintptr
	}
	first, second := &node{ExtensionBase: capi.ExtensionBase{StructSize: 32, Type: 9999}, data: 1},
		&node{ExtensionBase: capi.ExtensionBase{StructSize: 32, Type: 77}, data: 2}
	tab := table(t, &serve.Plugin{Layouts: new(serve.LayoutsExtension),
		Nodes: []*capi.ExtensionBase{&first.ExtensionBase, &second.ExtensionBase}})
	var types []capi.ExtensionType
	for _, x := range tab.Extensions() {
		types = append(types, x.Type)
	}
	assert.Equal(t, []capi.ExtensionType{capi.ExtensionTypeLayouts, 9999, 77}, types)
	assert.Same(t, &second.ExtensionBase, tab.Extension(77).Node)
}

func TestServeRefusesUnknownVersions(t *testing.T) {
	for _, minor := range []int{-1, 1, 56, capi.APIMinor + 1} {
		_, err := (&serve.Plugin{Minor: minor}).Serve()
		assert.ErrorContains(t, err, fmt.Sprintf("the minor version is %d", minor))
	}
	for _, callers := range []int{-1, 56, 82} {
		_, err := (&serve.Plugin{Minor: 81, Callers: callers}).Serve()
		assert.ErrorContains(t, err, fmt.Sprintf("the minor version of Callers is %d: it must be from 57 to 81", callers))
	}
	_, err := (&serve.Plugin{Nodes: []*capi.ExtensionBase{nil}}).Serve()
	assert.ErrorContains(t, err, "Nodes[0] is nil")
}
