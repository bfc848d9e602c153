// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotInstalled says that there is no installed plugin to uninstall.
var ErrNotInstalled = errors.New("it is not installed")

// Uninstall removes a plugin that [Install] put into opts.Dir, and returns how many bytes its files
// had. Processes that have loaded the library keep it. If the plugin is not there, the error wraps
// [ErrNotInstalled]. While another process installs the plugin, Uninstall waits. Of opts, it uses
// Dir and Progress.
//
// The plugin disappears at once: its directory gets another name before its files are removed. What
// killed processes left of installations is removed too; if there is nothing else, it counts as the
// plugin.
func Uninstall(ctx context.Context, name string, opts InstallOptions) (bytes int64, err error) {
	in, err := newInstaller(opts)
	if err != nil {
		return 0, err
	}
	return in.uninstall(ctx, name)
}

func (in *installer) uninstall(ctx context.Context, name string) (bytes int64, err error) {
	p, err := known(in.table, name)
	if err != nil {
		return 0, err
	}
	p = in.present(name, p)
	defer func() {
		if err != nil {
			err = fmt.Errorf("cannot uninstall %s: %w", p.Name, explain(err))
		}
	}()
	w, ok := p.wheels[in.platform]
	if !ok {
		return 0, ErrNotInstalled
	}
	id := p.id(w)
	dir := filepath.Join(in.Dir, id)
	defer in.sweep()
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) && len(glob(in.Dir, stagingPrefix(id)+"*")) == 0 {
		return 0, ErrNotInstalled // nor is there anything to lock
	}
	unlock, err := in.lock(ctx, id)
	if err != nil {
		return 0, err
	}
	defer unlock()
	left := in.clear(id)
	staging, err := os.MkdirTemp(in.Dir, stagingPrefix(id))
	if err != nil {
		return left, err
	}
	removed := filepath.Join(staging, "removed")
	err = os.Rename(dir, removed)
	switch {
	case err == nil:
		bytes, _ = sizesBelow(removed)
	case errors.Is(err, fs.ErrNotExist) && left > 0:
		err = nil
	case errors.Is(err, fs.ErrNotExist):
		err = ErrNotInstalled // another process was faster
	}
	return bytes + left, errors.Join(err, os.RemoveAll(staging))
}

// present returns p, which name asks for. If it is not installed, and name has no version, present
// returns an alternative that is.
func (in *installer) present(name string, p *Package) *Package {
	isThere := func(p *Package) bool {
		w, ok := p.wheels[in.platform]
		if !ok {
			return false
		}
		_, err := os.Lstat(filepath.Join(in.Dir, p.id(w)))
		return err == nil
	}
	if isThere(p) || strings.Contains(name, "@") {
		return p
	}
	for i := range in.table {
		other := &in.table[i]
		if other.alternative() && other.kind() == p.kind() && isThere(other) {
			return other
		}
	}
	return p
}
