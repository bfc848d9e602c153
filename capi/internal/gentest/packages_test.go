// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gentest

import (
	"cmp"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi"
)

func TestDeclarationsAgreeWithTheMeasuredHeaders(t *testing.T) {
	t.Parallel()
	checkPackage(t, "../..", &capiIndex, allFunctions(), headersOf(t, false))
}

func TestFFIDeclarationsAgreeWithTheMeasuredHeaders(t *testing.T) {
	t.Parallel()
	checkPackage(t, "../../ffi", &ffiIndex, ffiFunctions(), headersOf(t, true))
}

// allFunctions returns the functions of all sections.
func allFunctions() []*capi.Function {
	var list []*capi.Function
	for _, s := range capi.Sections() {
		list = append(list, capi.Functions(s)...)
	}
	return list
}

// ffiFunctions returns the functions of capi/ffi in the order of their slots.
func ffiFunctions() []*capi.Function {
	var list []*capi.Function
	for _, v := range ffiIndex.Types {
		if a, ok := v.(capi.Arguments); ok {
			list = append(list, a.Function())
		}
	}
	slices.SortFunc(list, func(a, b *capi.Function) int { return cmp.Compare(a.Offset, b.Offset) })
	return list
}

func TestFFIFunctionsFillTheTable(t *testing.T) {
	t.Parallel()
	assert.Len(t, ffiFunctions(), 20)
	for i, f := range ffiFunctions() {
		assert.EqualValues(t, 48+8*i, f.Offset, f.Name)
		assert.Equal(t, capi.ErrorsFFI, f.Errors, f.Name)
	}
}

func TestSpansLieInsideTheArguments(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, v := range capiIndex.Types {
		a, ok := v.(capi.Arguments)
		if !ok {
			continue
		}
		seen++
		f, size := a.Function(), reflect.TypeOf(v).Elem().Size()
		end := uintptr(0)
		for _, z := range f.Zero {
			assert.GreaterOrEqual(t, z.Offset, end, "%s: spans overlap", f.Name)
			end = z.Offset + z.Size
		}
		assert.LessOrEqual(t, end, size, f.Name)
		newest := 0
		newestLast := func(gates []capi.Gate) bool {
			return slices.IsSortedFunc(gates, func(a, b capi.Gate) int { return cmp.Compare(a.Since, b.Since) })
		}
		assert.True(t, newestLast(f.Gated), f.Name)
		for _, g := range f.Gated {
			newest = max(newest, g.Since)
			assert.Greater(t, g.Since, max(f.Since, capi.OldestMinor), "%s.%s", f.Name, g.Name)
			assert.LessOrEqual(t, g.Offset+g.Size, size, "%s.%s", f.Name, g.Name)
		}
		for _, n := range f.Nested {
			assert.True(t, newestLast(n.Gated), "%s: %s", f.Name, n.Struct)
			for _, g := range n.Gated {
				newest = max(newest, g.Since)
			}
		}
		assert.Equal(t, newest, f.GatedSince, f.Name)
	}
	assert.Equal(t, len(allFunctions()), seen)
}
