// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package platform

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/excerpt"
)

// ParseOption reads one create option of any plugin, as commands take it: NAME=VALUE or
// NAME:TYPE=VALUE, where TYPE is string, int, ints, float or bool. Without a TYPE, the form of the
// value decides: an integer, integers separated by commas, a number with a point, true or false,
// and otherwise a string.
func ParseOption(text string) (capi.Attribute, error) {
	name, value, ok := strings.Cut(text, "=")
	name, kind, typed := strings.Cut(name, ":")
	if !ok || name == "" {
		return capi.Attribute{}, fmt.Errorf("option %q does not have the form NAME=VALUE or NAME:TYPE=VALUE", excerpt.Of(text))
	}
	if !typed {
		kind = kindOf(value)
	}
	v, err := parseValue(kind, value)
	if err != nil {
		return capi.Attribute{}, fmt.Errorf("option %s: %w", excerpt.Of(name), err)
	}
	return capi.Attribute{Name: name, Value: v}, nil
}

// kindOf returns the type that the form of a value means.
func kindOf(value string) string {
	for _, kind := range []string{"int", "bool", "float", "ints"} {
		if kind == "ints" && !strings.Contains(value, ",") || kind == "float" && !strings.Contains(value, ".") {
			continue
		}
		if _, err := parseValue(kind, value); err == nil {
			return kind
		}
	}
	return "string"
}

func parseValue(kind, value string) (any, error) {
	switch kind {
	case "string":
		return value, nil
	case "int":
		return strconv.ParseInt(value, 10, 64)
	case "float":
		f, err := strconv.ParseFloat(value, 32)
		return float32(f), err
	case "bool":
		switch value {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return nil, fmt.Errorf("%q is neither true nor false", excerpt.Of(value))
	case "ints":
		numbers := []int64{}
		for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' }) {
			n, err := strconv.ParseInt(part, 10, 64)
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, n)
		}
		return numbers, nil
	}
	return nil, fmt.Errorf("the type %q is unknown: use string, int, ints, float or bool", excerpt.Of(kind))
}
