// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"fmt"
	"path"
	"strings"

	"github.com/purepjrt/purepjrt/capi/describe"
)

// Names of functions may be written without the PJRT_ in front, and with * for
// any characters.

// match reports whether a pattern means the function of that name.
func match(pattern, name string) bool {
	for _, n := range []string{name, strings.TrimPrefix(name, "PJRT_")} {
		if ok, _ := path.Match(pattern, n); ok {
			return true
		}
	}
	return false
}

// checkPattern returns an error for a pattern that is none, or that means no
// function at all.
func checkPattern(pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil {
		return fmt.Errorf("%q is no pattern: %w", pattern, err)
	}
	for _, f := range describe.Functions() {
		if match(pattern, f.Name) {
			return nil
		}
	}
	return fmt.Errorf("%q is no PJRT function: write it as PJRT_Client_Create, or with * for any characters", pattern)
}

func checkPatterns(patterns []string) error {
	for _, p := range patterns {
		if err := checkPattern(strings.TrimPrefix(p, "-")); err != nil {
			return err
		}
	}
	return nil
}

// selected reports whether a list of patterns chooses a function: one that no
// pattern with a minus means, and, if there are others, one of those does.
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
