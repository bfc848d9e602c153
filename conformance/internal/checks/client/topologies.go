// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// topologyChecks are Library checks, since a topology needs no device on platforms that
// compile ahead of time.
var topologyChecks = []check.Check{
	{Rule: "TOPO-01", Profile: check.Core, Timeout: 60 * time.Second, Library: true, Hostile: true, Run: func(t *check.T) {
		out, err := check.Try(t, capi.TopologyDescriptionCreateArgs{})
		switch {
		case err == nil && out.Topology == nil:
			t.Errorf("PJRT_TopologyDescription_Create: success without a topology")
		case err == nil:
			check.Own(t, out.Topology)
		case capi.CodeOf(err) == capi.ErrorCodeUnimplemented:
			t.SkipUnimplf("%v", err)
		case len(err.Error()) < len("PJRT_TopologyDescription_Create: UNKNOWN: ")+8:
			t.Errorf("PJRT_TopologyDescription_Create without name and options: expected success, UNIMPLEMENTED or an error that says what is missing, got %v", err)
		default:
			t.Notef("%v", err)
		}
	}},
	{Rule: "TOPO-02", Library: true, Hostile: true, Run: func(t *check.T) {
		_, destroyed := check.Try(t, capi.TopologyDescriptionDestroyArgs{})
		topology, err := t.MakeTopology(t.Env().Topology, t.Env().TopologyOptions...)
		t.DestroyedNull(destroyed, err)
		if err != nil {
			t.Notef("no topology could be made: %v", err)
			return
		}
		check.Call(t, capi.TopologyDescriptionDestroyArgs{Topology: check.Disown(t, topology)})
	}},
	{Rule: "TOPO-03", Library: true, Run: func(t *check.T) {
		want, ok := shapeOf(t.Env().Topology)
		if !ok {
			t.SkipEnvf("the name of the topology has no shape, such as v5e:2x2: %q", t.Env().Topology)
		}
		topology := made(t)
		// Chips of some generations count as two devices.
		if got := len(topologyDescriptions(t, topology)); got != want && got != 2*want {
			t.Errorf("the topology %q: expected %d devices, or two for each chip, got %d", t.Env().Topology, want, got)
		}
	}},
	{Rule: "TOPO-04", Timeout: 60 * time.Second, Library: true, Hostile: true, Run: func(t *check.T) {
		_, err := t.MakeTopology("nope", t.Env().TopologyOptions...)
		if err == nil {
			t.Errorf("PJRT_TopologyDescription_Create of the name %q: expected an error, got a topology", "nope")
		} else if capi.CodeOf(err) == capi.ErrorCodeUnimplemented {
			t.SkipUnimplf("%v", err)
		}
	}},
	{Rule: "TOPO-05", Library: true, Run: func(t *check.T) {
		name := topologyName.Of(t, t.Topology())
		if name == "" {
			t.Errorf("PJRT_TopologyDescription_PlatformName: expected a name, got none")
		}
		if t.Env().NoDevice == "" {
			check.Equal(t, t.Platform(), name, "platform name of the client's topology")
		}
	}},
	{Rule: "TOPO-06", Library: true, Run: theTopology.Stay(topologyVersion)},
	{Rule: "TOPO-07", Library: true, Run: func(t *check.T) {
		topology := t.Topology()
		first := topologyDescriptions(t, topology)
		var before []string
		for _, d := range first {
			before = append(before, portrait(t, d))
		}
		if t.Env().NoDevice == "" && len(first) < len(t.AllDevices(t.Client())) {
			t.Errorf("the client has %d devices, but its topology has %d", len(t.AllDevices(t.Client())), len(first))
		}
		if len(first) == 0 {
			t.Errorf("the topology has no devices")
		}
		churn(t)
		again := topologyDescriptions(t, topology)
		if len(again) != len(first) {
			t.Fatalf("PJRT_TopologyDescription_GetDeviceDescriptions: %d descriptions, and then %d", len(first), len(again))
		}
		for i := range first {
			check.Equal(t, before[i], portrait(t, again[i]), "description %d when they are asked for again", i)
			check.Equal(t, before[i], portrait(t, first[i]), "description %d of before", i)
		}
	}},
	{Rule: "TOPO-08", Library: true, Run: func(t *check.T) {
		seen := make(check.FirstOf[int32])
		for i, d := range topologyDescriptions(t, t.Topology()) {
			n := check.Call(t, capi.DeviceDescriptionIDArgs{DeviceDescription: d}).ID
			if first, again := seen.Add(n, i); again {
				t.Errorf("descriptions %d and %d both have the id %d", first, i, n)
			}
			processIndex(t, d)
			for what, g := range map[string]check.Getter[capi.DeviceDescription]{
				"kind": kindText, "debug string": debugText, "text": shortText,
			} {
				if g.Of(t, d) == "" {
					t.Errorf("description %d: expected a %s, got none", i, what)
				}
			}
			out := check.Call(t, capi.DeviceDescriptionAttributesArgs{DeviceDescription: d})
			t.WellFormed(out.Attributes, out.NumAttributes, fmt.Sprintf("attributes of description %d", i))
		}
		if len(seen) == 0 {
			t.Errorf("the topology has no devices")
		}
	}},
	{Rule: "TOPO-09", Library: true, Run: func(t *check.T) {
		topology := t.Topology()
		n := stableAttributes(t, "PJRT_TopologyDescription_Attributes", func() check.Array[capi.NamedValue] {
			out := check.Optional(t, capi.TopologyDescriptionAttributesArgs{Topology: topology})
			return check.Array[capi.NamedValue]{First: out.Attributes, N: out.NumAttributes}
		})
		if n == 0 && !t.Failed() {
			t.SkipUnimplf("the topology has no attributes")
		}
	}},
	{Rule: "TOPO-15", Library: true, Run: func(t *check.T) {
		topology := t.Topology()
		first := check.Call(t, capi.TopologyDescriptionFingerprintArgs{Topology: topology}).Fingerprint
		check.Equal(t, first, check.Call(t, capi.TopologyDescriptionFingerprintArgs{Topology: topology}).Fingerprint,
			"the fingerprint when it is asked for again")
		if first == 0 {
			t.Errorf("PJRT_TopologyDescription_Fingerprint: expected a number that tells topologies apart, got 0")
		}
		other, err := deserialize(t, serialize(t, topology))
		if err != nil {
			t.Notef("no round trip: %v", err)
			return
		}
		check.Equal(t, first, check.Call(t, capi.TopologyDescriptionFingerprintArgs{Topology: other}).Fingerprint,
			"the fingerprint after a round trip")
	}},
	{Rule: "TOPO-16", Library: true, Hostile: true, Run: func(t *check.T) {
		t.Require(check.FunctionOf[capi.TopologyDescriptionFingerprintArgs]())
		a, b := twoTopologies(t)
		first := check.Optional(t, capi.TopologyDescriptionFingerprintArgs{Topology: a}).Fingerprint
		second := check.Optional(t, capi.TopologyDescriptionFingerprintArgs{Topology: b}).Fingerprint
		if first == second {
			t.Errorf("two topologies with %d and %d devices have the same fingerprint, %#x", len(topologyDescriptions(t, a)),
				len(topologyDescriptions(t, b)), first)
		}
	}},
	{Rule: "TOPO-21", Library: true, Run: func(t *check.T) {
		list := check.List[capi.TopologyDescriptionGetMemorySpaceKindIDsArgs, int32](t, t.Topology())
		seen := make(map[int32]bool)
		for _, n := range list {
			if seen[n] {
				t.Errorf("PJRT_TopologyDescription_GetMemorySpaceKindIds has %d twice: %v", n, list)
			}
			seen[n] = true
		}
		if t.Env().NoDevice != "" {
			if len(list) == 0 {
				t.SkipUnimplf("the topology has no kinds of memory, but there is no client to compare with")
			}
			return
		}
		for i, m := range t.Client().Memories {
			if n := check.Call(t, capi.MemoryKindIDArgs{Memory: m}).KindID; !seen[n] {
				t.Errorf("PJRT_TopologyDescription_GetMemorySpaceKindIds: expected the kind id %d of the client's memory %d among %v", n, i, list)
			}
		}
	}},
	{Rule: "TOPO-22", Library: true, Hostile: true, Run: func(t *check.T) {
		needDevice(t)
		c := t.NewClient()
		own := check.Optional(t, capi.ClientTopologyDescriptionArgs{Client: c.Handle}).Topology
		before := describe(t, own)
		churn(t)
		check.Equal(t, before, describe(t, own), "the client's topology later in its life")
		made, err := t.MakeTopology(t.Env().Topology, t.Env().TopologyOptions...)
		if err != nil {
			made, err = deserialize(t, serialize(t, own))
		}
		if err != nil {
			t.Notef("no topology that is not the client's: %v", err)
			return
		}
		before = describe(t, made)
		check.Destroy(t, c.Handle)
		check.Equal(t, before, describe(t, made), "a topology of the caller's after the client was destroyed")
	}},
}

// made returns a topology with the environment's name and options, which the plugin
// must be able to make.
func made(t *check.T) *capi.TopologyDescription {
	topology, err := t.MakeTopology(t.Env().Topology, t.Env().TopologyOptions...)
	if err != nil {
		if capi.CodeOf(err) == capi.ErrorCodeUnimplemented {
			t.SkipUnimplf("%v", err)
		}
		t.Fatalf("PJRT_TopologyDescription_Create(%q): expected success, got %v", t.Env().Topology, err)
	}
	return topology
}

var shapePattern = regexp.MustCompile(`(\d+)x(\d+)(?:x(\d+))?`)

// shapeOf multiplies the shape in a topology's name.
func shapeOf(name string) (devices int, ok bool) {
	m := shapePattern.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	devices = 1
	for _, s := range m[1:] {
		if n, err := strconv.Atoi(s); err == nil {
			devices *= n
		}
	}
	return devices, true
}

// twoTopologies returns two topologies of different sizes: two clients' topologies, or
// two whose names differ in shape.
func twoTopologies(t *check.T) (a, b *capi.TopologyDescription) {
	if t.Env().NoDevice == "" {
		name := countOption(t)
		for i, p := range []**capi.TopologyDescription{&a, &b} {
			c, err := create(t, with(t, capi.Attribute{Name: name, Value: int64(i + 1)})...)
			if err != nil && i > 0 {
				t.SkipEnvf("there can be one client at a time: %v", err)
			} else if err != nil {
				t.Fatalf("PJRT_Client_Create with %s = %d: expected success, got %v", name, i+1, err)
			}
			check.Own(t, c)
			*p = check.Optional(t, capi.ClientTopologyDescriptionArgs{Client: c}).Topology
		}
		return a, b
	}
	if !shapePattern.MatchString(t.Env().Topology) {
		t.SkipEnvf("the name of the topology has no shape, such as v5e:2x2: %q", t.Env().Topology)
	}
	a = made(t)
	for _, shape := range []string{"4x4", "2x2x2", "4x4x4", "2x4"} {
		other := shapePattern.ReplaceAllString(t.Env().Topology, shape)
		b, err := t.MakeTopology(other, t.Env().TopologyOptions...)
		if err == nil && len(topologyDescriptions(t, b)) != len(topologyDescriptions(t, a)) {
			return a, b
		}
	}
	t.SkipEnvf("no other topology than %q could be made", t.Env().Topology)
	return nil, nil
}

// describe returns all that a topology says.
func describe(t *check.T, topology *capi.TopologyDescription) string {
	name, version := topologyName.Of(t, topology), topologyVersion.Of(t, topology)
	var attributes []capi.Attribute
	if out, err := check.Try(t, capi.TopologyDescriptionAttributesArgs{Topology: topology}); err == nil {
		attributes = inOrder(out.Attributes, out.NumAttributes)
	}
	var devices []string
	for _, d := range topologyDescriptions(t, topology) {
		devices = append(devices, portrait(t, d))
	}
	return fmt.Sprintf("%s %s %v %v", name, version, attributes, devices)
}
