// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package createoptions

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
)

// topologyTypes has the options of topologies, in the form of types.
var topologyTypes = map[string]map[string]any{
	GPU: {
		targetConfig: "",
		"topology":   "",
	},
	TPU: {
		"chips_per_host_bounds": []int64(nil),
		"num_slices":            int64(0),
	},
}

// CheckTopology returns an error for a topology on which a plugin of this kind would
// end the process: options of another type, an extent of zero, more devices than can
// be counted, a GPU that no compiler knows.
func CheckTopology(kind, name string, options []capi.Attribute) error {
	if strings.ContainsRune(name, 0) {
		return fmt.Errorf("the topology name %q has a NUL in it", name)
	}
	seen := make(map[string]bool)
	for _, o := range options {
		if seen[o.Name] {
			return fmt.Errorf("topology option %s is given twice", o.Name)
		}
		seen[o.Name] = true
		for family, known := range topologyTypes {
			want, ok := known[o.Name]
			if f := Family(kind); !ok || (f != "" && f != family) {
				continue
			}
			if got := typeOf(o.Value); got != typeOf(want) {
				return fmt.Errorf("topology option %s takes a value of type %s, not %s", o.Name, typeOf(want), got)
			}
		}
	}
	switch Family(kind) {
	case TPU:
		return checkTPUTopology(name, options)
	case GPU:
		if err := CheckTarget(kind, options); err != nil {
			return fmt.Errorf("topology option %v", err)
		}
		return checkGPUTopology(options)
	}
	return nil
}

// checkTPUTopology counts the chips of a topology of libtpu. It accepts names in other forms than
// v4:2x2x1, because libtpu rejects them itself.
func checkTPUTopology(name string, options []capi.Attribute) error {
	chips := 1
	if i := strings.LastIndexAny(name, ":=_"); i >= 0 {
		bounds := name[i+1:]
		if bounds == "twisted" || bounds == "untwisted" {
			rest := name[:i]
			bounds = rest[strings.LastIndexAny(rest, ":=_")+1:]
		}
		if strings.Trim(bounds, "0123456789x") == "" {
			var err error
			if chips, err = Extents(bounds, 0); err != nil {
				return fmt.Errorf("topology %s: %v", name, err)
			}
		}
	}
	for _, o := range options {
		if o.Name != "num_slices" {
			continue
		}
		if n, _ := intOf(o.Value); n < 1 || n > MaxDevices/int64(chips) {
			return fmt.Errorf("topology option num_slices is %d; there is at least 1 slice, and at most %d of %d chips", n,
				MaxDevices/chips, chips)
		}
	}
	return nil
}

func checkGPUTopology(options []capi.Attribute) error {
	for _, o := range options {
		if text, ok := o.Value.(string); ok && o.Name == "topology" {
			if _, err := Extents(text, 3); err != nil {
				return fmt.Errorf("topology option topology: %v", err)
			}
		}
	}
	return nil
}

// Extents returns the product of extents in the form 2x2x1. There must be rank of
// them, or any number if rank is 0.
func Extents(text string, rank int) (int, error) {
	list := strings.Split(text, "x")
	if rank != 0 && len(list) != rank {
		return 0, fmt.Errorf("%q has %d extents, not %d: it has the form 1x2x8", text, len(list), rank)
	}
	product := 1
	for _, e := range list {
		n, err := strconv.ParseUint(e, 10, 32)
		switch {
		case err != nil:
			return 0, fmt.Errorf("%q is not in the form 2x2x1: the extent %q is not a number", text, e)
		case n == 0:
			return 0, fmt.Errorf("%q has an extent of 0", text)
		case n > uint64(MaxDevices/product):
			return 0, fmt.Errorf("%q has more than %d devices", text, MaxDevices)
		}
		product *= int(n)
	}
	return product, nil
}

// MockNodes returns the number of hosts of a system in the form PARTITIONSxHOSTSxDEVICES.
func MockNodes(text string) (int, error) {
	if _, err := Extents(text, 3); err != nil {
		return 0, err
	}
	parts := strings.Split(text, "x")
	return Extents(parts[0]+"x"+parts[1], 2)
}
