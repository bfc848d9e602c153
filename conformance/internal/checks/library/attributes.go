// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var attributeChecks = []check.Check{
	{Rule: "ATTR-01", Library: true, Hostile: true, Begins: check.Loaded, Run: func(t *check.T) {
		t.Require(check.FunctionOf[capi.PluginInitializeArgs]())
		t.NoError(initialize(t), "PJRT_Plugin_Initialize before other calls")
	}},
	{Rule: "ATTR-02", Library: true, Hostile: true, Begins: check.Loaded, Run: func(t *check.T) {
		t.Require(check.FunctionOf[capi.PluginInitializeArgs]())
		t.NoError(initialize(t), "the first PJRT_Plugin_Initialize")
		if err := initialize(t); err != nil && !initializedAlready(err) {
			t.Errorf("the second PJRT_Plugin_Initialize: expected success, ALREADY_EXISTS or FAILED_PRECONDITION, got %v", err)
		}
		useClient(t)
	}},
	{Rule: "ATTR-03", Library: true, Hostile: true, Begins: check.Loaded, Run: func(t *check.T) {
		t.Require(check.FunctionOf[capi.PluginInitializeArgs]())
		start := make(chan struct{})
		var wg sync.WaitGroup
		var well atomic.Int32
		for range 8 {
			wg.Go(func() {
				<-start
				switch err := initialize(t); {
				case err == nil:
					well.Add(1)
				case !initializedAlready(err):
					t.Errorf("PJRT_Plugin_Initialize on one of 8 threads: expected success, ALREADY_EXISTS or FAILED_PRECONDITION, got %v", err)
				}
			})
		}
		close(start)
		wg.Wait()
		if well.Load() == 0 {
			t.Errorf("PJRT_Plugin_Initialize on 8 threads: expected one of them to succeed, got none")
		}
		useClient(t)
	}},
	{Rule: "ATTR-04", Library: true, Hostile: true, Begins: check.Loaded, Run: func(t *check.T) {
		t.NeedsDevice()
		out, err := check.Try(t, capi.ClientCreateArgs{})
		if err == nil {
			check.Equal(t, false, check.Own(t, out.Client) == nil, "success without a client")
		}
	}},
	{Rule: "ATTR-05", Library: true, Run: func(t *check.T) {
		t.Require(check.FunctionOf[capi.PluginAttributesArgs]())
		if _, err := check.Try(t, capi.PluginAttributesArgs{}); err != nil {
			t.Errorf("PJRT_Plugin_Attributes: expected success, got %v", err)
		}
	}},
	{Rule: "ATTR-06", Library: true, Run: func(t *check.T) {
		out := check.Optional(t, capi.PluginAttributesArgs{})
		if out.Attributes == nil && out.NumAttributes > 0 {
			t.Errorf("expected an array of %d attributes, got null", out.NumAttributes)
		}
	}},
	{Rule: "ATTR-07", Library: true, Hostile: true, Run: func(t *check.T) {
		p, n, before := attributes(t)
		if t.Env().NoDevice == "" {
			c := t.NewClient()
			check.Call(t, capi.ClientPlatformNameArgs{Client: c.Handle})
			check.Destroy(t, c.Handle)
		}
		check.Equal(t, check.Written(before), check.WrittenValues(p, n), "the attributes at the same address after a session")
		_, _, again := attributes(t)
		check.Equal(t, check.Written(before), check.Written(again), "the attributes from a second call")
	}},
	{Rule: "ATTR-08", Library: true, Run: func(t *check.T) {
		_, _, list := attributes(t)
		seen := make(map[string]bool)
		for i, a := range list {
			if a.Name == "" {
				t.Errorf("attribute %d has no name", i)
			}
			if seen[a.Name] {
				t.Errorf("there are two attributes %q", a.Name)
			}
			seen[a.Name] = true
		}
	}},
	{Rule: "ATTR-09", Library: true, Run: func(t *check.T) {
		current, okCurrent := version(t, "stablehlo_current_version")
		minimum, okMinimum := version(t, "stablehlo_minimum_version")
		if okCurrent && okMinimum && slices.Compare(minimum, current) > 0 {
			t.Errorf("expected a stablehlo_minimum_version up to stablehlo_current_version, got %v and %v", minimum, current)
		}
	}},
	{Rule: "ATTR-10", Library: true, Run: func(t *check.T) {
		_, _, list := attributes(t)
		for _, a := range list {
			if a.Name == "xla_version" {
				if _, ok := a.Value.(int64); !ok {
					t.Errorf("xla_version: expected an int64, got the %T %v", a.Value, a.Value)
				}
				return
			}
		}
		for _, x := range t.Table().Extensions() {
			if x.Type == capi.ExtensionTypeFFI { // XLA's own interface
				t.Fatalf("the plugin has no attribute xla_version, by which callers recognize a plugin that is built on XLA")
			}
		}
		t.SkipUnimplf("the plugin has neither the attribute xla_version nor XLA's FFI: it is not built on XLA")
	}},
	{Rule: "ATTR-11", Run: artifacts},
	{Rule: "ATTR-12", Library: true, Run: func(t *check.T) {
		wellFormed(t, "value_size")
	}},
	{Rule: "ATTR-13", Library: true, Run: func(t *check.T) {
		wellFormed(t, "")
	}},
	{Rule: "ATTR-14", Library: true, Run: func(t *check.T) {
		looked := 0
		for _, list := range lists(t) {
			for _, a := range capi.Attributes(list.p, list.n) {
				looked++
				text, _ := a.Value.(string)
				for _, s := range []string{a.Name, text} {
					if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r == 0 }) {
						t.Errorf("%s: expected text of the stated size, got %q", list.where, s)
					}
				}
			}
		}
		if looked == 0 {
			t.SkipUnimplf("no object of the plugin has attributes")
		}
	}},
}

func initialize(t *check.T) error {
	_, err := check.Try(t, capi.PluginInitializeArgs{})
	return err
}

// initializedAlready reports whether an error is one that a plugin may return when it
// is initialized again.
func initializedAlready(err error) bool {
	return capi.CodeOf(err) == capi.ErrorCodeAlreadyExists || capi.CodeOf(err) == capi.ErrorCodeFailedPrecondition
}

// useClient makes a client if there can be one.
func useClient(t *check.T) {
	if t.Env().NoDevice == "" {
		check.Upload(t, t.NewClient(), []float32{1, 2, 3, 4})
	}
}

// attributes returns the plugin's attributes, or skips the check if there are none.
func attributes(t *check.T) (*capi.NamedValue, uintptr, []capi.Attribute) {
	out := check.Optional(t, capi.PluginAttributesArgs{})
	if out.NumAttributes == 0 {
		t.SkipUnimplf("the plugin has no attributes")
	}
	if out.Attributes == nil {
		t.Fatalf("expected an array of %d attributes, got null", out.NumAttributes)
	}
	return out.Attributes, out.NumAttributes, capi.Attributes(out.Attributes, out.NumAttributes)
}

// version returns an attribute of three numbers.
func version(t *check.T, name string) ([]int64, bool) {
	_, _, list := attributes(t)
	for _, a := range list {
		if a.Name != name {
			continue
		}
		v, ok := a.Value.([]int64)
		if !ok || len(v) != 3 {
			t.Errorf("%s: expected a list of three int64, got the %T %v", name, a.Value, a.Value)
			return nil, false
		}
		return v, true
	}
	t.Errorf("the plugin has no attribute %s, so callers fall back to the oldest encoding", name)
	return nil, false
}

// namedList is a list of named values that the plugin returned.
type namedList struct {
	where string
	p     *capi.NamedValue
	n     uintptr
}

// lists returns all lists of named values that are easy to get.
func lists(t *check.T) []namedList {
	var all []namedList
	if out, err := check.Try(t, capi.PluginAttributesArgs{}); err == nil {
		all = append(all, namedList{"PJRT_Plugin_Attributes", out.Attributes, out.NumAttributes})
	}
	if t.Env().NoDevice != "" && t.Env().Topology == "" && len(t.Env().TopologyOptions) == 0 {
		return all
	}
	s := newSession(t)
	if !s.library {
		for _, d := range s.client.Devices {
			description := t.Description(d)
			if out, err := check.Try(t, capi.DeviceDescriptionAttributesArgs{DeviceDescription: description}); err == nil {
				all = append(all, namedList{"PJRT_DeviceDescription_Attributes", out.Attributes, out.NumAttributes})
			}
		}
		if out, err := check.Try(t, capi.ExecutableGetCostAnalysisArgs{Executable: s.prog(t)}); err == nil {
			all = append(all, namedList{"PJRT_Executable_GetCostAnalysis", out.Properties, out.NumProperties})
		}
		topology, err := check.Try(t, capi.ClientTopologyDescriptionArgs{Client: s.c()})
		if err != nil {
			return all
		}
		s.topology = topology.Topology
	}
	if out, err := check.Try(t, capi.TopologyDescriptionAttributesArgs{Topology: s.topo(t)}); err == nil {
		all = append(all, namedList{"PJRT_TopologyDescription_Attributes", out.Attributes, out.NumAttributes})
	}
	return all
}

// wellFormed reports the faults of all lists that mention what.
func wellFormed(t *check.T, what string) {
	looked := uintptr(0)
	for _, list := range lists(t) {
		looked += list.n
		for _, f := range check.NamedValueFaults(list.p, list.n) {
			if strings.Contains(f, what) {
				t.Errorf("%s: %s", list.where, f)
			}
		}
	}
	if looked == 0 {
		t.SkipUnimplf("no object of the plugin has attributes")
	}
}

// artifacts compiles the oldest and the newest artifact that the plugin claims to
// support.
func artifacts(t *check.T) {
	current, okCurrent := version(t, "stablehlo_current_version")
	minimum, okMinimum := version(t, "stablehlo_minimum_version")
	if !okCurrent || !okMinimum {
		return
	}
	claimed := t.ArtifactsBetween(minimum, current)
	c := t.Client()
	for i, a := range []check.Artifact{claimed[0], claimed[len(claimed)-1]} {
		if i == 1 && len(claimed) == 1 {
			break
		}
		out, err := check.Try(t, t.CompileArgs(c, a.Code, check.Devices(1, 1)))
		if err != nil {
			t.Errorf("the plugin claims to read StableHLO %v to %v, but rejects an artifact of %v: %v", minimum, current, a, err)
			continue
		}
		result := t.Run(check.Own(t, out.Executable), 1, check.Upload(t, c, []float32{1, 2, 3, 4}))
		check.ExpectBuffer(t, result[0], []float32{11, 22, 33, 44}, fmt.Sprintf("a program from an artifact of %v", a))
	}
}
