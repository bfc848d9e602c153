// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package library holds the checks of what a plugin is as a library: its table,
// the sizes of structs, errors, attributes and the chain of extensions.
package library

import "github.com/purepjrt/purepjrt/conformance/internal/check"

// Checks returns the checks of the groups LOAD, SKEW, ERR, ATTR and XCH.
func Checks() []check.Check {
	var all []check.Check
	for _, list := range [][]check.Check{loadChecks, skewChecks(), errorChecks, payloadChecks, attributeChecks, chainChecks} {
		all = append(all, list...)
	}
	return all
}

// Unobservable are the rules that no check of this package looks at, with the
// reasons.
var Unobservable = map[string]string{
	"LOAD-13": "it takes a second plugin of another maker in the same process, and a run has one; a copy of the file would meet itself in its own files, locks and devices",
}
