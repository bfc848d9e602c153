// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package xlaflags knows the flags of XLA: their names, types and values, in all versions that its
// list covers. Flags can be set for one compilation, in pjrt.CompileOptions.Flags, or for the whole
// process, in the environment variable XLA_FLAGS.
//
// The functions may be called from any goroutine.
package xlaflags

import (
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
)

// Type is the type of a flag's value.
type Type string

// The types of flags.
const (
	Bool    Type = xlaflags.Bool
	Int32   Type = xlaflags.Int32
	Int64   Type = xlaflags.Int64
	Float   Type = xlaflags.Float
	String  Type = xlaflags.String
	Enum    Type = xlaflags.Enum
	Message Type = xlaflags.Message // several values, in a notation that differs from flag to flag
)

// Flag is an XLA flag, usually a field of XLA's DebugOptions.
type Flag struct {
	Name string // without dashes
	Type Type
	// Repeated says that the value is a list.
	Repeated bool
	// Values are the names of an enum's values, in the order of their numbers.
	Values []string
	// EnvOnly says that the flag can be set only in the environment variable XLA_FLAGS, not for one
	// compilation.
	EnvOnly bool
}

func flag(f xlaflags.Flag) Flag {
	return Flag{Name: f.Name, Type: Type(f.Kind), Repeated: f.Repeated, Values: f.Values(), EnvOnly: f.EnvOnly}
}

// All returns the known flags of all versions of XLA, in the order of their names. A plugin has
// only those of its own version.
func All() []Flag {
	list := xlaflags.List()
	flags := make([]Flag, len(list))
	for i, f := range list {
		flags[i] = flag(f)
	}
	return flags
}

// Lookup returns the flag with this name. The name may start with dashes.
func Lookup(name string) (Flag, bool) {
	f, ok := xlaflags.Lookup(strings.TrimLeft(name, "-"))
	if !ok {
		return Flag{}, false
	}
	return flag(f), true
}

// ParseDebugOptions reads flags from a DebugOptions message in protobuf's text
// format, for pjrt.CompileOptions.Flags:
//
//	xla_cpu_enable_fast_math: true
//	xla_dump_to: "/tmp/dump"  # a comment
//	xla_gpu_disable_async_collectives: [ALLREDUCE, ALLGATHER]
//
// Flags that the text does not name keep their defaults. Fields that are messages cannot be set in
// this way. Errors have the code pjrt.ErrInvalidArgument.
func ParseDebugOptions(text string) (map[string]any, error) {
	flags, err := xlaflags.ParseDebugOptions(text)
	if err != nil {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("%v", err)
	}
	return flags, nil
}

// Check returns an error if this value of the environment variable XLA_FLAGS could make a plugin
// end the process: because no known version of XLA has a flag, because a flag does not take its
// value, or because a flag tells XLA to do so, such as
// xla_unsupported_crash_on_hlo_pass_noop_change. Check does not know the version of the plugin, so
// it accepts flags that only other versions have, which also end the process; pjrt.Open finds
// those. Errors have the code pjrt.ErrInvalidArgument.
//
// A value that does not begin with a dash is the name of a file with flags, which Check reads. With
// PJRT_ALLOW_UNKNOWN_XLA_FLAGS=1 in the environment, Check returns nil.
func Check(value string) error {
	if err := xlaflags.Check(value); err != nil {
		return capi.ErrorCodeInvalidArgument.Errorf("XLA_FLAGS: %v", err)
	}
	return nil
}
