// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package plugintest provides real plugins for tests.
package plugintest

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// Path returns the library of a plugin that package plugins knows, such as "cpu". It installs the
// plugin and its compiler if necessary, and prepares the environment for it. If the plugin cannot
// be installed, the test fails; it is never skipped.
//
// The environment variable PJRT_TEST_CPU replaces the plugin "cpu" by the one of that age, such as
// 0.106: see [Executing].
func Path(t testing.TB, name string) string {
	t.Helper()
	if name == "cpu" {
		if path, err := Replacement(); err != nil {
			t.Fatal(err)
		} else if path != "" {
			return path
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	path, err := plugins.Install(ctx, name, plugins.InstallOptions{Compiler: true})
	if err != nil {
		t.Fatalf("plugin %s: %v", name, err)
	}
	if err := plugins.Prepare(path); err != nil {
		t.Fatalf("plugin %s: %v", name, err)
	}
	return path
}

// Chosen returns the path of the plugin that the environment variable PJRT_TEST_PLUGIN names, or
// that of XLA's plugin for CPUs. Tests that work on any plugin use it, so that they run on machines
// with other devices too.
func Chosen(t testing.TB) string {
	t.Helper()
	path := os.Getenv("PJRT_TEST_PLUGIN")
	if path == "" {
		return Path(t, "cpu")
	}
	if err := plugins.Prepare(path); err != nil {
		t.Fatalf("plugin %s: %v", path, err)
	}
	return path
}
