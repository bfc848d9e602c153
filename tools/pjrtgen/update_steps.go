// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/gen/restate"
)

// step has the originals of one minor.
type step struct {
	minor  int
	root   string // the folder that holds their xla/
	source restate.Source
}

// headerFolders are the folders of a checkout that hold the API's headers and what they
// include.
var headerFolders = []string{"xla/pjrt", "xla/ffi", "xla/backends/profiler/plugin"}

// minorsBetween unpacks the originals of the minors between two from the history of a
// checkout, each under dir, as of the minor's last commit: some items are added to a minor
// after the commit that raised it. Without a history it returns none.
func minorsBetween(ctx context.Context, originals string, from, to int, dir string) ([]step, error) {
	if to <= from+1 || !isDirectory(originals) || !isCheckout(ctx, originals) {
		return nil, nil
	}
	var steps []step
	commits, err := lastCommits(ctx, originals, from, to)
	if err != nil {
		return nil, err
	}
	for m := from + 1; m < to; m++ {
		commit, ok := commits[m]
		if !ok {
			continue
		}
		root := filepath.Join(dir, strconv.Itoa(m))
		if err := unpackCommit(ctx, originals, commit, root); err != nil {
			return nil, fmt.Errorf("cannot read the headers of API 0.%d: %w", m, err)
		}
		steps = append(steps, step{m, root, commitSource(ctx, originals, commit)})
	}
	return steps, nil
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

var minorLine = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+PJRT_API_MINOR[ \t]+(\d+)`)

// lastCommits returns the last commit of each minor between two.
func lastCommits(ctx context.Context, dir string, from, to int) (map[int]string, error) {
	log, err := git(ctx, dir, "log", "--first-parent", "--format=%H", "-GPJRT_API_MINOR", "HEAD", "--", coreName)
	if err != nil {
		return nil, err
	}
	commits := make(map[int]string)
	newer := "" // the commit that ended the minor
	for _, commit := range strings.Fields(log) {
		text, err := git(ctx, dir, "show", commit+":"+coreName)
		if err != nil {
			return nil, err
		}
		m := minorLine.FindStringSubmatch(text)
		if m == nil {
			break
		}
		minor, err := strconv.Atoi(m[1])
		if err != nil || minor <= from {
			break
		}
		if _, known := commits[minor]; !known && newer != "" && minor < to {
			if commits[minor], err = git(ctx, dir, "rev-parse", newer+"^"); err != nil {
				return nil, err
			}
		}
		newer = commit
	}
	return commits, nil
}

// unpackCommit writes the headers of a commit below a folder.
func unpackCommit(ctx context.Context, dir, commit, root string) error {
	list, err := git(ctx, dir, append([]string{"ls-tree", "-r", "--name-only", commit, "--"}, headerFolders...)...)
	if err != nil {
		return err
	}
	args := []string{"-C", dir, "archive", "--format=tar", commit, "--"}
	for _, name := range strings.Split(list, "\n") {
		if strings.HasSuffix(name, ".h") {
			args = append(args, name)
		}
	}
	cmd := exec.CommandContext(ctx, "git", args...)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	unpackErr := untar(pipe, root)
	_, _ = io.Copy(io.Discard, pipe) // so that git ends
	return errors.Join(unpackErr, cmd.Wait())
}

func untar(from io.Reader, root string) error {
	for archive := tar.NewReader(from); ; {
		h, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case h.Typeflag != tar.TypeReg:
			continue
		}
		local := filepath.FromSlash(h.Name)
		if !filepath.IsLocal(local) || h.Size > maxUnpacked {
			return fmt.Errorf("%s: not a header of XLA", h.Name)
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			return err
		}
		file := filepath.Join(root, local)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
}
