// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"errors"
	"fmt"
)

// maxErrors is the maximum number of errors that one run prints.
const maxErrors = 10

// firstErrors joins the first errors and says how many more there are. An error in
// a header that several others include counts only once.
func firstErrors(all []error) error {
	seen := make(map[string]bool)
	var list []error
	for _, err := range all {
		if !seen[err.Error()] {
			seen[err.Error()] = true
			list = append(list, err)
		}
	}
	if n := len(list) - maxErrors; n > 0 {
		list = append(list[:maxErrors], fmt.Errorf("and %d more errors: fix these first", n))
	}
	return errors.Join(list...)
}
