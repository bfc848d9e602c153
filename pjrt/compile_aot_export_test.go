// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package pjrt

import (
	"context"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// CompileAhead compiles a program for the topology of a name.
func CompileAhead(ctx context.Context, plugin *Plugin, name string, devices int, program Program, opts *CompileOptions) (*Executable, error) {
	var c capi.Call[capi.TopologyDescriptionCreateArgs]
	c.Args.TopologyName, c.Args.TopologyNameSize = capi.StringData(name)
	if err := c.Do(plugin.table); err != nil {
		return nil, err
	}
	topology := lifetime.New("topology", c.Args.Topology, nil, func(h *capi.TopologyDescription) {
		var d capi.Call[capi.TopologyDescriptionDestroyArgs]
		d.Args.Topology = h
		_ = d.Do(plugin.table)
	})
	defer topology.Close()
	target := compileTarget{platform: "tpu", ids: make([]int, devices)}
	for i := range target.ids {
		target.ids[i] = i
	}
	return compileAhead(ctx, plugin, topology, nil, target, program, opts)
}
