// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// descriptionChecks are Library checks, since without a client they look at the
// descriptions of a topology.
var descriptionChecks = []check.Check{
	{Rule: "DDESC-01", Library: true, Run: func(t *check.T) {
		check.Steady[capi.DeviceDescriptionIDArgs](t, "device", descriptions(t), nil)
		seen := make(check.FirstOf[int32])
		for i, d := range descriptions(t) {
			n := check.Call(t, capi.DeviceDescriptionIDArgs{DeviceDescription: d}).ID
			if n < 0 {
				t.Errorf("device %d: expected an id of 0 or more, got %d", i, n)
			}
			if first, again := seen.Add(n, i); again {
				t.Errorf("devices %d and %d both have the id %d", first, i, n)
			}
		}
	}},
	{Rule: "DDESC-02", Library: true, Run: func(t *check.T) {
		check.Steady[capi.DeviceDescriptionProcessIndexArgs](t, "device", descriptions(t), nil)
		if t.Env().NoDevice != "" {
			for i, d := range descriptions(t) {
				if n := processIndex(t, d); n < 0 {
					t.Errorf("device %d of the topology: expected a process index of 0 or more, got %d", i, n)
				}
			}
			return
		}
		own := check.Call(t, capi.ClientProcessIndexArgs{Client: t.Client().Handle}).ProcessIndex
		for i, d := range t.AllDevices(t.Client()) {
			n := processIndex(t, t.Description(d))
			check.Equal(t, 0, n, "process index of device %d in a program of one process", i)
			if slices.Contains(t.Client().Devices, d) {
				check.Equal(t, own, n, "process index of the addressable device %d", i)
			}
		}
	}},
	{Rule: "DDESC-03", Library: true, Run: func(t *check.T) {
		looked := 0
		for i, d := range descriptions(t) {
			looked += stableAttributes(t, fmt.Sprintf("attributes of device %d", i), func() check.Array[capi.NamedValue] {
				return check.Ask[capi.DeviceDescriptionAttributesArgs, capi.NamedValue](t, d)
			})
		}
		if looked == 0 {
			t.SkipUnimplf("the devices have no attributes")
		}
	}},
	{Rule: "DDESC-04", Library: true, Run: func(t *check.T) {
		allDescriptions.Stay(kindText)(t)
		numberedKinds(t, descriptions(t))
	}},
	{Rule: "DDESC-05", Library: true, Run: allDescriptions.TellApart(debugText)},
	{Rule: "DDESC-06", Library: true, Run: func(t *check.T) {
		allDescriptions.Stay(shortText, debugText)(t)
		for i, d := range descriptions(t) {
			id := check.Call(t, capi.DeviceDescriptionIDArgs{DeviceDescription: d}).ID
			text := shortText.Of(t, d)
			if named := namedID.FindStringSubmatch(text); named != nil && named[1] != strconv.Itoa(int(id)) {
				t.Errorf("PJRT_DeviceDescription_ToString of device %d: expected its id %d, got %q", i, id, text)
			}
		}
	}},
	{Rule: "DDESC-06", Variant: "of several devices", Library: true, Run: allDescriptions.OwnMemory(shortText, debugText, kindText)},
	{Rule: "DDESC-07", Library: true, Hostile: true, Run: func(t *check.T) {
		list := descriptions(t) // in this process, so that the threads are the first to look at them
		want := make([]string, len(list))
		var wg sync.WaitGroup
		var mu sync.Mutex
		start := make(chan struct{})
		for range 8 {
			wg.Go(func() {
				<-start
				for range 20 {
					for i, d := range list {
						got := portrait(t, d)
						mu.Lock()
						if want[i] == "" {
							want[i] = got
						}
						check.Equal(t, want[i], got, "device %d as several threads see it", i)
						mu.Unlock()
					}
				}
			})
		}
		close(start)
		wg.Wait()
	}},
	{Rule: "DDESC-08", Run: func(t *check.T) {
		for i, d := range t.AllDevices(t.Client()) {
			first := t.Description(d)
			check.Equal(t, first, t.Description(d), "PJRT_Device_GetDescription of device %d when it is asked for again", i)
			n := t.DeviceID(d)
			found, err := check.Try(t, capi.ClientLookupDeviceArgs{Client: t.Client().Handle, ID: n})
			if err != nil {
				t.Errorf("PJRT_Client_LookupDevice of the id %d of device %d: expected success, got %v", n, i, err)
				continue
			}
			check.Equal(t, d, found.Device, "PJRT_Client_LookupDevice of the id %d of device %d", n, i)
		}
	}},
	{Rule: "DDESC-09", Run: func(t *check.T) {
		topology := make(map[int32]*capi.DeviceDescription)
		for _, d := range topologyDescriptions(t, t.Topology()) {
			topology[check.Call(t, capi.DeviceDescriptionIDArgs{DeviceDescription: d}).ID] = d
		}
		for _, d := range t.AllDevices(t.Client()) {
			own, n := t.Description(d), t.DeviceID(d)
			other := topology[n]
			if other == nil {
				t.Errorf("the client's topology has no device with the id %d", n)
				continue
			}
			check.Equal(t, kindText.Of(t, own), kindText.Of(t, other), "kind of device %d in the topology", n)
			check.Equal(t, processIndex(t, own), processIndex(t, other), "process index of device %d in the topology", n)
			expectShared(t, own, other, fmt.Sprintf("device %d", n))
		}
	}},
}

// expectShared compares the attributes that two descriptions of a device both have: that of the
// client and that of its topology. Either may have others, such as those of a running device.
func expectShared(t *check.T, own, other *capi.DeviceDescription, what string) {
	a, err1 := check.Try(t, capi.DeviceDescriptionAttributesArgs{DeviceDescription: own})
	b, err2 := check.Try(t, capi.DeviceDescriptionAttributesArgs{DeviceDescription: other})
	if err1 != nil || err2 != nil {
		return
	}
	values := make(map[string]capi.Attribute)
	for _, x := range capi.Attributes(b.Attributes, b.NumAttributes) {
		values[x.Name] = x
	}
	for _, x := range capi.Attributes(a.Attributes, a.NumAttributes) {
		if y, ok := values[x.Name]; ok {
			check.Equal(t, check.Written([]capi.Attribute{x}), check.Written([]capi.Attribute{y}),
				"an attribute of %s in the topology", what)
		}
	}
}

// numberedKinds fails the check if the kinds of devices differ only in the device's id
// that each contains: equal devices are of one kind.
func numberedKinds(t *check.T, list []*capi.DeviceDescription) {
	kinds, without := make(map[string]bool), make(map[string]bool)
	for _, d := range list {
		n := strconv.Itoa(int(check.Call(t, capi.DeviceDescriptionIDArgs{DeviceDescription: d}).ID))
		k := kindText.Of(t, d)
		kinds[k] = true
		without[number.ReplaceAllStringFunc(k, func(s string) string {
			if s == n {
				return "#"
			}
			return s
		})] = true
	}
	if len(list) > 1 && len(kinds) == len(list) && len(without) == 1 {
		t.Errorf("PJRT_DeviceDescription_Kind: expected one kind of equal devices, got the ids of devices in their kinds, such as %q", kindText.Of(t, list[0]))
	}
}

// namedID is how many texts name the id of a device.
var namedID = regexp.MustCompile(`\bid=(\d+)`)

var number = regexp.MustCompile(`\d+`)

// descriptions returns the descriptions of all the client's devices, or of the
// topology's if there is no client.
func descriptions(t *check.T) []*capi.DeviceDescription {
	var list []*capi.DeviceDescription
	if t.Env().NoDevice != "" {
		list = topologyDescriptions(t, t.Topology())
	} else {
		for _, d := range t.AllDevices(t.Client()) {
			list = append(list, t.Description(d))
		}
	}
	if len(list) == 0 {
		t.SkipEnvf("there are no devices")
	}
	return list
}

func topologyDescriptions(t *check.T, topology *capi.TopologyDescription) []*capi.DeviceDescription {
	return check.List[capi.TopologyDescriptionGetDeviceDescriptionsArgs, *capi.DeviceDescription](t, topology)
}

func processIndex(t *check.T, d *capi.DeviceDescription) int32 {
	return check.Call(t, capi.DeviceDescriptionProcessIndexArgs{DeviceDescription: d}).ProcessIndex
}

// portrait returns all that a description says. It never ends the check, so any thread
// may call it.
func portrait(t *check.T, d *capi.DeviceDescription) string {
	id, err1 := check.Try(t, capi.DeviceDescriptionIDArgs{DeviceDescription: d})
	process, err2 := check.Try(t, capi.DeviceDescriptionProcessIndexArgs{DeviceDescription: d})
	kind, err3 := check.Try(t, capi.DeviceDescriptionKindArgs{DeviceDescription: d})
	debug, err4 := check.Try(t, capi.DeviceDescriptionDebugStringArgs{DeviceDescription: d})
	short, err5 := check.Try(t, capi.DeviceDescriptionToStringArgs{DeviceDescription: d})
	attributes, err6 := check.Try(t, capi.DeviceDescriptionAttributesArgs{DeviceDescription: d})
	return fmt.Sprintf("%d %d %s %s %s %s %v", id.ID, process.ProcessIndex, capi.String(kind.DeviceKind, kind.DeviceKindSize),
		capi.String(debug.DebugString, debug.DebugStringSize), capi.String(short.ToString, short.ToStringSize),
		check.Written(inOrder(attributes.Attributes, attributes.NumAttributes)), errors.Join(err1, err2, err3, err4, err5, err6))
}

// inOrder copies named values, sorted by name, since their order is not promised.
func inOrder(p *capi.NamedValue, n uintptr) []capi.Attribute {
	list := capi.Attributes(p, n)
	slices.SortFunc(list, func(a, b capi.Attribute) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// stableAttributes reads a list of named values twice. The list must be well-formed,
// have no name twice and stay in place. It returns the number of values.
func stableAttributes(t *check.T, what string, read func() check.Array[capi.NamedValue]) int {
	first := read()
	n := int(first.N)
	if !t.WellFormed(first.First, first.N, what) || n == 0 {
		return n
	}
	list := func(a check.Array[capi.NamedValue]) []capi.Attribute { return capi.Attributes(a.First, a.N) }
	before := check.Written(list(first))
	seen := make(map[string]bool)
	for _, a := range list(first) {
		if seen[a.Name] {
			t.Errorf("%s: there are two named %q", what, a.Name)
		}
		seen[a.Name] = true
	}
	churn(t)
	check.Equal(t, before, check.Written(list(first)), "%s: the contents of the same address later", what)
	again := read()
	check.Equal(t, first.First, again.First, "%s: the address from a second call", what)
	check.Equal(t, before, check.Written(list(again)), "%s when they are asked for again", what)
	return n
}
