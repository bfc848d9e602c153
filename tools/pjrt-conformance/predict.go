// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/conformance/laboratory"
	"github.com/purepjrt/purepjrt/conformance/laboratory/callers"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func predictCommand() *cobra.Command {
	var s settings
	var asJSON, verbose bool
	var file string
	cmd := &cobra.Command{
		Use:   "predict PLUGIN [CLIENT...]",
		Short: "Predict what JAX and GoMLX do with a plugin",
		Long: `Predict says what clients, which are versions of JAX and of GoMLX's XLA backend, will do
with a plugin, or all that were measured if none is named: for each user action,
whether it runs, raises an exception or ends the process, and because of which
function. It compares what the plugin lacks with measurements of that version.

The clients are ` + strings.Join(callers.Clients(), ", ") + `;
jax and gomlx are the newest of them.

The exit status is 1 if a client would end the process, and 2 if nothing could be
predicted.`,
		Example: `  pjrt-conformance predict ./my_plugin.so jax@0.8.1
  pjrt-conformance predict ./my_plugin.so gomlx
  pjrt-conformance predict ./my_plugin.so --json`,
		Args:              pluginArgs(-1),
		ValidArgsFunction: completeClients,
		RunE: func(cmd *cobra.Command, args []string) error {
			clients := args[1:]
			if len(clients) == 0 {
				clients = callers.Clients()
			}
			for _, name := range clients {
				if _, err := callers.Lookup(name); err != nil {
					return cli.UsageError(fmt.Errorf("predict: %w", err))
				}
			}
			if err := s.prepare(cmd.Context(), args[0]); err != nil {
				return cli.UsageError(err)
			}
			var judged *conformance.Report
			if file != "" {
				var err error
				if judged, err = report.ReadFile(file); err != nil {
					return cli.UsageError(fmt.Errorf("--report: %w", err))
				}
			}
			all, err := laboratory.PredictFrom(cmd.Context(), s.Options, judged, clients...)
			if err != nil {
				if cmd.Context().Err() != nil {
					err = errors.New("interrupted before there was any result")
				}
				return cli.UsageError(fmt.Errorf("predict: %w", err))
			}
			return printPredictions(cmd.OutOrStdout(), all, asJSON, verbose)
		},
	}
	flags := cmd.Flags()
	s.addPlugin(flags)
	flags.BoolVarP(&verbose, "verbose", "v", false, "also print the actions that run, and all causes of the others")
	flags.StringVar(&file, "report", "", "also predict wrong numbers where checks of numbers failed in the JSON report `FILE`")
	flags.BoolVar(&asJSON, "json", false, "print a JSON list")
	return cmd
}

// completeClients completes a plugin, and then clients.
func completeClients(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return cli.CompletePlugins(cmd, args, begun)
	}
	left := slices.DeleteFunc(callers.Clients(), func(c string) bool { return slices.Contains(args[1:], c) })
	return left, cobra.ShellCompDirectiveNoFileComp
}

// printPredictions prints what clients will do. The error gives the exit status.
func printPredictions(w io.Writer, all []*callers.Prediction, asJSON, verbose bool) error {
	if asJSON {
		e := json.NewEncoder(cli.Verbatim(w))
		e.SetIndent("", "  ")
		if err := e.Encode(all); err != nil {
			return err
		}
	}
	aborts := false
	for _, p := range all {
		aborts = aborts || p.Verdict == callers.Aborts
		if asJSON {
			continue
		}
		if err := printPrediction(w, p, verbose); err != nil {
			return err
		}
	}
	if aborts {
		return cli.ExitStatus(1)
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
