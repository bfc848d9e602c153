// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build wrapped

package pjrt_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// With this tag all tests of the package run on a table in front of the CPU
// plugin's, which takes every call through two hooks that pass it on.

// wrappedCalls counts the calls that went through both hooks.
var wrappedCalls atomic.Int64

func init() {
	if err := wrapCPU(); err != nil {
		fmt.Fprintln(os.Stderr, "wrapping the CPU plugin:", err)
		os.Exit(1)
	}
}

func wrapCPU() error {
	path, err := plugintest.Replacement()
	if err == nil && path == "" {
		path, err = plugins.Install(context.Background(), "cpu", plugins.InstallOptions{})
	}
	if err != nil {
		return err
	}
	if err := plugins.Prepare(path); err != nil {
		return err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	real, err := capi.Open(path)
	if err != nil {
		return err
	}
	wrapped, err := serve.Wrap(real,
		serve.AroundAll(func(c *serve.Invocation) { c.Forward() }),
		serve.AroundAll(func(c *serve.Invocation) {
			c.Forward()
			wrappedCalls.Add(1)
		}))
	if err != nil {
		return err
	}
	return pjrt.OpenAs(path, wrapped.Capi())
}

func TestTheTestsUseTheWrappedPlugin(t *testing.T) {
	before := wrappedCalls.Load()
	newClient(t)
	assert.Greater(t, wrappedCalls.Load(), before)
}
