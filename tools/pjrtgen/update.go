// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/gen/facts"
	"github.com/purepjrt/purepjrt/gen/model"
	"github.com/purepjrt/purepjrt/gen/restate"
)

func newUpdateCommand() *cobra.Command {
	var u updating
	cmd := &cobra.Command{
		Use:   "update [--headers DIR] [--out DIR] [--report FILE] [--jump] ORIGINALS",
		Short: "Bring headers, facts and generated code to newer originals",
		Long: `Update brings everything under DIR that belongs to an API version, and the generated
code, to the version of newer originals: the headers (our comments stay, and new items
have none yet), the facts, history.json, since.json and VERSION. Then it builds the
module and tests the generated code. All of it happens in a copy, which replaces the
files only if everything succeeds.

ORIGINALS is a checkout of openxla/xla, a folder that holds xla/, or a Python wheel
that contains XLA's headers. If there are minors between ours and theirs, update takes
each of them in turn from the history of a checkout. Without such a history, their
items would be recorded under the newest minor, so update refuses; with --jump it does
so.

Update refuses changes to the ABI, or to facts that were already written for a minor,
and says where they are. C compilers (CC and CXX, or gcc and g++, or clang and clang++)
confirm the facts. Without a compiler the facts are marked, and a test of
third_party/xla fails until update has run again where there is one.

The report, in Markdown, says what is new, what it lacks, and what has to be decided.
What takes long is announced on standard error.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			u.progress = cmd.ErrOrStderr()
			return u.run(cmd.Context(), cmd.OutOrStdout(), args[0])
		},
	}
	cmd.Flags().StringVar(&u.headers, "headers", "third_party/xla", "folder that holds the headers in xla/, and what belongs to them")
	cmd.Flags().StringVar(&u.out, "out", "capi", "folder of package capi")
	cmd.Flags().StringVar(&u.report, "report", "", "file to write the report to (default: standard output)")
	cmd.Flags().StringVar(&u.source, "source", "", "where ORIGINALS comes from, as NAME VERSION, for a folder of headers that does not say")
	cmd.Flags().StringArrayVar(&u.leave, "leave", nil, "path of a new header to leave out (repeatable)")
	cmd.Flags().BoolVar(&u.jump, "jump", false, "record the items of the minors between under the newest minor")
	cmd.Flags().BoolVar(&u.unmeasured, "unmeasured", false, "write facts that no compiler has confirmed")
	cmd.Flags().BoolVar(&u.build, "build", true, "build the module and test the generated code")
	return cmd
}

// updating is one run of update.
type updating struct {
	headers, out, report, source string
	leave                        []string
	jump, unmeasured, build      bool
	progress                     io.Writer
}

// announce says what update does next, since some of it takes minutes.
func (u *updating) announce(format string, args ...any) {
	fmt.Fprintf(u.progress, "pjrtgen: "+format+"\n", args...)
}

// outcome is the content of the report.
type outcome struct {
	before, after *model.Set
	theirs        *model.Set // the newest originals
	steps         []step
	jumped        []int // minors without a step
	missing       []string
	compiler      string // empty if there is none
	unwitnessed   []string
	facts         []string // files, as in facts/
	tested        bool
	describe      string // the text of capi/describe/zz_describe.go
	version       *restate.Version
	root          string                  // of the module; empty if it was not examined
	named         map[int]map[string]bool // what the facts of each step name
}

func (u *updating) run(ctx context.Context, out io.Writer, originals string) error {
	if originals == "" {
		return errors.New("name a checkout of openxla/xla, or a wheel that contains its headers, as in: make update XLA=../xla")
	}
	if u.source != "" && !restate.Source(u.source).Valid() {
		return fmt.Errorf("--source %q: give a name and a version, such as %q", u.source, "tf-nightly 2.23.0.dev20261026")
	}
	u.announce("copying and reading our headers, and the originals in %s", originals)
	room, err := newRoom(u.headers, u.out, u.build)
	if err != nil {
		return err
	}
	defer room.remove()
	o, done, err := u.plan(ctx, room, originals)
	if err != nil {
		return err
	}
	defer done()
	compilers := facts.FindCompilers(ctx)
	if u.unmeasured {
		compilers = nil
	}
	if compilers != nil {
		o.compiler = compilers.String()
	}
	for _, s := range o.steps {
		u.announce("bringing headers and facts to API 0.%d", s.minor)
		if err := room.take(ctx, s, u.leave, compilers, o); err != nil {
			return err
		}
	}
	u.announce("generating the Go code")
	if err := room.generate(o); err != nil {
		return err
	}
	if u.build {
		if err := room.try(ctx, u.announce); err != nil {
			return err
		}
		o.tested, o.root = true, room.module
	}
	report, err := o.text()
	if err != nil {
		return err
	}
	changed, err := room.apply(u.headers, u.out)
	if err != nil {
		return err
	}
	u.announce("changed %s", count(changed, "file"))
	if u.report == "" {
		_, err = out.Write(report)
		return err
	}
	if err := os.WriteFile(u.report, report, 0o644); err != nil {
		return fmt.Errorf("the update is made, but its report cannot be written: %w", err)
	}
	fmt.Fprintf(out, "API %s to %s; what is new and what to decide: %s\n", text(o.before), text(o.after), u.report)
	return nil
}

// plan examines both sides and finds the steps that lead from one to the other. done
// removes what was unpacked.
func (u *updating) plan(ctx context.Context, room *room, originals string) (o *outcome, done func(), err error) {
	o = &outcome{}
	if o.before, err = readHeaders(room.headers); err != nil {
		return nil, nil, err
	}
	o.after = o.before
	if err := room.inPlace(o.before); err != nil {
		return nil, nil, err
	}
	root, remove, err := includeRoot(originals)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	if o.theirs, err = originalsOf(o.before, root, nil); err != nil {
		return nil, nil, err
	}
	ours, theirs := o.before.Version(), o.theirs.Version()
	if theirs == nil {
		return nil, nil, fmt.Errorf("%s has no %s that defines PJRT_API_MINOR", originals, coreName)
	}
	switch {
	case theirs.Major != ours.Major:
		return nil, nil, fmt.Errorf("the originals are of API %s and our headers of %s: another major version has another ABI",
			text(o.theirs), text(o.before))
	case older(theirs, ours):
		return nil, nil, fmt.Errorf("the originals are of API %s and our headers of %s: update only goes forward",
			text(o.theirs), text(o.before))
	}
	from := originOf(ctx, originals)
	if u.source != "" {
		from = restate.Source(u.source)
	}
	last := step{minor: theirs.Minor, root: root, source: from}
	between, err := minorsBetween(ctx, originals, ours.Minor, theirs.Minor, filepath.Join(room.dir, "between"))
	if err != nil {
		return nil, nil, err
	}
	o.steps = append(between, last)
	at := ours.Minor
	for _, s := range o.steps {
		for m := at + 1; m < s.minor; m++ {
			o.jumped = append(o.jumped, m)
		}
		at = s.minor
	}
	if len(o.jumped) > 0 && !u.jump {
		return nil, nil, fmt.Errorf("the originals are of API %s and our headers of %s, and the minors between are missing: the items of "+
			"%s would be recorded under a later one. Update from originals of these first; a checkout with its whole history has them. "+
			"To record the items under a later minor, use --jump", text(o.theirs), text(o.before), minors(o.jumped))
	}
	return o, remove, nil
}

// minors returns a list of minors as text.
func minors(list []int) string {
	s := ""
	for i, m := range list {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprintf("0.%d", m)
	}
	return s
}
