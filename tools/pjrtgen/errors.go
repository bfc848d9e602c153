// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"errors"
	"fmt"
)

// maxErrors is how many errors one run prints.
const maxErrors = 10

// firstErrors joins the first of the errors and says how many there are besides.
// Headers that include one with an error all have that error; it counts once.
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
		list = append(list[:maxErrors], fmt.Errorf("and %d more errors: mend these first", n))
	}
	return errors.Join(list...)
}
