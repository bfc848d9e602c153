// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/suite"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/internal/python"
)

//go:embed artifacts.py
var artifactsScript string

// Large constants are not worth the space: bounds of texts, and of artifacts when compressed.
const (
	longestText     = 3 << 20
	largestArtifact = 16 << 10
)

var artifactsCommand = command{"artifacts", "[flags] PLUGIN...", `
Writes the table of portable artifacts that stand for the programs of the checks on plugins that
take no text. It runs the checks on the plugins, keeps every program that they compile, and has JAX
write the artifacts. With -from it uses the programs in the folder, too, and keeps the others there.
With -add the table keeps what it has, and JAX writes only what it lacks.
`, func(flags *flag.FlagSet) func(context.Context, []string) error {
	interpreter := flags.String("python", python.Default(), "the `PYTHON` that has JAX")
	table := flags.String("table", "conformance/internal/check/artifacts/programs.gz", "the `FILE` to write")
	profile := flags.String("profile", "full", "the `PROFILE` whose checks run")
	add := flags.Bool("add", false, "add to the table")
	from := flags.String("from", "", "the `FOLDER` with programs of an earlier run")
	return func(ctx context.Context, plugins []string) error {
		dir := *from
		if dir == "" {
			var err error
			if dir, err = os.MkdirTemp("", "programs"); err != nil {
				return err
			}
			defer os.RemoveAll(dir)
		}
		p, err := conformance.ParseProfile(*profile)
		if err != nil {
			return err
		}
		for _, plugin := range plugins {
			_, err := conformance.Run(ctx, conformance.Options{Plugin: plugin, Profile: p, NoReruns: true, Suite: keptSuite(dir)})
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
		}
		texts, err := keptTexts(dir)
		if err != nil {
			return err
		}
		if *add {
			texts = slices.DeleteFunc(texts, func(text string) bool {
				_, ok := check.Portable(text)
				return ok
			})
		}
		artifacts, err := writtenByJAX(ctx, *interpreter, texts)
		if err != nil {
			return err
		}
		var file bytes.Buffer
		if err := check.WritePortable(&file, artifacts, *add); err != nil {
			return err
		}
		fmt.Printf("%d of %d programs have new artifacts: the table has %d bytes\n", len(artifacts), len(texts), file.Len())
		return os.WriteFile(*table, file.Bytes(), 0o644)
	}
}}

// keptSuite is the suite of the contract, whose workers keep the programs in the folder of that
// name.
type keptSuite string

// keptToken is the token of the workers of a keptSuite.
const keptToken = "kept"

func (s keptSuite) Token() string { return keptToken }

func (s keptSuite) Prepare(worker.Command, float64) (string, []check.Check, error) {
	return string(s), suite.Checks(), nil
}

func (s keptSuite) Find(_, name string) (*check.Check, error) { return suite.Check(name) }

func (s keptSuite) ServePeer(string, string) {}

func (s keptSuite) Tally([]report.Result) *report.Programs { return nil }

func (s keptSuite) CommandLine(string, func(session.Option) string) []string { return nil }

// serveKept makes this process a worker of a keptSuite. It does not return.
func serveKept() {
	session.Serve(session.Program{Check: keptSuite("").Find, Open: func(setup session.Setup) (*capi.Table, error) {
		table, err := capi.Open(setup.Plugin)
		if err != nil {
			return nil, err
		}
		return session.Keep(table, setup.Suite)
	}})
}

// keptTexts returns the texts in a folder that are not too long.
func keptTexts(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "program*"))
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	var texts []string
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if len(code) > longestText || !utf8.Valid(code) || seen[string(code)] {
			continue // bytecode and HLO are no UTF-8
		}
		seen[string(code)] = true
		texts = append(texts, string(code))
	}
	return texts, nil
}

// writtenByJAX returns the artifacts of texts, as far as there are any.
func writtenByJAX(ctx context.Context, interpreter string, texts []string) (map[string][]byte, error) {
	interpreter, err := python.Find(interpreter)
	if err != nil {
		return nil, err
	}
	jax := python.Command(ctx, interpreter, nil, artifactsScript)
	jax.Stderr = os.Stderr
	in, err := jax.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := jax.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := jax.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer in.Close()
		w := json.NewEncoder(in)
		for _, text := range texts {
			if w.Encode(text) != nil {
				return // what it answers is too short then
			}
		}
	}()
	artifacts, err := readAnswers(out, texts)
	return artifacts, errors.Join(err, jax.Wait())
}

func compressedSize(data []byte) (int, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(data)
	return b.Len(), errors.Join(err, z.Close())
}

// readAnswers reads what the script says about each text.
func readAnswers(out io.Reader, texts []string) (map[string][]byte, error) {
	artifacts := make(map[string][]byte)
	answers := json.NewDecoder(bufio.NewReader(out))
	for _, text := range texts {
		var answer struct {
			Artifact []byte
			Error    string
		}
		if err := answers.Decode(&answer); err != nil {
			return nil, fmt.Errorf("the answer about %.80q: %w", text, err)
		}
		if answer.Error != "" {
			fmt.Printf("%.80q: %s\n", text, answer.Error)
			continue
		}
		size, err := compressedSize(answer.Artifact)
		if err != nil {
			return nil, err
		}
		if size <= largestArtifact {
			artifacts[text] = answer.Artifact
		}
	}
	return artifacts, nil
}
