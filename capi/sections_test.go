// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi"
)

func TestKnownSizesAreThoseOfTheHeaders(t *testing.T) {
	t.Parallel()
	assert.EqualValues(t, capi.APISize, capi.KnownSize(capi.SectionCore))
	assert.EqualValues(t, capi.ProfilerAPISize, capi.KnownSize(capi.SectionProfiler))
	sizes := map[capi.ExtensionType]uintptr{
		capi.ExtensionTypeABIVersion:          capi.ABIVersionExtensionSize,
		capi.ExtensionTypeCallback:            capi.CallbackExtensionSize,
		capi.ExtensionTypeCollectives:         capi.CollectivesExtensionSize,
		capi.ExtensionTypeCrossHostTransfers:  capi.CrossHostTransfersExtensionSize,
		capi.ExtensionTypeCustomPartitioner:   capi.CustomPartitionerExtensionSize,
		capi.ExtensionTypeExecutableMetadata:  capi.ExecutableMetadataExtensionSize,
		capi.ExtensionTypeFFI:                 capi.FFIExtensionSize,
		capi.ExtensionTypeGPUCustomCall:       capi.GPUCustomCallSize,
		capi.ExtensionTypeHostMemoryAllocator: capi.HostMemoryAllocatorExtensionSize,
		capi.ExtensionTypeLayouts:             capi.LayoutsExtensionSize,
		capi.ExtensionTypeMegascale:           capi.MegascaleExtensionSize,
		capi.ExtensionTypeMemoryDescriptions:  capi.MemoryDescriptionsExtensionSize,
		capi.ExtensionTypeMultiSlice:          capi.MultiSliceExtensionSize,
		capi.ExtensionTypePhaseCompile:        capi.PhaseCompileExtensionSize,
		capi.ExtensionTypeProfiler:            capi.ProfilerExtensionSize,
		capi.ExtensionTypeRawBuffer:           capi.RawBufferExtensionSize,
		capi.ExtensionTypeShardings:           capi.ShardingsExtensionSize,
		capi.ExtensionTypeStream:              capi.StreamExtensionSize,
		capi.ExtensionTypeTPUExecutable:       capi.TPUExecutableExtensionSize,
		capi.ExtensionTypeTPUTopology:         capi.TPUTopologyExtensionSize,
		capi.ExtensionTypeTriton:              capi.TritonExtensionSize,
		capi.ExtensionTypeUnknown:             capi.ExampleExtensionSize, // of the example in the headers
		capi.ExtensionTypeXLATransform:        capi.XLATransformExtensionSize,
	}
	for x, want := range sizes {
		assert.Equal(t, want, capi.KnownSize(capi.SectionExtension(x)), x)
	}
	for _, s := range capi.Sections() {
		assert.NotZero(t, capi.KnownSize(s), s)
		if s > capi.SectionProfiler {
			assert.Contains(t, sizes, capi.ExtensionType(s-capi.SectionExtension(0)), "add the size of %v", s)
		}
	}
	assert.Zero(t, capi.KnownSize(capi.SectionExtension(55)))
}
