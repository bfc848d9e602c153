// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/purepjrt/purepjrt/internal/ownership"
)

// cacheError says why an installed plugin cannot be used, and what to do about it.
type cacheError struct {
	err    error
	remedy string
}

func (e *cacheError) Error() string { return e.err.Error() + "; " + e.remedy }
func (e *cacheError) Unwrap() error { return e.err }

// reinstall is the remedy for an installed plugin that is not as it was installed.
func reinstall(name string) string { return "run: pjrt install --force " + name }

// remedied adds to an error about an installed plugin what the user can do about it: a new
// installation does not help if the files of this user are not the user's.
func (in *installer) remedied(name string, err error) error {
	const elsewhere = "set XDG_CACHE_HOME or HOME to a directory of this user"
	remedy := reinstall(name)
	unsafeDir := ownership.CheckTree(in.Dir, in.Dir)
	switch {
	case errors.Is(err, fs.ErrPermission):
		remedy = fmt.Sprintf("%s, or let the owner of %s give access to user %d", elsewhere, in.Dir, os.Geteuid())
	case errors.Is(err, ownership.ErrForeign) && (unsafeDir != nil || os.Geteuid() != 0):
		remedy = fmt.Sprintf("%s, or, if you trust what is in it, let root run: chown -R %d %s", elsewhere, os.Geteuid(), in.Dir)
	case unsafeDir != nil:
		remedy = fmt.Sprintf("run: chmod go-w %s && pjrt install --force %s", in.Dir, name)
	}
	return &cacheError{err, remedy}
}
