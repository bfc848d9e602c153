// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command pjrt-conformance checks PJRT plugins against the contract of the API, without a C
// compiler.
//
//	pjrt-conformance run PLUGIN                     check a plugin
//	pjrt-conformance plan PLUGIN                    say what run would do
//	pjrt-conformance debug PLUGIN CHECK             run one check in this process, for a debugger
//	pjrt-conformance programs PLUGIN [DIR]          run programs with known results
//	pjrt-conformance compare PLUGIN REFERENCE [DIR] compare the results of two plugins
//	pjrt-conformance predict PLUGIN [CLIENT...]     predict what JAX and GoMLX do with a plugin
//	pjrt-conformance list [TEXT...]                 list the rules of the contract
//	pjrt-conformance lists [LIST]                   list the checks by which plugins are judged
//	pjrt-conformance diff BEFORE.json AFTER.json    compare two reports
//	pjrt-conformance page REPORT.json|DIR...        make one page from several reports
//	pjrt-conformance merge REPORT.json|DIR...       merge the reports of the parts of a run
//	pjrt-conformance draft-waivers REPORT.json      write waivers of the failures in a report
//	pjrt-conformance version                        show the version of this command
//
// PLUGIN is a path, or a name such as cpu. The command pjrt installs plugins, and hands over to
// this command as pjrt conformance.
//
// The exit status of commands that check a plugin is 0 if it conforms, or if all failures are
// waived; 1 if it does not conform; 2 if nothing could be run; 130 if Ctrl-C interrupted the run.
// Files of reports are written while checks run, so that they exist whatever ends the run.
//
// Package pjrt/trace is linked in: PJRT_TRACE=stderr shows the calls that a check makes to a
// plugin.
package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/conformance/laboratory"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

const name = "pjrt-conformance"

func main() { cli.Main(rootCommand()) }

func rootCommand() *cobra.Command {
	return cli.New(name, "Check PJRT plugins against the contract of the API",
		runCommand(), planCommand(), debugCommand(), programsCommand(), compareCommand(), predictCommand(),
		listCommand(), listsCommand(), diffCommand(), pageCommand(), mergeCommand(), draftCommand(), workerCommand())
}

func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Run checks; the other commands start this one",
		Hidden: true,
		Args:   cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			conformance.Worker()
			laboratory.Worker()
			return cli.UsageError(errors.New("worker: only the other commands of " + name + " start it"))
		},
	}
}

// self returns the name or the path by which a shell finds this program.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return name
	}
	found, err := exec.LookPath(name)
	if err == nil && sameFile(found, path) || strings.Contains(path, "go-build") {
		return name // go run removes the program when it ends
	}
	return path
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
