// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package stablehlo

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
)

// Version is a version of StableHLO: major, minor and patch.
type Version [3]int64

// String returns the version in the form 1.13.3.
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// Compare returns a negative number if v is older than o, a positive number if it is newer, and 0
// if they are equal.
func (v Version) Compare(o Version) int { return slices.Compare(v[:], o[:]) }

// VersionOf returns the version of StableHLO that a portable artifact was written for, which is
// part of the producer's name in the header of the bytecode. It reports false for all other
// programs, which do not state a version.
func VersionOf(code []byte) (Version, bool) {
	header, ok := bytes.CutPrefix(code, []byte(bytecode.Magic))
	if !ok || len(header) == 0 {
		return Version{}, false
	}
	// The version of the bytecode comes first. The number of trailing zeros in its first byte is
	// the number of bytes that follow.
	skip := 1 + bits.TrailingZeros8(header[0])
	if skip > len(header) {
		return Version{}, false
	}
	producer, _, ok := bytes.Cut(header[skip:], []byte{0})
	if !ok {
		return Version{}, false
	}
	text, ok := strings.CutPrefix(string(producer), "StableHLO_v")
	if !ok {
		return Version{}, false
	}
	var v Version
	var rest string
	if n, _ := fmt.Sscanf(text+" ", "%d.%d.%d%s", &v[0], &v[1], &v[2], &rest); n != 3 || v.String() != text {
		return Version{}, false
	}
	return v, true
}

// Versions returns the oldest and newest version of StableHLO whose portable artifacts a plugin
// reads, given the result of its Attributes method. It reports false if the plugin does not say.
func Versions(attributes []capi.Attribute) (oldest, newest Version, ok bool) {
	oldest, ok = version(attributes, "stablehlo_minimum_version")
	if !ok {
		return Version{}, Version{}, false
	}
	newest, ok = version(attributes, "stablehlo_current_version")
	if !ok {
		return Version{}, Version{}, false
	}
	return oldest, newest, true
}

func version(attributes []capi.Attribute, name string) (Version, bool) {
	for _, a := range attributes {
		if v, ok := a.Value.([]int64); ok && a.Name == name && len(v) == 3 {
			return Version(v), true
		}
	}
	return Version{}, false
}
