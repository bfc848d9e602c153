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
		serveMutants(suite.Check, suite.Mutant)
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

// sound stands before the name of a mutant whose Sound is meant.
const sound = "sound "

// serveMutants is the worker: Setup.Fault is one of the above, or the name of a
// mutant.
func serveMutants(checkOf func(name string) (*check.Check, error), mutantOf func(name string) (*mutant.Mutant, error)) {
	var last *serve.Table
	bases := make(map[mutant.Base]*capi.Table)
	session.Serve(session.Program{
		Check: func(_, name string) (*check.Check, error) { return checkOf(name) },
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
			if last, err = wrapped(bases[base], s.Fault, mutantOf); err != nil {
				return nil, err
			}
			return last.Capi(), nil
		},
	})
}

// wrapped puts a fault in front of a plugin.
func wrapped(base *capi.Table, fault string, mutantOf func(name string) (*mutant.Mutant, error)) (*serve.Table, error) {
	if fault == none {
		return serve.Wrap(base)
	}
	name, isSound := strings.CutPrefix(fault, sound)
	m, err := mutantOf(name)
	if err != nil {
		return nil, err
	}
	if isSound {
		return m.Sound(base)
	}
	return m.Table(base)
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
