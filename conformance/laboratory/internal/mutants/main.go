// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command mutants shows that the checks of the conformance suite have teeth: it runs
// each check on every faulty plugin that the check must fail on, and on the same plugin
// without the fault, on which it must pass.
//
//	mutants [-profile quick] [-run REGEXP] [-jobs N] [-v]
//
// It prints how many faults were found, and which were not. If the plugin lacks what a
// check is about, or breaks the rule itself, the fault is still found, but nothing
// shows that the check passes without it: such faults are counted separately. Faults of
// the file are libraries in C, which are tried if there is a compiler. The exit status
// is 1 if a fault was not found.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant/trial"
	"github.com/purepjrt/purepjrt/conformance/internal/suite"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

func main() {
	if _, ok := worker.Asked(); ok {
		trial.Serve(suite.Check, mutantOf)
	}
	run := flag.String("run", "", "try only mutants whose names match `REGEXP`")
	size := flag.String("profile", "quick", "try the checks of the profile `PROFILE`: smoke, quick, core or full")
	jobs := flag.Int("jobs", 0, "how many processes at a time")
	verbose := flag.Bool("v", false, "print every mutant")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	filter, err := regexp.Compile(*run)
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutants: -run: %v\n", err)
		os.Exit(2)
	}
	profile, err := check.ParseProfile(*size)
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutants: -profile: %v\n", err)
		os.Exit(2)
	}
	install, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	path, err := plugins.Install(install, "cpu", plugins.InstallOptions{})
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutants: %v\n", err)
		os.Exit(2)
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutants: %v\n", err)
		os.Exit(2)
	}
	t := &tally{
		checks: suite.Checks(), mutants: allMutants(), plugins: trial.Plugins{CPU: path, Dir: dir},
		filter: filter, profile: profile, jobs: *jobs,
	}
	err = t.run(ctx)
	_ = os.RemoveAll(dir)
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutants: %v\n", err)
		os.Exit(2)
	}
	if !t.print(os.Stdout, *verbose) {
		os.Exit(1)
	}
}
