// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaflags

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// Value checks the value of a flag for one compilation, and returns it as a bool, int64, float64 or
// string, ready to be sent. If strict is set, the flag must be one of XLA's DebugOptions.
func Value(name string, value any, strict bool) (any, error) {
	plain, err := plainValue(value)
	if err != nil {
		return nil, fmt.Errorf("XLA flag %s %w", name, err)
	}
	f, ok := Lookup(name)
	switch {
	case strings.HasPrefix(name, "-"):
		return nil, fmt.Errorf("XLA flag %s: leave out the dashes", name)
	case name == "":
		return nil, errors.New("an XLA flag has no name")
	case !ok && strict:
		return nil, fmt.Errorf("%w (set AllowUnknownFlags to pass it on anyway)", Unknown(name))
	case !ok:
		return plain, nil
	case f.EnvOnly:
		return nil, fmt.Errorf("XLA flag %s can only be set in the environment variable XLA_FLAGS", name)
	case f.Kind == Message && strict:
		return nil, fmt.Errorf("XLA flag %s cannot be set for one compilation: set it in XLA_FLAGS, or in DebugOptions", name)
	}
	v, err := f.convert(plain)
	if err != nil {
		return nil, err
	}
	if n, ok := v.(int64); ok && name == SplitCount && (n < 1 || n > MaxSplitCount) {
		return nil, fmt.Errorf("XLA flag %s takes 1 to %d, not %d", name, MaxSplitCount, n)
	}
	return v, nil
}

// deadly has the flags that tell XLA to end the process rather than return an error, each with its
// number in DebugOptions. They are for debugging XLA, except the one about NCCL, which is for
// programs that a scheduler restarts.
var deadly = map[string]wire.Number{
	"xla_gpu_crash_on_verification_failures":               101,
	"xla_gpu_nccl_terminate_on_error":                      301,
	"xla_unsupported_crash_on_hlo_pass_fix_max_iterations": 363,
	"xla_unsupported_crash_on_hlo_pass_noop_change":        379,
	"xla_unsupported_crash_on_hlo_pass_silent_hlo_change":  380,
}

// CheckDeadly returns an error if the value turns on a flag that tells XLA to end the process. The
// value is a result of Value, or the text in XLA_FLAGS.
func CheckDeadly(name string, value any) error {
	if _, ok := deadly[name]; !ok {
		return nil
	}
	switch value {
	case false, "", int64(0):
		return nil
	}
	if text, ok := value.(string); ok && (strings.EqualFold(text, "false") || text == "0") {
		return nil
	}
	return fmt.Errorf("XLA flag %s makes the plugin end the process instead of returning an error: leave it out", name)
}

// CheckDeadlyOptions is CheckDeadly for each flag in a serialized DebugOptions message.
func CheckDeadlyOptions(b []byte) error {
	return wire.Visit(b, func(f wire.Field) error {
		for name, number := range deadly {
			if f.Is(number, wire.Varint) && f.Int != 0 {
				return CheckDeadly(name, true)
			}
		}
		return nil
	})
}

// choosing has the flags that choose which passes over HLO are run, each with its number in
// DebugOptions.
var choosing = map[string]wire.Number{
	"xla_disable_hlo_passes":     30,
	"xla_disable_all_hlo_passes": 104,
	"xla_enable_hlo_passes_only": 124,
}

// ChoosesPasses reports whether the flag may leave out passes over HLO.
func ChoosesPasses(name string) bool { return choosing[name] != 0 }

// ChoosesPassesOptions is ChoosesPasses for any flag in a serialized DebugOptions message.
func ChoosesPassesOptions(b []byte) bool {
	found := false
	_ = wire.Visit(b, func(f wire.Field) error { // a malformed message has already been refused
		for _, number := range choosing {
			found = found || f.Is(number, wire.Varint) || f.Is(number, wire.Bytes)
		}
		return nil
	})
	return found
}

// splitCountField is the number of SplitCount in DebugOptions.
const splitCountField = 323

// CheckDebugOptions returns an error for a serialized DebugOptions message that is
// malformed, or sets SplitCount to a value that ends the process.
func CheckDebugOptions(b []byte) error {
	err := wire.Visit(b, func(f wire.Field) error {
		if f.Is(splitCountField, wire.Varint) {
			if n := int64(int32(f.Int)); n < 0 || n > MaxSplitCount {
				return fmt.Errorf("the DebugOptions of the compile options have the flag %s at %d; it takes 1 to %d", SplitCount, n,
					MaxSplitCount)
			}
		}
		return nil
	})
	if errors.Is(err, wire.ErrMalformed) {
		return fmt.Errorf("the DebugOptions of the compile options are not a serialized message: %w", err)
	}
	return err
}

// plainValue returns a value as one of the types that flags are sent as. Lists become text.
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
				return nil, fmt.Errorf("has the element %q, which contains a comma, but lists are sent with commas between elements",
					excerpt.Of(s))
			}
		}
		return strings.Join(v, ","), nil
	}
	return nil, fmt.Errorf("has a value of type %T: use a bool, an integer, a float, a string or a list of strings", value)
}

// convert returns a plain value in the type of the flag.
func (f Flag) convert(value any) (any, error) {
	if text, ok := value.(string); ok {
		return f.parse(text)
	}
	switch v := value.(type) {
	case bool:
		if f.Kind == Bool && !f.Repeated {
			return v, nil
		}
	case int64:
		switch {
		case f.Repeated:
		case f.Kind == Int64, f.Kind == Int32 && v == int64(int32(v)):
			return v, nil
		case f.Kind == Int32:
			return nil, fmt.Errorf("XLA flag %s takes an int32, and %d does not fit in one", f.Name, v)
		case f.Kind == Float:
			return float64(v), nil
		}
	case float64:
		if f.Kind == Float && !f.Repeated {
			return v, nil
		}
	}
	return nil, fmt.Errorf("XLA flag %s takes %s, not a value of type %T", f.Name, f.wants(), value)
}

// parse parses the text of a value in XLA_FLAGS.
func (f Flag) parse(text string) (any, error) {
	switch {
	case f.Repeated && f.Kind == Enum:
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
	case f.Repeated, f.Kind == String, f.Kind == Message:
		return text, nil
	case f.Kind == Enum:
		return f.enumValue(text)
	case f.Kind == Bool:
		switch strings.ToLower(text) {
		case "true", "1":
			return true, nil
		case "false", "0":
			return false, nil
		}
	case f.Kind == Int32:
		if n, err := strconv.ParseInt(text, 10, 32); err == nil {
			return n, nil
		}
	case f.Kind == Int64:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, nil
		}
	case f.Kind == Float:
		if x, err := strconv.ParseFloat(text, 32); err == nil && !math.IsNaN(x) {
			return x, nil
		}
	}
	return nil, fmt.Errorf("XLA flag %s takes %s, not %q", f.Name, f.wants(), excerpt.Of(text))
}

// enumValue returns the name of an enum's value, given the name in upper or lower case, or the
// number.
func (f Flag) enumValue(text string) (string, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	for _, name := range f.Values() {
		if strings.EqualFold(name, text) || err == nil && f.Numbers[name] == number {
			return name, nil
		}
	}
	return "", fmt.Errorf("XLA flag %s takes %s, not %q", f.Name, f.wants(), excerpt.Of(text))
}

// wants describes the values of the flag.
func (f Flag) wants() string {
	what := map[string]string{
		Bool: "true or false", Int32: "an int32", Int64: "an int64", Float: "a float",
		String: "a string", Enum: strings.Join(f.Values(), ", "), Message: "text",
	}[f.Kind]
	switch {
	case f.Repeated && f.Kind == Enum:
		return "a list of " + what
	case f.Repeated:
		return "a list"
	case f.Kind == Enum:
		return "one of " + what
	}
	return what
}
