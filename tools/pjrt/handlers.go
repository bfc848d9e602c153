// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"regexp"
)

var noHandler = regexp.MustCompile(`No FFI handler registered for (\S+)`)

// withoutHandler says what a user of the command can do about a custom call that has no handler,
// in place of the advice for programs in Go.
func withoutHandler(err error) error {
	if err == nil {
		return nil
	}
	m := noHandler.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	return fmt.Errorf("the program calls %s, which is not part of it, and this command has handlers only for JAX's linear algebra: "+
		"run it in a Go program that registers one, as pjrt/examples/customcall does", m[1])
}
