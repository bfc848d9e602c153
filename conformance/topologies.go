// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	_ "embed"

	"github.com/purepjrt/purepjrt/conformance/internal/session"
)

// Descriptions of GPUs, for their compilers.
var (
	//go:embed topologies/h100.txtpb
	h100 string
	//go:embed topologies/mi300x.txtpb
	mi300x string
	//go:embed topologies/max1550.txtpb
	max1550 string
)

// usualTopology returns the topology for which plugins for a platform compile if there is no client
// and the options name no topology: four devices of a kind that every version of the plugins knows.
// It returns nil for a platform whose topologies the suite does not know.
func usualTopology(platform string) *session.Topology {
	switch platform {
	case "tpu":
		return &session.Topology{Name: "v5e:2x2"}
	case "cuda":
		return gpuTopology("h100", h100)
	case "rocm":
		return gpuTopology("mi300x", mi300x)
	case "oneapi":
		return gpuTopology("max1550", max1550)
	}
	return nil
}

func gpuTopology(name, description string) *session.Topology {
	return &session.Topology{Name: name, Options: []session.Option{
		{Name: "target_config", Value: description},
		{Name: "topology", Value: "1x1x4"},
	}}
}
