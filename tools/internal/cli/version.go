// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/capi"
)

func versionCommand(name string) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the versions of " + name + " and of the PJRT API that it knows",
		Args:  Args(cobra.ExactArgs(0)),
		RunE:  func(cmd *cobra.Command, _ []string) error { return printVersion(cmd) },
	}
}

// printVersion is what the command version and the flag --version do.
func printVersion(cmd *cobra.Command) error {
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s, PJRT API %d.%d, %s %s/%s\n",
		cmd.Root().Name(), Version(), capi.APIMajor, capi.APIMinor, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// Version returns the module version that the go command recorded: a release, or a revision if the
// command was built in a checkout.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown version)"
	}
	return info.Main.Version
}
