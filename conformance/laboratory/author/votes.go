// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"flag"
	"runtime"
	"time"

	"github.com/purepjrt/purepjrt/conformance/laboratory/internal/vote"
)

var votesCommand = command{"votes", "[flags]", `
Compares the values that checks expect of programs with those that other implementations compute,
and records which of them agreed. Without flags, it votes on every program and writes the table. With
-changed it does so only for the programs that are new or changed since the table was written. With
-sample, it votes on those and on N others, chosen at random, and writes nothing. It fails when a witness contradicts a value and there
is no ruling on it, or when the table is stale.
`, func(flags *flag.FlagSet) func(context.Context, []string) error {
	var p vote.Poll
	flags.StringVar(&p.Python, "python", "python3", "the `PYTHON` that has jaxlib")
	flags.IntVar(&p.Sample, "sample", -1, "vote on what the table lacks and on `N` other programs, and write nothing")
	flags.BoolVar(&p.Changed, "changed", false, "vote only on what the table lacks, and keep its other rows")
	flags.StringVar(&p.Seed, "seed", time.Now().UTC().Format(time.DateOnly), "the seed that decides which programs are chosen")
	flags.StringVar(&p.Table, "table", "conformance/laboratory/internal/vote/votes.tsv", "the `FILE` to write")
	flags.IntVar(&p.Jobs, "jobs", runtime.GOMAXPROCS(0), "how many child processes to run")
	return func(ctx context.Context, _ []string) error { return p.Run(ctx) }
}}
