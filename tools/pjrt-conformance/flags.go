// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/internal/outside"
	"github.com/purepjrt/purepjrt/pjrt/platform"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// settings are the options of a run, and the flags that they are made of. Each command adds the
// flags that it uses.
type settings struct {
	conformance.Options
	createOptions, topologyOptions []string
	profile, run                   string
	levels                         []string
	shard, failedFrom              string
	waivers                        []string
}

// addPlugin adds the flags that say how the plugin's clients are made.
func (s *settings) addPlugin(flags *pflag.FlagSet) {
	flags.StringArrayVar(&s.createOptions, "option", nil,
		"`NAME=VALUE`, a create option of every client; NAME:TYPE=VALUE has a type, and NAME=@FILE the text of a file")
}

// addTopology adds the flags for what is checked without a client.
func (s *settings) addTopology(flags *pflag.FlagSet) {
	flags.StringVar(&s.Topology, "topology", "", "`NAME` of the topology to compile for if there is no client")
	flags.StringArrayVar(&s.topologyOptions, "topology-option", nil, "`NAME=VALUE`, a create option of that topology")
	flags.BoolVar(&s.NoDevice, "no-device", false, "make no client")
}

// addChoice adds the flags that choose among checks of any kind.
func (s *settings) addChoice(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&s.profile, "profile", conformance.Quick.String(), "how thorough to be: the `PROFILE` smoke, quick, core or full")
	cli.CompleteFlag(cmd, "profile", "smoke", "quick", "core", "full")
	flags.StringVar(&s.run, "run", "", "run only checks whose names match `REGEXP`")
	flags.StringVar(&s.shard, "shard", "", "run the part `I/N` of the checks, such as 2/3; "+name+" merge combines the reports")
	flags.StringVar(&s.failedFrom, "failed-from", "", "run only what failed, warned or was blocked in the JSON report `FILE`")
}

// addLevels adds the flags that choose among the checks of the contract.
func (s *settings) addLevels(flags *pflag.FlagSet) {
	flags.StringVar(&s.List, "list", "", "judge by the checks of the list `NAME`, such as 2026.11 (default the newest)")
	flags.StringSliceVar(&s.levels, "level", nil, "the `LEVELS` to check, such as L0-L2,X (default all)")
}

// addExecution adds the flags that say how checks are run, and how their failures are judged.
func (s *settings) addExecution(flags *pflag.FlagSet) {
	s.addTimeouts(flags)
	flags.StringVar(&s.Resume, "resume", "", "save results to `FILE` as they come, and resume an interrupted run from it")
	flags.DurationVar(&s.Bound, "bound", 0, "end the run after `TIME`, such as 2h (default depends on profile and plugin)")
	flags.IntVar(&s.Jobs, "jobs", 0, "the `NUMBER` of processes that run checks at once (default depends on processors and plugin)")
	flags.BoolVar(&s.NoReruns, "no-reruns", false, "do not run failed checks again")
	flags.StringArrayVar(&s.waivers, "waivers", nil, "`FILE` of known failures")
}

func (s *settings) addTimeouts(flags *pflag.FlagSet) {
	flags.Float64Var(&s.TimeoutFactor, "timeout-factor", 1, "multiply every time limit by `N`")
}

// prepare turns the flags into options for a plugin.
func (s *settings) prepare(ctx context.Context, plugin string) (err error) {
	s.WorkerArgs, s.Command = []string{"worker"}, self()
	if s.profile != "" {
		if s.Profile, err = conformance.ParseProfile(s.profile); err != nil {
			return err
		}
	}
	if s.Levels, err = levelRange(s.levels); err != nil {
		return err
	}
	if s.run != "" {
		if s.Filter, err = regexp.Compile(s.run); err != nil {
			return fmt.Errorf("--run: %w", err)
		}
	}
	if err := s.choose(); err != nil {
		return err
	}
	if s.Plugin, s.CreateOptions, err = s.lookup(ctx, plugin, s.createOptions); err != nil {
		return err
	}
	if s.TopologyOptions, err = s.readOptions(nil, s.topologyOptions); err != nil {
		return err
	}
	for _, path := range s.waivers {
		file, err := conformance.ReadWaivers(path)
		if err != nil {
			return err
		}
		s.Waivers = append(s.Waivers, file)
	}
	return nil
}

// lookup returns the path of a plugin, and its create options: those that it always has, and those
// of the command line.
func (s *settings) lookup(ctx context.Context, plugin string, options []string) (string, []capi.Attribute, error) {
	found, err := plugins.Find(ctx, plugin)
	if err != nil {
		return "", nil, err
	}
	all, err := s.readOptions(found.Options, options)
	return found.Path, all, err
}

// choose reads the flags that select checks by the results of a run, or by their place.
func (s *settings) choose() error {
	if s.shard != "" {
		var rest string
		n, _ := fmt.Sscanf(s.shard+" .", "%d/%d %s", &s.Shard, &s.Shards, &rest)
		if n != 3 || rest != "." || s.Shards < 1 {
			return fmt.Errorf("--shard %q: use the form I/N, such as 2/3 for the second of three parts", s.shard)
		}
	}
	if s.failedFrom == "" {
		return nil
	}
	r, err := report.ReadFile(s.failedFrom)
	if err != nil {
		return fmt.Errorf("--failed-from: %w", err)
	}
	if s.Only = r.Again(); len(s.Only) == 0 {
		return fmt.Errorf("--failed-from %s: nothing failed in that report", s.failedFrom)
	}
	return nil
}

// readOptions parses options from the command line and appends them to options. The value of
// NAME=@FILE is the text of the file.
func (s *settings) readOptions(options []capi.Attribute, list []string) ([]capi.Attribute, error) {
	for _, text := range list {
		a, err := platform.ParseOption(text)
		if err != nil {
			return nil, err
		}
		name, value, _ := strings.Cut(text, "=")
		if file, ok := strings.CutPrefix(value, "@"); ok && !strings.Contains(name, ":") {
			content, err := outside.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("option %s: %w", name, err)
			}
			a.Value = string(content)
			if s.OptionFiles == nil {
				s.OptionFiles = make(map[string]string)
			}
			if s.OptionFiles[a.Name], err = filepath.Abs(file); err != nil {
				return nil, err
			}
		}
		options = append(options, a)
	}
	return options, nil
}

// levelRange parses names and ranges of levels.
func levelRange(list []string) ([]string, error) {
	names := report.LevelNames()
	place := func(name string) int {
		for i, n := range names {
			if strings.EqualFold(n, name) {
				return i
			}
		}
		return -1
	}
	var out []string
	for _, item := range list {
		first, last, ok := strings.Cut(strings.TrimSpace(item), "-")
		if !ok {
			last = first
		}
		i, j := place(first), place(last)
		if i < 0 || j < i {
			return nil, fmt.Errorf("--level %q: use some of %s, or a range such as L0-L2", item, strings.Join(names, ", "))
		}
		out = append(out, names[i:j+1]...)
	}
	return out, nil
}

// pluginArgs says that a command takes a plugin, then what needed names, and at most so many
// arguments in all; -1 means any number.
func pluginArgs(most int, needed ...string) cobra.PositionalArgs {
	needed = append([]string{"a plugin, such as cpu or ./my_plugin.so"}, needed...)
	return cli.Args(func(cmd *cobra.Command, args []string) error {
		if len(args) < len(needed) {
			return errors.New("name " + needed[len(args)])
		}
		if most < 0 {
			return nil
		}
		return cobra.MaximumNArgs(most)(cmd, args)
	})
}

// completePlugins completes the first arguments of a command, which are plugins.
func completePlugins(number int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= number {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return cli.CompletePlugins(cmd, args, begun)
	}
}
