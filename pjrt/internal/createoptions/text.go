// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package createoptions

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/excerpt"
)

// Parse parses options in the form that platform.Parse describes, without further checks.
func Parse(kind, text string) ([]capi.Attribute, error) {
	var list []capi.Attribute
	seen := make(map[string]bool)
	for option := range strings.SplitSeq(text, ";") {
		if option = strings.TrimSpace(option); option == "" {
			continue
		}
		name, value, ok := strings.Cut(option, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case !ok:
			return nil, fmt.Errorf("create option %q has no colon between its name and its value", excerpt.Of(option))
		case name == "":
			return nil, fmt.Errorf("create option %q has no name before the colon", excerpt.Of(option))
		case strings.ContainsRune(option, 0):
			return nil, fmt.Errorf("create option %q contains a zero byte", excerpt.Of(option))
		case seen[name]:
			return nil, fmt.Errorf("create option %s is given twice", excerpt.Of(name))
		}
		seen[name] = true
		o := capi.Attribute{Name: name, Value: value}
		if want, ok := types[Family(kind)][name]; ok {
			var err error
			if o.Value, err = parseValue(name, value, want); err != nil {
				return nil, err
			}
		}
		list = append(list, o)
	}
	return list, nil
}

// parseValue reads a value of the type of want.
func parseValue(name, value string, want any) (any, error) {
	switch want.(type) {
	case bool:
		switch strings.ToLower(value) {
		case "true", "1":
			return true, nil
		case "false", "0":
			return false, nil
		}
		return nil, fmt.Errorf("create option %s must be true or false, not %q", excerpt.Of(name), excerpt.Of(value))
	case int64:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("create option %s must be a 64-bit integer, not %q", excerpt.Of(name), excerpt.Of(value))
		}
		return n, nil
	case float32:
		x, err := strconv.ParseFloat(value, 32)
		if err != nil {
			return nil, fmt.Errorf("create option %s must be a 32-bit float, not %q", excerpt.Of(name), excerpt.Of(value))
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
				return nil, fmt.Errorf("create option %s must be a list of integers such as 0,2, not %q",
					excerpt.Of(name), excerpt.Of(value))
			}
			list = append(list, n)
		}
		return list, nil
	}
	return value, nil
}
