// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// The suite's own command, and its package.
const (
	suiteCommand = "pjrt-conformance"
	suitePackage = "github.com/purepjrt/purepjrt/tools/" + suiteCommand
)

func conformanceCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "conformance COMMAND...",
		Short: "Check a plugin against the contract of the PJRT API, by pjrt-conformance",
		Long: `Conformance hands its arguments over to the command pjrt-conformance, which is
installed apart because it is large:

  go install ` + suitePackage + `@latest

It looks for that command beside pjrt, then where go install puts commands, then in
the absolute folders of PATH.`,
		Example:            "  pjrt conformance run ./my_plugin.so\n  pjrt conformance --help",
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			path := findSuite()
			if path == "" {
				return cli.UsageError(fmt.Errorf("conformance: %s is not installed; run: go install %s@%s",
					suiteCommand, suitePackage, releaseVersion()))
			}
			return handOver(path, args)
		},
	}
}

// findSuite returns the absolute path of the suite's command, or "" if it is not found.
func findSuite() string {
	var folders []string
	if self, err := os.Executable(); err == nil {
		folders = append(folders, filepath.Dir(self))
		if real, err := filepath.EvalSymlinks(self); err == nil {
			folders = append(folders, filepath.Dir(real))
		}
	}
	folders = append(folders, installFolders()...)
	folders = append(folders, filepath.SplitList(os.Getenv("PATH"))...)
	for _, dir := range folders {
		if !filepath.IsAbs(dir) {
			continue // what a relative folder has depends on where pjrt is started
		}
		if path, err := exec.LookPath(filepath.Join(dir, suiteCommand)); err == nil {
			return path
		}
	}
	return ""
}

// installFolders returns where go install puts commands.
func installFolders() []string {
	if dir := os.Getenv("GOBIN"); dir != "" {
		return []string{dir}
	}
	home, _ := os.UserHomeDir() // without one, the folder is relative
	var folders []string
	for _, dir := range filepath.SplitList(cmp.Or(os.Getenv("GOPATH"), filepath.Join(home, "go"))) {
		folders = append(folders, filepath.Join(dir, "bin"))
	}
	return folders
}
