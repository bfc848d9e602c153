// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"strconv"
	"strings"
)

// ParseCreateOptions reads create options for a kind of plugin, for
// [ClientOptions].Create, from the text that JAX takes in its setting
// jax_pjrt_client_create_options: names and values with colons between them, and
// semicolons between the options:
//
//	memory_fraction:0.5;preallocate:false;visible_devices:0,2
//
// The value of an option that plugins of the kind know gets the type that they
// expect, with commas between the elements of a list; every other value stays a
// string, which is what JAX makes of all of them. White space around names and
// values is left out, and so are empty options. A value may have colons in it.
func ParseCreateOptions(kind Kind, text string) ([]Attribute, error) {
	var list []Attribute
	seen := make(map[string]bool)
	for option := range strings.SplitSeq(text, ";") {
		if option = strings.TrimSpace(option); option == "" {
			continue
		}
		name, value, ok := strings.Cut(option, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case !ok:
			return nil, invalid("create option %q has no colon between its name and its value", option)
		case name == "":
			return nil, invalid("create option %q has no name before the colon", option)
		case strings.ContainsRune(option, 0):
			return nil, invalid("create option %q has a zero byte in it", option)
		case seen[name]:
			return nil, invalid("create option %s is given twice", name)
		}
		seen[name] = true
		o := Attribute{Name: name, Value: value}
		if want, ok := createOptionTypes[kind.family()][name]; ok {
			var err error
			if o.Value, err = parseCreateOption(name, value, want); err != nil {
				return nil, err
			}
		}
		list = append(list, o)
	}
	return list, nil
}

// parseCreateOption reads a value of the type of want.
func parseCreateOption(name, value string, want any) (any, error) {
	switch want.(type) {
	case bool:
		switch strings.ToLower(value) {
		case "true", "1":
			return true, nil
		case "false", "0":
			return false, nil
		}
		return nil, invalid("create option %s is true or false, not %q", name, value)
	case int64:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return nil, invalid("create option %s is an integer of 64 bits, not %q", name, value)
		}
		return n, nil
	case float32:
		x, err := strconv.ParseFloat(value, 32)
		if err != nil {
			return nil, invalid("create option %s is a 32-bit float, not %q", name, value)
		}
		return float32(x), nil
	case []int64:
		list := []int64{}
		if value == "" {
			return list, nil
		}
		for element := range strings.SplitSeq(value, ",") {
			n, err := strconv.ParseInt(strings.TrimSpace(element), 10, 64)
			if err != nil {
				return nil, invalid("create option %s is a list of integers such as 0,2, not %q", name, value)
			}
			list = append(list, n)
		}
		return list, nil
	}
	return value, nil
}
