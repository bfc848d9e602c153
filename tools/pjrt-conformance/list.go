// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/conformance/laboratory"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// listedRule is a rule in the JSON form of conformance list.
type listedRule struct {
	*rules.Rule
	Group  string `json:"group"`
	Level  string `json:"level"`
	Checks int    `json:"checks"`
	Unseen string `json:"unobservable,omitempty"` // why there can be no check
}

func listCommand() *cobra.Command {
	var groups, severities []string
	var asJSON, unchecked bool
	cmd := &cobra.Command{
		Use:   "list [TEXT...]",
		Short: "List the rules of the contract",
		Long: `List shows every rule of the contract, or only those that contain every TEXT: its
id, its severity, where it comes from, the API version that it needs, how many
checks there are for it, and what it says.

With --json it prints a list of objects: id, rule, subject, since, severity,
basis (H header, E extension header, X behaviour of XLA's plugins, V a known
caller depends on it, I inferred), how, fault, group, level, checks, and
unobservable: why no client can see a violation, so there is no check.`,
		Example: "  pjrt-conformance list --group EVT,ERR\n  pjrt-conformance list --severity MUST donation",
		RunE: func(cmd *cobra.Command, words []string) error {
			for i, g := range groups {
				groups[i] = strings.ToUpper(g)
				if rules.GroupByName(groups[i]) == nil {
					return cli.UsageError(fmt.Errorf("--group %s: there is no such group", g))
				}
			}
			for i, s := range severities {
				severities[i] = strings.ToUpper(s)
				if !slices.Contains(rules.Severities(), rules.Severity(severities[i])) {
					return cli.UsageError(fmt.Errorf("--severity %s: use MUST, SHOULD, OPT or ROBUST", s))
				}
			}
			covered, unseen := conformance.Covered(), conformance.Unobservable()
			rule, programs := laboratory.Compared()
			covered[rule] += programs
			list := []listedRule{}
			for _, r := range rules.All() {
				if len(groups) > 0 && !slices.Contains(groups, r.Group()) || len(severities) > 0 &&
					!slices.Contains(severities, string(r.Severity)) ||
					unchecked && covered[r.ID] > 0 || !mentions(r, words) {
					continue
				}
				list = append(list, listedRule{r, r.Group(), report.LevelOf(r, false), covered[r.ID], unseen[r.ID]})
			}
			if asJSON {
				e := json.NewEncoder(cli.Verbatim(cmd.OutOrStdout()))
				e.SetEscapeHTML(false)
				e.SetIndent("", "  ")
				return e.Encode(list)
			}
			return printRules(cmd, list)
		},
	}
	cmd.Flags().StringSliceVar(&groups, "group", nil, "only rules of these `GROUPS`, such as EVT,H2D")
	cmd.Flags().StringSliceVar(&severities, "severity", nil, "only rules of these `SEVERITIES`: MUST, SHOULD, OPT, ROBUST")
	cmd.Flags().BoolVar(&unchecked, "unchecked", false, "only rules without a check")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	return cmd
}

func mentions(r *rules.Rule, words []string) bool {
	text := strings.ToLower(strings.Join([]string{r.ID, r.Text, r.Subject, r.Fault}, " "))
	for _, w := range words {
		if !strings.Contains(text, strings.ToLower(w)) {
			return false
		}
	}
	return true
}

func printRules(cmd *cobra.Command, list []listedRule) error {
	out := cmd.OutOrStdout()
	group, checked := "", 0
	for _, r := range list {
		if r.Group != group {
			group = r.Group
			g := rules.GroupByName(group)
			if _, err := fmt.Fprintf(out, "\n%s  %s  (level %s)\n", g.Name, g.Title, g.Level); err != nil {
				return err
			}
		}
		checks := "no check"
		switch {
		case r.Unseen != "":
			checks = "unseen"
		case r.Checks == 1:
			checks = "1 check"
		case r.Checks > 1:
			checks = fmt.Sprintf("%d checks", r.Checks)
		}
		if r.Checks > 0 {
			checked++
		}
		fmt.Fprintf(out, "  %-9s %-6s %-9s %s\n", r.ID, r.Severity, checks, r.Text)
		fmt.Fprintf(out, "  %27s about %s; since %s; from: %s\n", "", r.Subject, r.Since, r.Basis)
		if r.Unseen != "" {
			fmt.Fprintf(out, "  %27s no client can see it: %s\n", "", r.Unseen)
		}
	}
	_, err := fmt.Fprintf(out, "\n%d rules, %d with a check\n", len(list), checked)
	return err
}
