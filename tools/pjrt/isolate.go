// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/isolate"
)

// isolation is the flag --isolate.
type isolation bool

func (i *isolation) addTo(cmd *cobra.Command) {
	cmd.Flags().BoolVar((*bool)(i), "isolate", false,
		"compile in a child process: if the compiler crashes, say how, and what it wrote last")
}

// compiler returns the compiler of a child process, or nil to compile with the plugin in this
// process. The caller calls end when it is done.
func (i isolation) compiler() (c compile.Compiler, end func(), err error) {
	if !i {
		return nil, func() {}, nil
	}
	children, err := isolate.New(isolate.Options{})
	if err != nil {
		return nil, nil, err
	}
	return children, func() { children.Close() }, nil
}
