// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"cmp"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
)

// reproduce returns functions that make the commands for running one check again, and
// several checks in one process. The commands are for a POSIX shell in any folder.
func (o *Options) reproduce() (one func(*check.Check) string, all func([]*check.Check) string) {
	one = func(c *check.Check) string { return o.commandLine(c) }
	all = func(list []*check.Check) string { return o.commandLine(list...) + " --jobs 1" }
	if o.test == "" {
		return one, all
	}
	one = func(c *check.Check) string {
		if o.Plugin == "" {
			return o.testLine(c)
		}
		return o.testLine(c) + "  # or: " + o.commandLine(c)
	}
	if o.Plugin == "" {
		all = func(list []*check.Check) string { return o.testLine(list...) }
	}
	return one, all
}

// commandLine returns the command that runs checks of a library.
func (o *Options) commandLine(checks ...*check.Check) string {
	words := []string{quote(cmp.Or(o.Command, "pjrt-conformance"))}
	if o.Suite == nil {
		words = append(words, "run", quote(o.Plugin))
	} else {
		for _, w := range o.Suite.CommandLine(o.Plugin, o.textOf) {
			words = append(words, quote(w))
		}
	}
	words = o.addOptions(words, "--option", o.CreateOptions)
	if o.Topology != "" {
		words = append(words, "--topology", quote(o.Topology))
	}
	words = o.addOptions(words, "--topology-option", o.TopologyOptions)
	if o.NoDevice {
		words = append(words, "--no-device")
	}
	if f := o.TimeoutFactor; f != 0 && f != 1 {
		words = append(words, "--timeout-factor", strconv.FormatFloat(f, 'g', -1, 64))
	}
	profile := check.Quick
	var names []string
	for _, c := range checks {
		profile = max(profile, c.Profile)
		names = append(names, regexp.QuoteMeta(c.Name()))
	}
	if profile > check.Quick {
		words = append(words, "--profile", profile.String())
	}
	pattern := "^" + strings.Join(names, "|") + "$"
	if len(names) > 1 {
		pattern = "^(" + strings.Join(names, "|") + ")$"
	}
	return strings.Join(append(words, "--run", quote(pattern)), " ")
}

// addOptions appends a flag for each option.
func (o *Options) addOptions(words []string, flag string, list []capi.Attribute) []string {
	for _, option := range session.Options(list) {
		words = append(words, flag, quote(o.textOf(option)))
	}
	return words
}

// textOf returns an option as the command line has it.
func (o *Options) textOf(option session.Option) string {
	if file, ok := o.OptionFiles[option.Name]; ok {
		return option.Name + "=@" + file
	}
	return option.String()
}

// testLine returns the command that runs checks as subtests of the current test. A test
// runs in the folder of its package.
func (o *Options) testLine(checks ...*check.Check) string {
	words := []string{"go", "test"}
	if dir, err := os.Getwd(); err == nil {
		words = append(words, "-C", quote(dir))
	}
	words = append(words, buildFlags()...)
	var patterns []string
	for _, c := range checks {
		patterns = append(patterns, onlyTest(o.test)+"/"+onlyTest(c.Name()))
	}
	return strings.Join(append(words, "-count=1", "-run", quote(strings.Join(patterns, "|"))), " ")
}

// buildFlags returns the flags of the program's build that select its code.
func buildFlags() []string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	var flags []string
	for _, s := range info.Settings {
		switch {
		case s.Key == "-tags":
			flags = append(flags, quote("-tags="+s.Value))
		case s.Key == "-race" && s.Value == "true":
			flags = append(flags, "-race")
		}
	}
	return flags
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quote returns s as one shell word.
func quote(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
