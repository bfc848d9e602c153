// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package plugintest provides real plugins for tests.
package plugintest

import (
	"context"
	"testing"
	"time"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// Path returns the library of a plugin that package plugins knows, such as "cpu". It installs the plugin if necessary,
// and prepares the environment for it. If the plugin cannot be installed, the test fails; it is never skipped.
func Path(t testing.TB, name string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	path, err := plugins.Install(ctx, name, plugins.InstallOptions{})
	if err != nil {
		t.Fatalf("plugin %s: %v", name, err)
	}
	if err := plugins.Prepare(path); err != nil {
		t.Fatalf("plugin %s: %v", name, err)
	}
	return path
}
