// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

var noHandler = regexp.MustCompile(`No FFI handler registered for (\S+)`)

// flagsForFields has the advice for programs in Go, and what a user of this command can do instead.
var flagsForFields = strings.NewReplacer(
	"set AllowUnknownFlags to pass", "use --allow-unknown to pass",
	"Set ClientOptions.AllowUnknown to pass", "Use --allow-unknown to pass",
	", or set Foreign in the LoadOptions to leave the decision to the plugin", "",
	"leave Partitions unset", "leave --partitions out",
	"leave Replicas unset", "leave --replicas out",
	"set Partitions to the number of devices in its mesh, SPMD and Shardy", "set --partitions to the number of devices in its mesh",
	"set Partitions to that number, and SPMD", "set --partitions to that number",
	"set Replicas or Partitions", "set --replicas or --partitions",
)

// forCommand replaces advice for programs in Go, which names functions and fields, with what a user
// of the command can do.
func forCommand(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if m := noHandler.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("the program calls %s, which is not part of it, and this command has handlers only for JAX's linear algebra: "+
			"run it in a Go program that registers one, as pjrt/examples/customcall does", m[1])
	}
	if advice := flagsForFields.Replace(text); advice != text {
		return advised{err, advice}
	}
	return err
}

// advised is an error with other advice.
type advised struct {
	error
	text string
}

func (a advised) Error() string { return a.text }
func (a advised) Unwrap() error { return a.error }

// addAllowUnknown adds the flag that the advice of flagsForFields names.
func addAllowUnknown(cmd *cobra.Command, allow *bool) {
	cmd.Flags().BoolVar(allow, "allow-unknown", false,
		"pass on flags and options that no known plugin has, or that are known to end the process")
}
