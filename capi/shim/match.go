// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"fmt"
	"path"
	"strings"

	"github.com/purepjrt/purepjrt/capi/describe"
)

// Names of functions may be written without PJRT_ at the start, and with * for any characters.

// match reports whether a pattern matches the name of a function.
func match(pattern, name string) bool {
	for _, n := range []string{name, strings.TrimPrefix(name, "PJRT_")} {
		if ok, _ := path.Match(pattern, n); ok {
			return true
		}
	}
	return false
}

// checkPattern returns an error for a malformed pattern, or one that matches no function.
func checkPattern(pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil {
		return fmt.Errorf("%q is not a pattern: %w", pattern, err)
	}
	for _, f := range describe.Functions() {
		if match(pattern, f.Name) {
			return nil
		}
	}
	return fmt.Errorf("%q is not a PJRT function: write it as PJRT_Client_Create, or with * for any characters", pattern)
}

func checkPatterns(patterns []string) error {
	for _, p := range patterns {
		if err := checkPattern(strings.TrimPrefix(p, "-")); err != nil {
			return err
		}
	}
	return nil
}

// selected reports whether a list of patterns selects a function. No pattern with a minus may match
// it and, if there are patterns without a minus, one of them must.
func selected(patterns []string, name string) bool {
	chosen := true
	for _, p := range patterns {
		if rest, not := strings.CutPrefix(p, "-"); not {
			if match(rest, name) {
				return false
			}
		} else {
			chosen = false
		}
	}
	for _, p := range patterns {
		if !strings.HasPrefix(p, "-") && match(p, name) {
			return true
		}
	}
	return chosen
}
