// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func listCommand() *cobra.Command {
	var asJSON, usableOnly bool
	var opts plugins.ListOptions
	trials := trialOptions{which: tryShared}
	cmd := &cobra.Command{
		Use:   "list [PLUGIN...]",
		Short: "List the plugins on this machine, and why some are not usable",
		Long: `List shows every plugin that it can find, the preferred platform first, or only
those given by name (cuda13), platform (cuda), alias (gpu) or path.

STATE is usable; no device, if the plugin can be loaded but finds no device or
driver; no client, if it does not make a client; or broken. The reasons follow below
the table.

A child process makes a client of each plugin that is given by name or path or, if
none is, of each usable one whose devices programs share. --try=all also tries those
whose devices a program may need for itself, such as GPUs, and --try=none loads
no plugin.

With --json it prints a list of objects, in the same order:

  name, platform    the name of the plugin, and the kind of its devices
  path              the library, or the file or directory that could not be read
  origin, detail    where it was found
  priority          the priority of its platform
  experimental      used only when asked for
  fail_quietly      skipped if it is not usable
  usable            can be loaded and finds devices
  problem           why it cannot be loaded; omitted if it can
  hardware          why it finds no devices; omitted if no reason is known
  tried             a client was made, or should have been
  client_error      why there is no client; omitted if there is one
  needs             missing libraries; omitted if there are none
  version, api      of its Python distribution and of PJRT; omitted if unknown
  options           object of create options; omitted if there are none`,
		Example: "  pjrt list\n  pjrt list gpu --json\n  pjrt list ./my_plugin.so",
		RunE: func(cmd *cobra.Command, names []string) error {
			list, err := selectedPlugins(cmd, names, opts)
			if err != nil {
				return err
			}
			tried, err := trials.tryAll(cmd.Context(), list, len(names) > 0)
			if err != nil {
				return err
			}
			var shown []triedPlugin
			for _, c := range tried {
				if c.usable() || !usableOnly {
					shown = append(shown, c)
				}
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), candidateReports(shown))
			}
			return printTable(cmd.OutOrStdout(), shown, plugins.Hints(list))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	cmd.Flags().BoolVar(&usableOnly, "usable", false, "list only usable plugins")
	cmd.Flags().BoolVar(&opts.NoPython, "no-python", false, "leave out the plugins in Python packages")
	cmd.Flags().StringVar(&opts.Python, "python", "", "the Python `COMMAND` whose packages are searched (default python3)")
	trials.addTo(cmd)
	return cmd
}

// selectedPlugins returns all plugins, or those that names select. A name that no plugin
// matches is an error.
func selectedPlugins(cmd *cobra.Command, names []string, opts plugins.ListOptions) ([]plugins.Candidate, error) {
	if len(names) == 0 {
		return plugins.List(cmd.Context(), opts)
	}
	var all, selected []plugins.Candidate
	for _, name := range names {
		if plugins.IsPath(name) {
			c, _ := plugins.Find(cmd.Context(), name) // its Problem is shown
			selected = append(selected, c)
			continue
		}
		if all == nil {
			var err error
			if all, err = plugins.List(cmd.Context(), opts); err != nil {
				return nil, err
			}
		}
		found := false
		for _, c := range all {
			if c.AnswersTo(name) {
				selected = append(selected, c)
				found = true
			}
		}
		if !found {
			_, err := plugins.Find(cmd.Context(), name)
			if err == nil {
				err = fmt.Errorf("no plugin is called %s", name)
			}
			return nil, err
		}
	}
	return selected, nil
}

func printTable(out io.Writer, list []triedPlugin, hints []string) error {
	rows := cli.Table{{"NAME", "PLATFORM", "STATE", "API", "FOUND IN", "PATH"}}
	reasons := map[string][]string{} // plugins by reason, because several often share one
	var order []string
	for _, c := range list {
		rows = append(rows, []string{dash(c.Name), dash(c.Platform), c.state(), dash(c.API), string(c.Origin), c.Path})
		for _, err := range c.reasons() {
			reason := cli.OneLine(err.Error())
			if reasons[reason] == nil {
				order = append(order, reason)
			}
			reasons[reason] = append(reasons[reason], dash(c.Name))
		}
	}
	if err := rows.Write(out); err != nil {
		return err
	}
	var notes []string
	for _, reason := range order {
		notes = append(notes, strings.Join(reasons[reason], ", ")+": "+reason)
	}
	for i, note := range append(notes, hints...) {
		if i == 0 {
			fmt.Fprintln(out)
		}
		if _, err := fmt.Fprintln(out, note); err != nil {
			return err
		}
	}
	return nil
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// candidateReport is one plugin in the JSON form that the command's help describes.
type candidateReport struct {
	Name         string     `json:"name"`
	Platform     string     `json:"platform"`
	Path         string     `json:"path"`
	Origin       string     `json:"origin"`
	Detail       string     `json:"detail"`
	Priority     int        `json:"priority"`
	Experimental bool       `json:"experimental"`
	FailQuietly  bool       `json:"fail_quietly"`
	Usable       bool       `json:"usable"`
	Problem      string     `json:"problem,omitempty"`
	Hardware     string     `json:"hardware,omitempty"`
	Tried        bool       `json:"tried"`
	ClientError  string     `json:"client_error,omitempty"`
	Needs        []string   `json:"needs,omitempty"`
	Version      string     `json:"version,omitempty"`
	API          string     `json:"api,omitempty"`
	Options      attributes `json:"options,omitempty"`
}

func candidateReports(list []triedPlugin) []candidateReport {
	reports := make([]candidateReport, 0, len(list))
	text := func(err error) string {
		if err == nil {
			return ""
		}
		return cli.OneLine(err.Error())
	}
	for _, c := range list {
		r := candidateReport{
			Name: c.Name, Platform: c.Platform, Path: c.Path, Origin: string(c.Origin), Detail: c.Detail,
			Priority: c.Priority, Experimental: c.Experimental, FailQuietly: c.FailQuietly, Usable: c.usable(),
			Problem: text(c.Problem), Hardware: text(c.Hardware), Tried: c.trial != nil,
			Needs: c.Needs, Version: c.Version, API: c.API, Options: c.Options,
		}
		if c.trial != nil {
			r.ClientError = text(c.trial.err())
		}
		reports = append(reports, r)
	}
	return reports
}

// printJSON prints a value. What a plugin says cannot change the state of a terminal.
func printJSON(out io.Writer, value any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetIndent("", "  ")
	if err := e.Encode(value); err != nil {
		return err
	}
	_, err := io.WriteString(cli.Verbatim(out), cli.PrintableJSON(text.String()))
	return err
}
