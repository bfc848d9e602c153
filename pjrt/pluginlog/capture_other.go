// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux && !darwin

package pluginlog

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
)

func startCapture(*slog.Logger) (func() error, error) {
	return nil, fmt.Errorf("capture standard error on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

type original struct{}

func (original) Write(p []byte) (int, error) { return os.Stderr.Write(p) }
