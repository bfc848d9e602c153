// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command trial shows that the checks of the conformance suite have teeth: it
// runs each on every faulty plugin that it must not pass, and on the same plugin
// without a fault, which it must.
//
//	trial [-profile quick] [-run REGEXP] [-jobs N] [-v]
//
// It prints how many faults were found, and those that were not. Where the plugin
// has not what a check is about, or breaks the rule itself, the fault is found on
// it all the same, but nothing shows that the check passes without it: those are
// counted apart. Faults of the file are libraries in C, which are tried where there
// is a compiler. The exit status is 1 when a fault was not found.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/conformance/internal/reference"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/suite"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

func main() {
	if _, ok := worker.Asked(); ok {
		serveMutants(suite.Checks(), suite.Mutants())
	}
	run := flag.String("run", "", "try only mutants whose names match `REGEXP`")
	size := flag.String("profile", "quick", "the checks of which `PROFILE`: smoke, quick, core or full")
	jobs := flag.Int("jobs", 0, "how many at a time")
	verbose := flag.Bool("v", false, "print every mutant")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	filter, err := regexp.Compile(*run)
	if err != nil {
		fmt.Fprintf(os.Stderr, "trial: -run: %v\n", err)
		os.Exit(2)
	}
	profile, err := check.ParseProfile(*size)
	if err != nil {
		fmt.Fprintf(os.Stderr, "trial: -profile: %v\n", err)
		os.Exit(2)
	}
	install, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	path, err := plugins.Install(install, "cpu", plugins.InstallOptions{})
	if err != nil {
		fmt.Fprintf(os.Stderr, "trial: %v\n", err)
		os.Exit(2)
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		fmt.Fprintf(os.Stderr, "trial: %v\n", err)
		os.Exit(2)
	}
	t := &trial{checks: suite.Checks(), mutants: suite.Mutants(), plugin: path, dir: dir, filter: filter, profile: profile, jobs: *jobs}
	err = t.run(ctx)
	_ = os.RemoveAll(dir)
	if err != nil {
		fmt.Fprintf(os.Stderr, "trial: %v\n", err)
		os.Exit(2)
	}
	if !t.print(os.Stdout, *verbose) {
		os.Exit(1)
	}
}

// none is the fault of a plugin that has none, which is wrapped all the same.
const none = "none"

// library is the fault of a library, which has it in itself.
const library = "library"

// sound stands before the number of a mutant whose Sound is meant.
const sound = "sound "

// serveMutants is the worker: Setup.Fault is a base and the number of a mutant.
func serveMutants(checks []check.Check, mutants []mutant.Mutant) {
	var last *serve.Table
	bases := make(map[mutant.Base]*capi.Table)
	session.Serve(session.Program{
		Checks: func(string) ([]check.Check, error) { return checks, nil },
		Open: func(s session.Setup) (*capi.Table, error) {
			if last != nil {
				// One that is still in use is left to the end of the process.
				_ = last.Close()
				last = nil
			}
			if s.Fault == library {
				return capi.Open(s.Plugin)
			}
			base := mutant.CPU
			if s.Plugin == "" {
				base = mutant.Memory
			}
			if bases[base] == nil {
				t, err := openBase(base, s.Plugin)
				if err != nil {
					return nil, err
				}
				bases[base] = t
			}
			var err error
			number, made := strings.CutPrefix(s.Fault, sound)
			if i, e := strconv.Atoi(number); made && e == nil && i >= 0 && i < len(mutants) && mutants[i].Sound != nil {
				last, err = mutants[i].Sound(bases[base])
			} else if s.Fault == none {
				last, err = serve.Wrap(bases[base])
			} else if i, e := strconv.Atoi(s.Fault); e != nil || i < 0 || i >= len(mutants) {
				return nil, fmt.Errorf("there is no mutant %q", s.Fault)
			} else {
				last, err = mutants[i].Table(bases[base])
			}
			if err != nil {
				return nil, err
			}
			return last.Capi(), nil
		},
	})
}

func openBase(base mutant.Base, path string) (*capi.Table, error) {
	if base == mutant.CPU {
		if err := plugins.Prepare(path); err != nil {
			return nil, err
		}
		return capi.Open(path)
	}
	return reference.New()
}
