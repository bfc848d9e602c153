// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command poll compares the values that checks expect of programs with those that other
// implementations compute, and records which of them agreed.
//
//	poll -python PYTHON [-sample N [-seed SEED]] [-table FILE] [-jobs N]
//
// PYTHON must have jaxlib. The programs run in child processes, since some crash
// StableHLO's interpreter. Without -sample, poll votes on every program and writes the
// table. With it, poll votes on the programs that are new or changed since the table was
// written and on N others, chosen at random, and writes nothing. The exit status is 1 when
// a witness contradicts a value and there is no ruling on it, or when the table is stale.
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/conformance/laboratory/internal/vote"
)

//go:embed evaluate.py model.py
var scripts embed.FS

func main() {
	python := flag.String("python", "python3", "the `PYTHON` that has jaxlib")
	sample := flag.Int("sample", -1, "vote on what the table lacks and on `N` other programs, and write nothing")
	seed := flag.String("seed", time.Now().UTC().Format(time.DateOnly), "the seed that decides which programs are chosen")
	path := flag.String("table", "conformance/laboratory/internal/vote/votes.tsv", "the `FILE` to write")
	jobs := flag.Int("jobs", runtime.GOMAXPROCS(0), "how many child processes to run")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, *python, *path, *sample, *seed, *jobs)
	if err != nil {
		fmt.Fprintln(os.Stderr, "poll:", err)
	}
	if err != nil || !ok {
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, python, path string, sample int, seed string, jobs int) (bool, error) {
	folder, err := unpack()
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(folder)
	old, err := vote.Votes()
	if err != nil && sample >= 0 {
		return false, err
	}
	p := &poll{python: python, folder: folder, old: old, new: make(vote.Table)}
	if sample >= 0 {
		p.chosen = chosen(old, sample, seed)
		fmt.Printf("voting on what changed and on %d other programs, chosen by the seed %s\n", len(p.chosen), seed)
	}
	if err := p.run(ctx, jobs); err != nil {
		return false, err
	}
	fmt.Println(p.summary())
	ok := len(p.wrong) == 0
	if sample < 0 {
		if !ok {
			return false, nil
		}
		return true, os.WriteFile(path, []byte(p.new.String()), 0o644)
	}
	for id := range old {
		if !p.seen[id] {
			p.stale = append(p.stale, id+": there is no such program")
		}
	}
	for _, s := range p.stale {
		fmt.Println("stale:", s)
	}
	if len(p.stale) > 0 {
		fmt.Println("run make votes to write the table anew")
	}
	return ok && len(p.stale) == 0, nil
}

// unpack writes the scripts to a folder.
func unpack() (string, error) {
	folder, err := os.MkdirTemp("", "poll")
	if err != nil {
		return "", err
	}
	for _, name := range []string{"evaluate.py", "model.py"} {
		text, err := scripts.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o600)
		}
		if err != nil {
			return "", fmt.Errorf("unpack %s: %w", name, err)
		}
	}
	return folder, nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
