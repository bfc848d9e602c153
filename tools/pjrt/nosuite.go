// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build nosuite

package main

import "github.com/spf13/cobra"

// conformanceCommand returns nil: the build tag nosuite leaves the suite out of the command.
func conformanceCommand() *cobra.Command { return nil }
