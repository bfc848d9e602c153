// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command pjrt installs PJRT plugins, shows what they can do, and compiles and
// runs StableHLO programs on them, without a C compiler.
//
//	pjrt install cpu                             install XLA's CPU plugin
//	pjrt uninstall cpu                           remove it
//	pjrt list [PLUGIN...] [--json]               list the plugins on this machine
//	pjrt doctor [PLUGIN...] [--json]             find out what keeps plugins from working
//	pjrt info [PLUGIN] [--json]                  show versions, devices, functions, extensions
//	pjrt compile PROGRAM [--topology NAME]       compile a program, also for absent devices
//	pjrt run PROGRAM [ARG.npy[:TYPE]]...         run a program, compiled or not, and print its results
//	pjrt cache list|size|prune|verify            inspect and clean the cache of compiled programs
//	pjrt trace COMMAND...                        show the calls that a program makes to a plugin
//	pjrt replay SESSION                          repeat the recorded calls of a client
//	pjrt conformance COMMAND...                  check a plugin against the contract, by pjrt-conformance
//	pjrt version                                 show the version of this command
//
// List, info and doctor use plugins in child processes, since a plugin may end the process that
// uses it.
//
// Results go to standard output. Errors and progress go to standard error; an error is one line, or
// two if a search found nothing. On a terminal, text fits its width. The exit status is 0 for
// success, 1 for a failure, 2 for a wrong command line and 130 after Ctrl-C.
//
// Programs that use package pjrt/isolate can compile in this command, as the flag --isolate of run
// and compile does.
//
// Package pjrt/trace is linked in: PJRT_TRACE=stderr shows the calls that a
// command makes to a plugin.
package main

import (
	"github.com/spf13/cobra"

	_ "github.com/purepjrt/purepjrt/extensions/ffi/lapack" // for programs of JAX that call LAPACK
	"github.com/purepjrt/purepjrt/pjrt/isolate"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func main() {
	isolate.Main()
	trialMain()
	cli.Main(rootCommand())
}

func rootCommand() *cobra.Command {
	root := cli.New("pjrt", "Install and inspect PJRT plugins, and run StableHLO programs on them",
		installCommand(), uninstallCommand(), listCommand(), infoCommand(), doctorCommand(), compileCommand(),
		runCommand(), cacheCommand(), traceCommand(), replayCommand(), conformanceCommand())
	addCompletions(root)
	return root
}
