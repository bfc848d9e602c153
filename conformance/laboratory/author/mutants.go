// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant/trial"
	"github.com/purepjrt/purepjrt/conformance/internal/suite"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

var mutantsCommand = command{"mutants", "[flags]", `
Shows that the checks of the conformance suite have teeth: it runs each check on every faulty plugin
that the check must fail on, and on the same plugin without the fault, on which it must pass. It
prints how many faults were found, and which were not, and fails if there are such.

If the plugin lacks what a check is about, the check is tried on a newer one, too. If that lacks it as
well, the fault is unproven, which is an error in the profiles smoke and quick. If the check fails
without the fault as well, the fault is found, but nothing shows that the check passes without it:
such faults are counted separately. Faults of the file are libraries in C, which are tried if there is
a compiler.
`, func(flags *flag.FlagSet) func(context.Context, []string) error {
	run := flags.String("run", "", "try only mutants whose names match `REGEXP`")
	size := flags.String("profile", "quick", "try the checks of the profile `PROFILE`: smoke, quick, core or full")
	jobs := flags.Int("jobs", 0, "how many processes at a time")
	verbose := flags.Bool("v", false, "print every mutant")
	return func(ctx context.Context, _ []string) error {
		filter, err := regexp.Compile(*run)
		if err != nil {
			return fmt.Errorf("-run: %w", err)
		}
		profile, err := check.ParseProfile(*size)
		if err != nil {
			return fmt.Errorf("-profile: %w", err)
		}
		install, cancel := context.WithTimeout(ctx, 10*time.Minute)
		defer cancel()
		path, err := plugins.Install(install, trial.CPU, plugins.InstallOptions{})
		if err != nil {
			return err
		}
		newer, err := plugins.Install(install, trial.NewerCPU, plugins.InstallOptions{})
		if err != nil {
			return err
		}
		dir, err := os.MkdirTemp("", "mutants")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		t := &tally{
			checks: suite.Checks(), mutants: allMutants(), plugins: trial.Plugins{CPU: path, Dir: dir},
			newer: newer, filter: filter, profile: profile, jobs: *jobs,
		}
		if err := t.run(ctx); err != nil {
			return err
		}
		if !t.print(os.Stdout, *verbose) {
			return errors.New("mend the checks that miss faults marked ALIVE, and find a plugin that can have the faults marked unproven")
		}
		return nil
	}
}}
