// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/internal/outside"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// outputs says how to print a report, and to which files to write it.
type outputs struct {
	verbose         bool
	json, junit     string
	html, md, badge string
	since           string
	before          *report.Report // that of since
	keeper          report.Keeper
}

func (o *outputs) add(flags *pflag.FlagSet) {
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "also print what was skipped and waived, and all details")
	flags.StringVar(&o.json, "json", "", "write the report as JSON to `FILE`")
	flags.StringVar(&o.junit, "junit", "", "write the report as JUnit XML to `FILE`")
	flags.StringVar(&o.html, "html", "", "write the report as one HTML page to `FILE`")
	flags.StringVar(&o.md, "md", "", "write the report as Markdown to `FILE`")
	flags.StringVar(&o.badge, "badge", "", "write a badge as SVG to `FILE`")
}

// addSince adds the flag of a run that is compared with an earlier one.
func (o *outputs) addSince(flags *pflag.FlagSet) {
	flags.StringVar(&o.since, "since", "", "also say what got better or worse since the JSON report `FILE`")
}

// prepare reads the report of the earlier run, which the new one may overwrite.
func (o *outputs) prepare() (err error) {
	if o.since == "" {
		return nil
	}
	if o.before, err = report.ReadFile(o.since); err != nil {
		return fmt.Errorf("--since: %w", err)
	}
	return nil
}

// compare prints what changed since the earlier run.
func (o *outputs) compare(r *report.Report, out io.Writer) error {
	if o.before == nil {
		return nil
	}
	if _, err := fmt.Fprintf(out, "\nsince %s:\n", o.since); err != nil {
		return err
	}
	return printChanges(out, o.before, r, report.Diff(o.before, r))
}

// text says how to print the report. For a single check it prints everything.
func (o *outputs) text(r *report.Report, out io.Writer) report.Text {
	t := report.Text{All: o.verbose || len(r.Results) == 1, Colour: cli.Coloured(out)}
	if cli.TerminalOf(out) != nil {
		t.Columns = cli.Columns(out)
	}
	if !o.verbose {
		t.Most = report.MostDetails
	}
	return t
}

// write prints the report and writes its files. The error gives the exit status of the verdict.
func (o *outputs) write(cmd *cobra.Command, r *report.Report) error {
	if err := errors.Join(o.text(r, cmd.OutOrStdout()).Write(r, cmd.OutOrStdout()), o.compare(r, cmd.OutOrStdout()),
		o.writeFiles(r)); err != nil {
		return cli.UsageError(err)
	}
	switch r.Verdict {
	case report.NotConformant:
		return cli.ExitStatus(1)
	case report.Incomplete:
		return cli.ExitStatus(2)
	}
	return nil
}

// keep writes the files of a run that is under way, from time to time. If they cannot be written,
// that is an error when the run is over.
func (o *outputs) keep(g conformance.Progress) {
	if g.Report != nil && g.Result != nil && o.json+o.junit+o.html+o.md+o.badge != "" {
		_ = o.keeper.Keep(g.Report, o.writeFiles)
	}
}

func (o *outputs) writeFiles(r *report.Report) error {
	return o.eachFile(func(_, path string, write func(*report.Report, io.Writer) error) error {
		return r.WriteFile(path, write)
	})
}

// canWrite returns an error for files that cannot be written, before a run that takes long.
func (o *outputs) canWrite() error {
	return o.eachFile(func(flag, path string, _ func(*report.Report, io.Writer) error) error {
		if err := outside.CanWrite(path); err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
		return nil
	})
}

// eachFile calls do for each file to write, and returns all its errors.
func (o *outputs) eachFile(do func(flag, path string, write func(*report.Report, io.Writer) error) error) error {
	var failed []error
	for _, file := range []struct {
		flag, path string
		write      func(*report.Report, io.Writer) error
	}{
		{"--json", o.json, (*report.Report).WriteJSON}, {"--junit", o.junit, (*report.Report).WriteJUnit},
		{"--html", o.html, (*report.Report).WriteHTML}, {"--md", o.md, (*report.Report).WriteMarkdown},
		{"--badge", o.badge, (*report.Report).WriteBadge},
	} {
		if file.path != "" {
			failed = append(failed, do(file.flag, file.path, file.write))
		}
	}
	return errors.Join(failed...)
}
