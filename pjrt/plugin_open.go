// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/ownership"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
)

// Open loads the plugin in the shared library at path and initializes it (PJRT_Plugin_Initialize).
// Opening a library again returns the same Plugin. path may also be a name given to raw.Register.
// Some libraries read their environment when they are loaded, so call plugins.Prepare first:
// without it, libtpu waits for minutes if there is no TPU.
//
// The error is a *capi.OpenError if the file is not a plugin or has an unsupported API version.
// Open refuses flags in XLA_FLAGS that the plugin does not know, because XLA's plugins end the
// process at the first compilation over one, unless PJRT_ALLOW_UNKNOWN_XLA_FLAGS=1 is set in the
// environment. If another user could replace the library, Open logs a warning (see SetLogger).
func Open(path string) (*Plugin, error) {
	if p, ok := registered(path); ok {
		return p, nil
	}
	key := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		if real, err = filepath.Abs(real); err == nil {
			key = real
		}
	}
	return slotOf(&registry.paths, key).get(func() (_ *Plugin, err error) {
		op := begin(context.Background(), OperationOpen, subject{path: path})
		defer op.end(&err)
		if err := xlaflags.CheckLibrary(path); err != nil {
			return nil, invalid("%v", err)
		}
		warnOfOthers("a PJRT plugin", path)
		file := fileAt(path) // before another can take its place
		table, err := capi.Open(path)
		if err != nil {
			return nil, err
		}
		return pluginOf(table, "", file)
	})
}

// warnOfOthers logs a warning if another user could replace the library or the program at path. The
// user named the path, so it is no error.
func warnOfOthers(what, path string) {
	if isBare(path) {
		return // the loader searches for it
	}
	if err := ownership.CheckCode(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		notices().Warn("another user could replace "+what+", and so decide what code this process runs",
			"path", path, "reason", err.Error())
	}
}
