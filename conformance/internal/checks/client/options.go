// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// create makes a client with exactly these options. The check does not own it.
func create(t *check.T, options ...capi.Attribute) (*capi.Client, error) {
	needDevice(t)
	var args capi.ClientCreateArgs
	args.CreateOptions, args.NumOptions = t.NamedValues(options...)
	out, err := check.Try(t, args)
	if err == nil && out.Client == nil {
		t.Fatalf("PJRT_Client_Create: success without a client")
	}
	return out.Client, err
}

// mustCreate makes a client with the environment's options, which must be possible.
func mustCreate(t *check.T) *capi.Client {
	c, err := create(t, t.Env().Options...)
	if err != nil {
		t.Fatalf("PJRT_Client_Create: expected success, got %v", err)
	}
	return c
}

// needDevice skips the check if no client is to be tried.
func needDevice(t *check.T) {
	if t.Env().NoDevice != "" {
		t.SkipEnvf("%s", t.Env().NoDevice)
	}
}

// with returns the environment's options, with others replacing them or added at the
// end.
func with(t *check.T, others ...capi.Attribute) []capi.Attribute {
	var list []capi.Attribute
	for _, a := range t.Env().Options {
		replaced := false
		for _, o := range others {
			replaced = replaced || o.Name == a.Name
		}
		if !replaced {
			list = append(list, a)
		}
	}
	return append(list, others...)
}

// countOption returns the name of the option that says how many devices a client has,
// on platforms where the caller decides that; on others it skips the check.
func countOption(t *check.T) string {
	needDevice(t)
	for _, a := range t.Env().Options {
		if strings.HasSuffix(a.Name, "device_count") {
			return a.Name
		}
	}
	c := mustCreate(t)
	defer check.Call(t, capi.ClientDestroyArgs{Client: c})
	platform := t.PlatformOf(c)
	option := countOptions[platform]
	if option == "" {
		t.SkipEnvf("the suite knows no option for the number of devices on the platform %q", platform)
	}
	return option
}

// countOptions are the options for the number of devices, by platform.
var countOptions = map[string]string{"cpu": "cpu_device_count", "pjrttest": "device_count"}

// otherOptions are options with the values that they have anyway, by platform.
var otherOptions = map[string][]capi.Attribute{"pjrttest": {{Name: "num_nodes", Value: int64(1)}, {Name: "node_id", Value: int64(0)}}}

// count makes a client, counts its devices and destroys it.
func count(t *check.T, options ...capi.Attribute) (int, error) {
	c, err := create(t, options...)
	if err != nil {
		return 0, err
	}
	defer check.Call(t, capi.ClientDestroyArgs{Client: c})
	return len(t.Describe(c).Devices), nil
}
