// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/extensions/profiler"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// addProfile adds the flag --profile to a command that works with a plugin. The profile is written
// even if the command fails, because it may show why.
func addProfile(cmd *cobra.Command, plugin *string) {
	var dir string
	cmd.Flags().StringVar(&dir, "profile", "",
		"the `DIR` to write a profile below, for ui.perfetto.dev (trace.json) and TensorBoard; created if missing")
	work := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("profile") {
			return work(cmd, args)
		}
		if dir == "" {
			return errors.New("--profile: no directory given")
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("--profile: %w", err)
		}
		r, err := profiler.Record()
		if err != nil {
			return fmt.Errorf("--profile: %w", err)
		}
		failed := workRecorded(cmd.Context(), r, *plugin, func() error { return work(cmd, args) })
		p, err := r.Stop()
		if err != nil {
			// The profile has the rest.
			fmt.Fprintln(cmd.ErrOrStderr(), "the plugin's part of the profile is missing:", cli.OneLine(err.Error()))
		}
		folder, err := p.WriteFiles(dir)
		if err == nil {
			fmt.Fprintln(cmd.ErrOrStderr(), "profile:", folder)
		} else if failed == nil {
			failed = fmt.Errorf("--profile: %w", err)
		}
		return failed
	}
}

// workRecorded opens the plugin, adds its profiler to the recording, and does the work.
func workRecorded(ctx context.Context, r *profiler.Recording, plugin string, work func() error) error {
	p, err := open(ctx, plugin)
	if err != nil {
		return err
	}
	if err := r.Add(p.Plugin); err != nil {
		return fmt.Errorf("--profile: %w", err)
	}
	return work()
}
