// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	_ "embed"

	"github.com/purepjrt/purepjrt/conformance/internal/session"
)

//go:embed topologies/h100.txtpb
var h100 string

// usualTopology returns the topology for which plugins for a platform compile if there
// is no client and the options name no topology: four devices of a kind that every
// version of the plugins knows. It returns nil for a platform whose topologies the suite
// does not know.
func usualTopology(platform string) *session.Topology {
	switch platform {
	case "tpu":
		return &session.Topology{Name: "v5e:2x2"}
	case "cuda":
		return &session.Topology{Name: "h100", Options: []session.Option{
			{Name: "target_config", Value: h100},
			{Name: "topology", Value: "1x1x4"},
		}}
	}
	return nil
}
