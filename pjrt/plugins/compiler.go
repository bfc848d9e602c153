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
)

// installCompiler makes sure that an installed plugin has the compiler that it needs, and returns
// the compiler's directory. For plugins that need nothing more, and for those whose compilers the
// table does not have, such as the oldest plugins for CUDA 12, the result is "". The files appear
// complete or not at all, and the plugin stays as it is whatever happens.
func (in *installer) installCompiler(ctx context.Context, name string) (dir string, err error) {
	p, err := known(in.table, name)
	if err != nil {
		return "", err
	}
	if len(p.compiler) == 0 {
		return "", nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("cannot install what %s compiles with: %w", p.Name, explain(err))
		}
	}()
	w, err := p.pick(in.platform)
	if err != nil {
		return "", err
	}
	library, err := in.installed(p, w)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", ErrNotInstalled
	case err != nil:
		return "", err
	}
	if dir := in.compiler(library); dir != "" {
		return dir, nil
	}
	unlock, err := in.lock(ctx, p.id(w))
	if err != nil {
		return "", err
	}
	defer unlock()
	if dir := in.compiler(library); dir != "" {
		return dir, nil // another process was faster
	}
	staging, remove, err := in.stage(p.id(w))
	if err != nil {
		return "", err
	}
	defer remove()
	content := filepath.Join(staging, "content")
	for i := range p.compiler {
		part := &p.compiler[i]
		w, err := part.pick(in.platform)
		if err != nil {
			return "", err
		}
		if err := in.fetch(ctx, part, w, staging, content); err != nil {
			return "", err
		}
	}
	final := filepath.Join(filepath.Dir(library), "nvidia")
	// It exists if somebody deleted a file in it.
	if err := os.Rename(final, filepath.Join(staging, "replaced")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.Rename(filepath.Join(content, "nvidia"), final); err != nil {
		return "", err
	}
	if err := syncDir(filepath.Dir(library)); err != nil {
		return "", err
	}
	if dir = in.compiler(library); dir == "" {
		return "", fmt.Errorf("%s has no compiler that plugins find", final)
	}
	return dir, nil
}
