// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/purepjrt/purepjrt/conformance/internal/corpus"
)

// peerSuffix at the end of a worker's token makes it the process of the second plugin.
const peerSuffix = "/against"

// chooseCorpus makes a suite of the programs that the options name.
func (o *Options) chooseCorpus() error {
	if o.Programs == "" && o.StableHLO == "" && o.Against == "" {
		return nil
	}
	if o.suite != "" {
		return errors.New("a suite for tests cannot run programs")
	}
	if o.FuzzRounds < 0 {
		return fmt.Errorf("the number of rounds of fuzzed inputs is %d; it cannot be negative", o.FuzzRounds)
	}
	spec := corpus.Spec{Programs: o.Programs, StableHLO: o.StableHLO}
	if o.Against != "" {
		path, err := filepath.Abs(o.Against)
		if err != nil {
			return err
		}
		spec.Against = &corpus.Peer{
			Plugin: path, Options: options(o.AgainstOptions), Rounds: o.FuzzRounds, Seed: o.Seed,
			Args: o.WorkerArgs, Token: o.token + peerSuffix, Factor: o.TimeoutFactor,
		}
		if o.Reproducers != "" {
			if spec.Against.Reproducers, err = filepath.Abs(o.Reproducers); err != nil {
				return err
			}
		}
	}
	// The suite's own waivers are for the checks of the contract.
	o.NoKnownWaivers = true
	var err error
	if o.suite, err = spec.Suite(); err != nil {
		return err
	}
	o.programs, _, err = corpus.Parse(o.suite) // with absolute paths
	return err
}

// subcommand returns the words of the command line that say what to run on which plugin.
func (o *Options) subcommand() []string {
	words := []string{"run", quote(o.Plugin)}
	switch {
	case o.Against != "":
		words[0] = "compare"
		words = append(words, quote(o.Against))
	case o.Programs != "" || o.StableHLO != "":
		words[0] = "programs"
	}
	if o.Programs != "" {
		words = append(words, quote(o.Programs))
	}
	if o.StableHLO != "" {
		words = append(words, "--stablehlo", quote(o.StableHLO))
	}
	if o.Against != "" {
		words = o.addOptions(words, "--reference-option", o.AgainstOptions)
		words = append(words, "--fuzz", strconv.Itoa(o.FuzzRounds), "--seed", strconv.FormatUint(o.Seed, 10))
	}
	return words
}
