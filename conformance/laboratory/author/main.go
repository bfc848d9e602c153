// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command author is for the authors of the conformance suite. It begins checks, and proves and
// measures what the suite rests on. Run it in the root of the repository:
//
//	go run ./conformance/laboratory/author COMMAND [flags] [arguments]
//
// The commands are new, mutants, freeze, compiles, measure, votes and artifacts. Each tells with -h
// what it does.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/mutant/trial"
	"github.com/purepjrt/purepjrt/conformance/internal/suite"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
)

// command is a subcommand. set declares its flags, and returns what does the work.
type command struct {
	name, usage, what string
	set               func(flags *flag.FlagSet) func(ctx context.Context, args []string) error
}

var commands = []command{newCommand, mutantsCommand, freezeCommand, compilesCommand, measureCommand, votesCommand, artifactsCommand}

func main() {
	if token, ok := worker.Asked(); ok {
		if token == keptToken {
			serveKept()
		}
		trial.Serve(suite.Check, mutantOf)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
		if len(os.Args) < 2 || os.Args[1] != c.name {
			continue
		}
		flags := flag.NewFlagSet(c.name, flag.ExitOnError)
		do := c.set(flags)
		flags.Usage = func() {
			fmt.Fprintf(flags.Output(), "usage: author %s %s\n\n%s\n", c.name, c.usage, strings.TrimSpace(c.what))
			flags.PrintDefaults()
		}
		_ = flags.Parse(os.Args[2:])
		if err := do(ctx, flags.Args()); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", c.name, err)
			os.Exit(1)
		}
		return
	}
	fmt.Fprintf(os.Stderr, "usage: author %s [flags] [arguments]; each tells with -h what it does\n", strings.Join(names, "|"))
	os.Exit(2)
}
