// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"strconv"
	"strings"
)

// topologyOptionTypes are the options of topologies that XLA's plugins know, like
// createOptionTypes.
var topologyOptionTypes = map[string]map[string]any{
	familyGPU: {
		"target_config": "",
		"topology":      "",
	},
	familyTPU: {
		"chips_per_host_bounds": []int64(nil),
		"num_slices":            int64(0),
	},
}

// checkTopologyOptions refuses what plugins end the process on: options of
// another type, an extent of zero, more devices than can be counted.
func checkTopologyOptions(kind Kind, name string, options []Attribute) error {
	if strings.ContainsRune(name, 0) {
		return invalid("the topology name %q has a NUL in it", name)
	}
	seen := make(map[string]bool)
	for _, o := range options {
		if seen[o.Name] {
			return invalid("topology option %s is given twice", o.Name)
		}
		seen[o.Name] = true
		for family, known := range topologyOptionTypes {
			want, ok := known[o.Name]
			if f := kind.family(); !ok || (f != "" && f != family) {
				continue
			}
			if got := attributeType(o.Value); got != attributeType(want) {
				return invalid("topology option %s takes a value of type %s, not %s", o.Name, attributeType(want), got)
			}
		}
	}
	switch kind.family() {
	case familyTPU:
		return checkTPUTopology(name, options)
	case familyGPU:
		return checkGPUTopology(options)
	}
	return nil
}

// checkTPUTopology counts the chips of a topology of libtpu. What is not in the
// form of its names is left for it to refuse.
func checkTPUTopology(name string, options []Attribute) error {
	chips := 1
	if i := strings.LastIndexAny(name, ":=_"); i >= 0 {
		bounds := name[i+1:]
		if bounds == "twisted" || bounds == "untwisted" {
			rest := name[:i]
			bounds = rest[strings.LastIndexAny(rest, ":=_")+1:]
		}
		if strings.Trim(bounds, "0123456789x") == "" {
			var err error
			if chips, err = parseExtents(bounds, 0); err != nil {
				return invalid("topology %s: %v", name, err)
			}
		}
	}
	for _, o := range options {
		if o.Name != "num_slices" {
			continue
		}
		if n, _ := attributeInt(o.Value); n < 1 || n > maxDevices/int64(chips) {
			return invalid("topology option num_slices is %d; there is at least 1 slice, and at most %d of %d chips", n, maxDevices/chips, chips)
		}
	}
	return nil
}

func checkGPUTopology(options []Attribute) error {
	for _, o := range options {
		if text, ok := o.Value.(string); ok && o.Name == "topology" {
			if _, err := parseExtents(text, 3); err != nil {
				return invalid("topology option topology: %v", err)
			}
		}
	}
	return nil
}

// parseExtents returns the product of extents in the form 2x2x1. rank is how many
// there must be; 0 means any number.
func parseExtents(text string, rank int) (int, error) {
	list := strings.Split(text, "x")
	if rank != 0 && len(list) != rank {
		return 0, fmt.Errorf("%q has %d extents, not %d: it has the form 1x2x8", text, len(list), rank)
	}
	product := 1
	for _, e := range list {
		n, err := strconv.ParseUint(e, 10, 32)
		switch {
		case err != nil:
			return 0, fmt.Errorf("%q is not in the form 2x2x1: the extent %q is no number", text, e)
		case n == 0:
			return 0, fmt.Errorf("%q has an extent of 0", text)
		case n > uint64(maxDevices/product):
			return 0, fmt.Errorf("%q has more than %d devices", text, maxDevices)
		}
		product *= int(n)
	}
	return product, nil
}
