// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
)

// Token identifies the workers whose checks are programs.
const Token = "programs"

// peerSuffix at the end of a worker's token makes it the process of the second plugin.
const peerSuffix = "/reference"

// Token returns Token.
func (s *Spec) Token() string { return Token }

// Prepare makes the paths of s absolute, and returns the specification as text, and a check for
// each program. self starts this program as a worker; factor multiplies time limits, and 0 means 1.
func (s *Spec) Prepare(self worker.Command, factor float64) (name string, checks []check.Check, err error) {
	paths := []*string{&s.Programs, &s.StableHLO}
	if p := s.Against; p != nil {
		if p.Rounds < 0 {
			return "", nil, fmt.Errorf("the number of rounds of random inputs is %d; it cannot be negative", p.Rounds)
		}
		p.Args, p.Token, p.Factor = self.Args, self.Token+peerSuffix, factor
		paths = append(paths, &p.Plugin, &p.Reproducers)
	}
	for _, path := range paths {
		if *path != "" {
			if *path, err = filepath.Abs(*path); err != nil {
				return "", nil, err
			}
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		return "", nil, err
	}
	checks, err = s.Checks()
	return string(text), checks, err
}

// prepared caches the checks of the specifications that a worker was told of.
var prepared sync.Map

// Find returns a check of the specification that Prepare returned as text.
func (*Spec) Find(text, name string) (*check.Check, error) {
	checks, ok := prepared.Load(text)
	if !ok {
		var s Spec
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			return nil, fmt.Errorf("which programs to run: %w", err)
		}
		made, err := s.Checks()
		if err != nil {
			return nil, err
		}
		checks, _ = prepared.LoadOrStore(text, made)
	}
	return check.Find(checks.([]check.Check), name)
}

// ServePeer makes this process the one of the second plugin, if the process of the first plugin,
// whose token is given, asked for that.
func (*Spec) ServePeer(asked, token string) {
	if asked == token+peerSuffix {
		Serve()
	}
}

// CommandLine returns the words that run the programs on a plugin.
func (s *Spec) CommandLine(plugin string, text func(session.Option) string) []string {
	words := []string{"programs", plugin}
	if s.Against != nil {
		words = []string{"compare", plugin, s.Against.Plugin}
	}
	if s.Programs != "" {
		words = append(words, s.Programs)
	}
	if s.StableHLO != "" {
		words = append(words, "--stablehlo", s.StableHLO)
	}
	if p := s.Against; p != nil {
		for _, option := range p.Options {
			words = append(words, "--reference-option", text(option))
		}
		words = append(words, "--fuzz", strconv.Itoa(p.Rounds), "--seed", strconv.FormatUint(p.Seed, 10))
	}
	return words
}
