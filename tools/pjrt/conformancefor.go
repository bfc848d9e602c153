// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !nosuite

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/conformance/callers"
)

// everyClient is the value of --for that means all clients.
const everyClient = "all"

// predict reports what clients will do with the plugin.
func (f *conformanceFlags) predict(cmd *cobra.Command) error {
	clients := f.clients
	if len(clients) == 1 && clients[0] == everyClient {
		clients = callers.Clients()
	}
	for _, name := range clients {
		if _, err := callers.Lookup(name); err != nil {
			return usageError{fmt.Errorf("--for: %w", err)}
		}
	}
	all, err := conformance.Predict(cmd.Context(), f.Options, clients...)
	if err != nil {
		if cmd.Context().Err() != nil {
			err = errors.New("interrupted before there was any result")
		}
		return usageError{fmt.Errorf("conformance: %w", err)}
	}
	if f.outputs.json != "" {
		text, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		if err := writeWhole(f.outputs.json, append(text, '\n')); err != nil {
			return usageError{err}
		}
	}
	aborts := false
	for _, p := range all {
		aborts = aborts || p.Verdict == callers.Aborts
		if err := printPrediction(cmd.OutOrStdout(), p, f.outputs.verbose); err != nil {
			return err
		}
	}
	if aborts {
		return exitStatus(1)
	}
	return nil
}

// mostCauses is how many causes of an outcome are printed without --verbose.
const mostCauses = 3

// printPrediction prints what a client will do. Without verbose it leaves out the actions that run
// well, and all but the first causes of the others.
func printPrediction(w io.Writer, p *callers.Prediction, verbose bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", p.Client, p.Verdict)
	well := 0
	for _, a := range p.Actions {
		switch {
		case !a.Measured && len(a.Causes) == 0:
			fmt.Fprintf(&b, "  %-14s  %s: not measured\n", a.Name, a.Does)
			continue
		case a.Outcome <= callers.Harmless && a.Outcome != callers.Unreached && !verbose:
			well++
			continue
		}
		fmt.Fprintf(&b, "  %-14s  %s: %s\n", a.Name, a.Does, a.What)
		for i, c := range a.Causes {
			if i == mostCauses && !verbose {
				fmt.Fprintf(&b, "  %-14s    and %d more\n", "", len(a.Causes)-i)
				break
			}
			fmt.Fprintf(&b, "  %-14s    %s\n", "", c)
			if c.Why != "" && verbose {
				fmt.Fprintf(&b, "  %-14s    %s\n", "", c.Why)
			}
		}
	}
	if well > 0 {
		fmt.Fprintf(&b, "  %d of %d user actions run as they should\n", well, len(p.Actions))
	}
	if len(p.Harmless) > 0 {
		var names []string
		for _, c := range p.Harmless {
			names = append(names, c.String())
		}
		fmt.Fprintf(&b, "  harmless: %s\n", strings.Join(names, "; "))
	}
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "  note: %s\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
