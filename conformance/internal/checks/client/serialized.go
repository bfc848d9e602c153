// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"bytes"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var serializedChecks = []check.Check{
	{Rule: "TOPO-10", Library: true, Run: func(t *check.T) {
		out := check.Call(t, capi.TopologyDescriptionSerializeArgs{Topology: t.Topology()})
		if out.SerializedTopologyDeleter == 0 {
			t.Errorf("PJRT_TopologyDescription_Serialize: serialized_topology_deleter is null")
		}
		before := capi.Bytes(out.SerializedBytes, out.SerializedBytesSize)
		if len(before) == 0 {
			t.Errorf("PJRT_TopologyDescription_Serialize: expected bytes, got %d at %v", out.SerializedBytesSize, out.SerializedBytes)
		}
		second := check.Call(t, capi.TopologyDescriptionSerializeArgs{Topology: t.Topology()})
		churn(t)
		if !bytes.Equal(before, capi.Bytes(out.SerializedBytes, out.SerializedBytesSize)) {
			t.Errorf("the bytes changed before their deleter was called")
		}
		second.SerializedTopologyDeleter.Call(second.SerializedTopology)
		churn(t)
		if !bytes.Equal(before, capi.Bytes(out.SerializedBytes, out.SerializedBytesSize)) {
			t.Errorf("the bytes changed when those of another call were deleted")
		}
		out.SerializedTopologyDeleter.Call(out.SerializedTopology)
	}},
	{Rule: "TOPO-11", Library: true, Run: func(t *check.T) {
		first := serialize(t, t.Topology())
		for range 5 {
			if !bytes.Equal(first, serialize(t, t.Topology())) {
				t.Fatalf("a topology gives other bytes when it is serialized again")
			}
		}
		if t.Env().NoDevice != "" {
			other := serialize(t, made(t))
			check.Equal(t, true, bytes.Equal(first, other), "an equal topology gives equal bytes")
			return
		}
		c, err := create(t, t.Env().Options...)
		if err != nil {
			t.Notef("there is no second client to compare with: %v", err)
			return
		}
		check.Own(t, c)
		other := serialize(t, check.Optional(t, capi.ClientTopologyDescriptionArgs{Client: c}).Topology)
		check.Equal(t, true, bytes.Equal(first, other), "the topology of an equal client gives equal bytes")
	}},
	{Rule: "TOPO-12", Library: true, Run: func(t *check.T) {
		t.Require(check.FunctionOf[capi.TopologyDescriptionDeserializeArgs]())
		topology := t.Topology()
		again := restored(t, serialize(t, topology))
		check.Equal(t, describe(t, topology), describe(t, again), "a topology after a round trip")
	}},
	{Rule: "TOPO-13", Library: true, Hostile: true, Run: func(t *check.T) {
		t.Require(check.FunctionOf[capi.TopologyDescriptionDeserializeArgs]())
		whole := serialize(t, t.Topology())
		needRoundTrip(t, whole)
		for _, bad := range []struct {
			what string
			code []byte
		}{
			{"no bytes", nil},
			{"garbage", []byte("\xff\xff\xff\xff this is no topology")},
			{"the first half", whole[:len(whole)/2]},
			{"all but the last byte", whole[:len(whole)-1]},
		} {
			if _, err := deserialize(t, bad.code); err == nil {
				t.Errorf("PJRT_TopologyDescription_Deserialize of %s: expected an error, got a topology", bad.what)
			}
		}
	}},
	{Rule: "TOPO-14", Library: true, Hostile: true, Run: func(t *check.T) {
		t.Require(check.FunctionOf[capi.TopologyDescriptionDeserializeArgs]())
		topology := t.Topology()
		whole := serialize(t, topology)
		needRoundTrip(t, whole)
		name := []byte(topologyName.Of(t, topology))
		if len(name) == 0 || !bytes.Contains(whole, name) {
			t.SkipEnvf("the platform's name %q is not in the bytes, so it cannot be changed", name)
		}
		other := bytes.ReplaceAll(whole, name, []byte(strings.Repeat("q", len(name))))
		if _, err := deserialize(t, other); err == nil {
			t.Errorf("PJRT_TopologyDescription_Deserialize of a topology of another platform than %q: expected an error, got a topology", name)
		}
	}},
}

// serialize returns the serialized bytes of a topology.
func serialize(t *check.T, topology *capi.TopologyDescription) []byte {
	out := check.Optional(t, capi.TopologyDescriptionSerializeArgs{Topology: topology})
	defer out.SerializedTopologyDeleter.Call(out.SerializedTopology)
	return capi.Bytes(out.SerializedBytes, out.SerializedBytesSize)
}

// deserialize makes a topology from bytes. The check owns it.
func deserialize(t *check.T, code []byte) (*capi.TopologyDescription, error) {
	var args capi.TopologyDescriptionDeserializeArgs
	args.SerializedTopology, args.SerializedTopologySize = capi.BytesData(check.Followed(code))
	out, err := check.Try(t, args)
	if err != nil {
		return nil, err
	}
	if out.Topology == nil {
		t.Fatalf("PJRT_TopologyDescription_Deserialize: success without a topology")
	}
	return check.Own(t, out.Topology), nil
}

// needRoundTrip skips the check if the plugin refuses its own bytes, which TOPO-12
// reports: that it refuses other bytes then means nothing.
func needRoundTrip(t *check.T, code []byte) {
	if _, err := deserialize(t, code); err != nil {
		t.SkipUnimplf("the plugin rejects bytes that it made itself: %v", err)
	}
}

// restored is like deserialize, for bytes that the plugin itself made.
func restored(t *check.T, code []byte) *capi.TopologyDescription {
	topology, err := deserialize(t, code)
	if err != nil {
		if capi.CodeOf(err) == capi.ErrorCodeUnimplemented {
			t.SkipUnimplf("%v", err)
		}
		t.Fatalf("PJRT_TopologyDescription_Deserialize of the plugin's own bytes: expected success or UNIMPLEMENTED, got %v", err)
	}
	return topology
}
