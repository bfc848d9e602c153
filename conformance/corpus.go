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

// corpusFlags returns the flags of the command line that name the programs.
func (o *Options) corpusFlags() []string {
	var words []string
	add := func(flag, value string) {
		if value != "" {
			words = append(words, flag, quote(value))
		}
	}
	add("--programs", o.Programs)
	add("--stablehlo", o.StableHLO)
	if o.Against == "" {
		return words
	}
	add("--against", o.Against)
	words = o.addOptions(words, "--against-option", o.AgainstOptions)
	add("--fuzz", strconv.Itoa(o.FuzzRounds))
	add("--seed", strconv.FormatUint(o.Seed, 10))
	return words
}
