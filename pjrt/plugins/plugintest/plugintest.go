// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package plugintest gives tests the real plugins that they run on.
package plugintest

import (
	"context"
	"testing"
	"time"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// Path returns the library of a plugin that package plugins knows, such as
// "cpu", and installs it first if need be. The environment is prepared for it.
// A plugin that cannot be had fails the test: it is never a reason to skip one.
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
