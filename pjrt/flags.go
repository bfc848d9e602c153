// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
)

// FlagType is the type of the value of an XLA flag.
type FlagType string

// The types of flags.
const (
	FlagBool    FlagType = "bool"
	FlagInt32   FlagType = "int32"
	FlagInt64   FlagType = "int64"
	FlagFloat   FlagType = "float"
	FlagString  FlagType = "string"
	FlagEnum    FlagType = "enum"
	FlagMessage FlagType = "message" // several values in a notation of its own
)

// Flag is an XLA flag, as a rule a field of XLA's DebugOptions.
type Flag struct {
	Name string // without dashes
	Type FlagType
	// Repeated says that the flag holds a list.
	Repeated bool
	// Values are the names of an enum's values.
	Values []string
	// EnvOnly says that the flag exists only in the environment variable
	// XLA_FLAGS, not for one compilation.
	EnvOnly bool

	numbers map[string]int64 // of Values
}

var flagList = sync.OnceValue(func() []Flag {
	var list []Flag
	for _, f := range xlaflags.List() {
		list = append(list, Flag{
			Name: f.Name, Type: FlagType(f.Kind), Repeated: f.Repeated,
			Values: f.Values(), EnvOnly: f.EnvOnly, numbers: f.Numbers,
		})
	}
	return list
})

// Flags returns the known XLA flags in the order of their names. A plugin has
// those of its version of XLA only; the list is of all versions.
func Flags() []Flag {
	list := slices.Clone(flagList())
	for i := range list {
		list[i].Values = slices.Clone(list[i].Values)
	}
	return list
}

// LookupFlag returns the XLA flag of a name, with or without dashes before it.
func LookupFlag(name string) (Flag, bool) {
	list := flagList()
	i, ok := slices.BinarySearchFunc(list, strings.TrimLeft(name, "-"), func(f Flag, name string) int { return strings.Compare(f.Name, name) })
	if !ok {
		return Flag{}, false
	}
	f := list[i]
	f.Values = slices.Clone(f.Values)
	return f, true
}

// CheckXLAFlags returns an error when a plugin could end the process over the
// value of the environment variable XLA_FLAGS: over a flag that no known version
// of XLA has, or a value that the flag does not take. Flags that only other
// versions of XLA have pass, and end the process still.
//
// A value that does not begin with a dash is the name of a file with the flags in
// it, which is read. With PJRT_ALLOW_UNKNOWN_XLA_FLAGS=1 in the environment there is
// no error.
func CheckXLAFlags(value string) error {
	if err := xlaflags.Check(value); err != nil {
		return invalid("XLA_FLAGS: %v", err)
	}
	return nil
}

// overrideValue checks the value of a flag and returns it as a bool, int64,
// float64 or string, the one that the flag is sent as.
func overrideValue(name string, value any, strict bool) (any, error) {
	plain, err := plainValue(value)
	if err != nil {
		return nil, invalid("XLA flag %s %v", name, err)
	}
	f, ok := LookupFlag(name)
	switch {
	case strings.HasPrefix(name, "-"):
		return nil, invalid("XLA flag %s: leave out the dashes", name)
	case name == "":
		return nil, invalid("an XLA flag has no name")
	case !ok && strict:
		return nil, invalid("%v (AllowUnknownFlags passes it on all the same)", xlaflags.Unknown(name))
	case !ok:
		return plain, nil
	case f.EnvOnly:
		return nil, invalid("XLA flag %s can only be set in the environment variable XLA_FLAGS", name)
	case f.Type == FlagMessage && strict:
		return nil, invalid("XLA flag %s cannot be set for one compilation; set it in XLA_FLAGS, or in DebugOptions", name)
	}
	v, err := f.convert(plain)
	if err != nil {
		return nil, invalid("%v", err)
	}
	if n, ok := v.(int64); ok && name == xlaflags.SplitCount && (n < 1 || n > xlaflags.MaxSplitCount) {
		return nil, invalid("XLA flag %s takes 1 to %d, not %d", name, xlaflags.MaxSplitCount, n)
	}
	return v, nil
}

// plainValue returns a value as one of the types that the wire has. Lists become
// text.
func plainValue(value any) (any, error) {
	switch v := value.(type) {
	case bool, int64, float64, string:
		return v, nil
	case int:
		return int64(v), nil
	case int32:
		return int64(v), nil
	case uint32:
		return int64(v), nil
	case float32:
		return float64(v), nil
	case []string:
		for _, s := range v {
			if strings.Contains(s, ",") {
				return nil, fmt.Errorf("has the element %q, which has a comma in it; lists are sent with commas between elements", s)
			}
		}
		return strings.Join(v, ","), nil
	}
	return nil, fmt.Errorf("has a value of type %T; use a bool, an integer, a float, a string or a list of strings", value)
}

// convert returns a plain value as the flag wants it.
func (f Flag) convert(value any) (any, error) {
	if text, ok := value.(string); ok {
		return f.parse(text)
	}
	switch v := value.(type) {
	case bool:
		if f.Type == FlagBool && !f.Repeated {
			return v, nil
		}
	case int64:
		switch {
		case f.Repeated:
		case f.Type == FlagInt64, f.Type == FlagInt32 && v == int64(int32(v)):
			return v, nil
		case f.Type == FlagInt32:
			return nil, fmt.Errorf("XLA flag %s takes an int32; %d is beyond that", f.Name, v)
		case f.Type == FlagFloat:
			return float64(v), nil
		}
	case float64:
		if f.Type == FlagFloat && !f.Repeated {
			return v, nil
		}
	}
	return nil, fmt.Errorf("XLA flag %s takes %s, not a value of type %T", f.Name, f.wants(), value)
}

// parse reads the text of a value, as XLA_FLAGS has it.
func (f Flag) parse(text string) (any, error) {
	switch {
	case f.Repeated && f.Type == FlagEnum:
		var names []string
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); name == "" {
				continue
			}
			value, err := f.enumValue(name)
			if err != nil {
				return nil, err
			}
			names = append(names, value)
		}
		return strings.Join(names, ","), nil
	case f.Repeated, f.Type == FlagString, f.Type == FlagMessage:
		return text, nil
	case f.Type == FlagEnum:
		return f.enumValue(text)
	case f.Type == FlagBool:
		switch strings.ToLower(text) {
		case "true", "1":
			return true, nil
		case "false", "0":
			return false, nil
		}
	case f.Type == FlagInt32:
		if n, err := strconv.ParseInt(text, 10, 32); err == nil {
			return n, nil
		}
	case f.Type == FlagInt64:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, nil
		}
	case f.Type == FlagFloat:
		if x, err := strconv.ParseFloat(text, 32); err == nil && !math.IsNaN(x) {
			return x, nil
		}
	}
	return nil, fmt.Errorf("XLA flag %s takes %s, not %q", f.Name, f.wants(), text)
}

// enumValue returns the name of an enum's value, from its name in any case or
// from its number.
func (f Flag) enumValue(text string) (string, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	for _, name := range f.Values {
		if strings.EqualFold(name, text) || err == nil && f.numbers[name] == number {
			return name, nil
		}
	}
	return "", fmt.Errorf("XLA flag %s takes %s, not %q", f.Name, f.wants(), text)
}

// wants describes the values of the flag.
func (f Flag) wants() string {
	what := map[FlagType]string{
		FlagBool: "true or false", FlagInt32: "an int32", FlagInt64: "an int64", FlagFloat: "a float",
		FlagString: "a string", FlagEnum: strings.Join(f.Values, ", "), FlagMessage: "text",
	}[f.Type]
	switch {
	case f.Repeated && f.Type == FlagEnum:
		return "a list of " + what
	case f.Repeated:
		return "a list"
	case f.Type == FlagEnum:
		return "one of " + what
	}
	return what
}
