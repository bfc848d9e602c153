// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

const (
	prefix         = "PJRT_SHIM_"
	pluginVariable = prefix + "PLUGIN"
)

// running is the shim of this process. It starts when a client asks for the table.
var running struct {
	mu   sync.Mutex
	shim *shim.Shim // guarded by mu; nil if it could not start
}

// environ returns the variables of the process. In a library, package os has the variables with
// which the process began; export.go replaces environ, to see what the client has set since.
var environ = os.Environ

// start makes the table on the first call. If that fails, it returns a table whose functions that
// clients call first return the reason.
var start = sync.OnceValue(func() *serve.Table {
	t, err := open(environ())
	if err == nil {
		return t
	}
	fmt.Fprintln(os.Stderr, "pjrt shim:", err)
	return broken(err)
})

// open starts the shim as the environment says.
func open(environ []string) (*serve.Table, error) {
	config, err := shim.Environment(prefix, environ, pluginVariable)
	if err != nil {
		return nil, err
	}
	path, err := pluginPath(value(environ, pluginVariable))
	if err != nil {
		return nil, err
	}
	if err := plugins.Prepare(path); err != nil {
		return nil, err
	}
	real, err := capi.Open(path)
	if err != nil {
		return nil, err
	}
	s, err := shim.New(config)
	if err != nil {
		return nil, err
	}
	t, err := s.Wrap(real)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	running.mu.Lock()
	defer running.mu.Unlock()
	running.shim = s
	return t, nil
}

// value returns the value of a variable.
func value(environ []string, name string) string {
	for _, entry := range environ {
		if n, v, _ := strings.Cut(entry, "="); n == name {
			return v
		}
	}
	return ""
}

// pluginPath returns the library for a value of PJRT_SHIM_PLUGIN: a path, name:path, or the name of
// an installed plugin. A path is that of a library or of a plugin's configuration file.
func pluginPath(value string) (string, error) {
	if value == "" {
		return "", fmt.Errorf("%s is not set: set it to the plugin to call, a path or the name of an installed plugin",
			pluginVariable)
	}
	path := value
	if name, rest, ok := strings.Cut(value, ":"); ok && !plugins.IsPath(name) && rest != "" {
		path = rest
	}
	if !strings.EqualFold(filepath.Ext(path), ".json") { // else a configuration file, which names the library
		if plugins.IsPath(path) {
			return path, nil
		}
		if _, err := os.Stat(path); err == nil {
			return "./" + path, nil
		}
	}
	c, err := plugins.Find(context.Background(), path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", pluginVariable, err)
	}
	return c.Path, nil
}

// broken returns the table of a plugin that cannot start because of err. Clients show that error to
// their users. A null table would tell them only that something went wrong.
func broken(err error) *serve.Table {
	reason := &capi.Error{Code: capi.ErrorCodeFailedPrecondition, Message: "pjrt shim: " + err.Error()}
	p := &serve.Plugin{
		Minor:                     serve.OldestMinor, // accept the structs of any client, so that it gets the reason
		PluginInitialize:          func(*capi.PluginInitializeArgs) error { return reason },
		PluginAttributes:          func(*capi.PluginAttributesArgs) error { return reason },
		ClientCreate:              func(*capi.ClientCreateArgs) error { return reason },
		TopologyDescriptionCreate: func(*capi.TopologyDescriptionCreateArgs) error { return reason },
	}
	t, err := p.Serve()
	if err != nil {
		panic(err) // cannot happen: nothing else in this process serves tables
	}
	return t
}

// end writes the summary and closes the files.
func end() {
	running.mu.Lock()
	s := running.shim
	running.shim = nil
	running.mu.Unlock()
	if s == nil {
		return
	}
	if err := s.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "pjrt shim:", err)
	}
}
