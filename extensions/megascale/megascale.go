// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package megascale is about programs that run on several slices of TPUs, which the
// network of the data center connects. The extension Megascale came with API 0.90; libtpu
// has it.
//
// [AOTConfig] makes the configuration of a program that is compiled ahead of time. The
// calls that a running job needs, for contexts, collectives and the collection of errors,
// are in package capi: those whose args begin with Megascale.
package megascale

import (
	"math"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions/multislice"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Supported reports whether the plugin offers the extension.
func Supported(p *pjrt.Plugin) bool {
	return raw.Table(p).HasSection(capi.SectionExtension(capi.ExtensionTypeMegascale))
}

// AOTConfig makes a configuration for compiling a program for several slices without
// devices (PJRT_Megascale_CreateAoTConfig). topology is that of one slice, and slices is
// the number of slices. The caller closes the configuration. The plugin must offer the
// extension MultiSlice too, because configurations are objects of that extension.
//
// CompileOptions.MultiSlice takes the bytes that Serialize of the configuration returns.
func AOTConfig(topology *pjrt.Topology, slices int) (*multislice.Config, error) {
	h, release, err := raw.AcquireTopology(topology)
	if err != nil {
		return nil, err
	}
	defer release()
	if slices < 1 || slices > math.MaxInt32 {
		return nil, raw.Errorf(pjrt.ErrInvalidArgument, "a job has from 1 to 2^31-1 slices, not %d", slices)
	}
	table := raw.TableOf(topology)
	// Without the extension MultiSlice, nothing could destroy the configuration.
	if err := table.Lacks((*capi.MultiSliceConfigDestroyArgs)(nil).Function()); err != nil {
		return nil, err
	}
	var c capi.Call[capi.MegascaleCreateAOTConfigArgs]
	c.Args.Topology, c.Args.NumSlices = h, int32(slices)
	if err := c.Do(table); err != nil {
		return nil, err
	}
	return multislice.Adopt(topology.Plugin(), c.Args.MultiSliceConfig, nil)
}
