// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
)

// Topology returns a topology: the client's, or, if there is no client, one with the
// environment's name and options, which the check owns. It skips the check if there is
// neither.
func (t *T) Topology() *capi.TopologyDescription {
	if t.env.NoDevice == "" {
		topology := Optional(t, capi.ClientTopologyDescriptionArgs{Client: t.Client().Handle}).Topology
		if topology == nil {
			t.Fatalf("PJRT_Client_TopologyDescription: success without a topology")
		}
		return topology
	}
	if t.env.Topology == "" && len(t.env.TopologyOptions) == 0 {
		t.SkipEnvf("there is no device (%s), and the options name no topology", t.env.NoDevice)
	}
	topology, err := t.MakeTopology(t.env.Topology, t.env.TopologyOptions...)
	if err != nil {
		t.SkipFor(err)
		t.Fatalf("PJRT_TopologyDescription_Create(%q): expected success, got %v", t.env.Topology, err)
	}
	return topology
}

// Made returns the client that the checks of this process share, or nil if none was
// made so far.
func (t *T) Made() *Client {
	t.env.mu.Lock()
	defer t.env.mu.Unlock()
	return t.env.client
}

// MakeTopology makes a topology with a name and options. The check owns it.
func (t *T) MakeTopology(name string, options ...capi.Attribute) (*capi.TopologyDescription, error) {
	values, err := capi.NewNamedValues(options)
	if err != nil {
		return nil, err
	}
	var args capi.TopologyDescriptionCreateArgs
	args.CreateOptions, args.NumOptions = values.Data()
	args.TopologyName, args.TopologyNameSize = capi.StringData(name)
	out, err := Try(t, args)
	runtime.KeepAlive(values)
	if err != nil {
		return nil, err
	}
	if out.Topology == nil {
		t.Fatalf("PJRT_TopologyDescription_Create: success without a topology")
	}
	return Own(t, out.Topology), nil
}
