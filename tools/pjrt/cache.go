// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/pjrt/cache"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func cacheCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "List, check and empty the cache of compiled programs",
		Long: `Cache shows and cleans the directory in which programs that use package pjrt/cache
keep what they compiled.`,
		Example: "  pjrt cache list\n  pjrt cache prune --to 500MB\n  pjrt cache verify --remove",
		Args:    cli.OnlyCommands,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&dir, "dir", "", "the `DIR` of the cache (default that of pjrt/cache)")
	cmd.AddCommand(cacheListCommand(&dir), cacheSizeCommand(&dir), cachePruneCommand(&dir), cacheVerifyCommand(&dir))
	return cmd
}

// inCache opens the cache in dir for a command. A cache that cannot be used is an error. Where
// there is no directory, the command does not make one, and says that there are no programs.
func inCache(dir *string, run func(cmd *cobra.Command, c *cache.Cache) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		name := *dir
		if name == "" {
			var err error
			if name, err = cache.DefaultDir(); err != nil {
				return err
			}
		}
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: 0 programs, 0 B: there is no such directory\n", cli.OneLine(name))
			return err
		}
		c, err := cache.Open(name, cache.Options{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			return err
		}
		if err := c.Stats().Err; err != nil {
			return fmt.Errorf("cache %s: %w", c.Dir(), err)
		}
		return run(cmd, c)
	}
}

func cacheListCommand(dir *string) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the compiled programs, the most recently used first",
		Args:  cli.Args(cobra.NoArgs),
		RunE: inCache(dir, func(cmd *cobra.Command, c *cache.Cache) error {
			list, err := c.Verify(cmd.Context())
			if err != nil {
				return err
			}
			return printEntries(cmd.OutOrStdout(), c, list)
		}),
	}
}

// nameOf returns enough of an entry's name to distinguish it from the others.
func nameOf(e cache.Entry) string { return filepath.Base(e.Path)[:12] }

func printEntries(w io.Writer, c *cache.Cache, list []cache.Entry) error {
	rows := cli.Table{{"PROGRAM", "SIZE", "LAST USED", "COMPILED FOR"}}
	total := int64(0)
	for _, e := range list {
		system := fmt.Sprintf("%d of %s (%s)", e.System.Devices, e.System.Platform, strings.Join(e.System.Kinds, ", "))
		if e.Problem != nil {
			system = cli.OneLine(e.Problem.Error())
		}
		rows = append(rows, []string{nameOf(e), size(e.Bytes), e.Used.Format(time.DateTime), system})
		total += e.Bytes
	}
	if len(list) > 0 {
		if err := rows.Write(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s: %s, %s\n", cli.OneLine(c.Dir()), number(len(list), "program"), size(total))
	return err
}

func cacheSizeCommand(dir *string) *cobra.Command {
	return &cobra.Command{
		Use:   "size",
		Short: "Show how much space the compiled programs take",
		Args:  cli.Args(cobra.NoArgs),
		RunE: inCache(dir, func(cmd *cobra.Command, c *cache.Cache) error {
			s := c.Stats()
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s\n", cli.OneLine(c.Dir()), number(s.Entries, "program"), size(s.Bytes))
			return err
		}),
	}
}

func cachePruneCommand(dir *string) *cobra.Command {
	limit := "0"
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove the least recently used programs",
		Long: `Prune removes what killed processes left, and then the least recently used programs,
until the others take at most as much space as --to says. Without --to it removes
all programs.`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			most, err := parseSize(limit)
			if err != nil {
				return cli.UsageError(fmt.Errorf("--to %s: %w", limit, err))
			}
			return inCache(dir, func(cmd *cobra.Command, c *cache.Cache) error { return prune(cmd.OutOrStdout(), c, most) })(cmd, args)
		},
	}
	cmd.Flags().StringVar(&limit, "to", "0", "keep at most `SIZE` of programs in total, such as 500MB or 2GB")
	return cmd
}

// prune removes the least recently used programs until the others take at most so many bytes.
func prune(w io.Writer, c *cache.Cache, most int64) error {
	removed, err := c.Prune(most)
	if err != nil {
		return err
	}
	s := c.Stats()
	_, err = fmt.Fprintf(w, "%s: %s removed, %d left, %s\n", cli.OneLine(c.Dir()), number(removed, "program"), s.Entries, size(s.Bytes))
	return err
}

// parseSize reads a number of bytes, with a unit or without.
func parseSize(text string) (int64, error) {
	number := strings.TrimRight(strings.TrimSpace(text), "kKMGTiBb ")
	unit := strings.ToUpper(strings.TrimSpace(strings.TrimSpace(text)[len(number):]))
	factor, base := 1.0, 1000.0
	if strings.Contains(unit, "I") {
		base = 1024
	}
	letter, _, _ := strings.Cut(strings.TrimSuffix(unit, "B"), "I")
	place := strings.Index("KMGT", letter)
	if len(letter) > 1 || place < 0 {
		return 0, fmt.Errorf("it has the unit %s: use B, kB, MB, GB or TB", unit)
	}
	if letter != "" {
		for range place + 1 {
			factor *= base
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || n < 0 || n*factor >= 1<<63 {
		return 0, fmt.Errorf("it is not a size such as 500MB or 2GB")
	}
	return int64(n * factor), nil
}

func cacheVerifyCommand(dir *string) *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that the compiled programs are whole",
		Long: `Verify reads every program and lists the damaged ones. Programs that use the cache
check what they load, so a damaged one costs them a compilation, and space.

The exit status is 1 if there are damaged programs that were not removed.`,
		Args: cli.Args(cobra.NoArgs),
		RunE: inCache(dir, func(cmd *cobra.Command, c *cache.Cache) error {
			list, err := c.Verify(cmd.Context())
			if err != nil {
				return err
			}
			damaged := 0
			for _, e := range list {
				if e.Problem == nil {
					continue
				}
				what := ""
				if remove {
					if err := c.Remove(e); err != nil {
						return err
					}
					what = "removed: "
				}
				damaged++
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %s%s\n", nameOf(e), what, cli.OneLine(e.Problem.Error())); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %d damaged\n", cli.OneLine(c.Dir()), number(len(list), "program"), damaged)
			if err != nil {
				return err
			}
			if damaged > 0 && !remove {
				return cli.ExitStatus(1)
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the damaged programs")
	return cmd
}
