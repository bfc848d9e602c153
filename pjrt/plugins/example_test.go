// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// A program that has to run anywhere installs the plugin if it does not find it.
func Example() {
	ctx := context.Background()
	client, err := plugins.Open(ctx, "cpu", nil)
	if errors.Is(err, plugins.ErrNotFound) {
		if _, err = plugins.Install(ctx, "cpu", plugins.InstallOptions{}); err == nil {
			client, err = plugins.Open(ctx, "cpu", nil)
		}
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	fmt.Println(client.PlatformName())
	// Output: cpu
}

// List finds plugins by the names of their files. It loads none of them, so a broken file does no
// harm.
func ExampleList() {
	dir, err := os.MkdirTemp("", "plugins-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "pjrt_c_api_toy_plugin.so"), []byte("404: not found"), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	os.Setenv(plugins.PluginLibraryPath, dir)
	defer os.Unsetenv(plugins.PluginLibraryPath)

	all, err := plugins.List(context.Background(), plugins.ListOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range all {
		if c.Origin == plugins.OriginLibraryPath {
			fmt.Println(c.Name, c.Usable(), errors.Is(c.Problem, plugins.ErrUnusable))
		}
	}
	// Output: toy false true
}

// A program that names no plugin gets the best one for the machine, and its user can choose another
// with a variable.
func ExampleFind() {
	os.Setenv(plugins.PlatformsVariable, "cpu")
	defer os.Unsetenv(plugins.PlatformsVariable)

	c, err := plugins.Find(context.Background(), "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Name, c.Platform, filepath.Ext(c.Path))
	// Output: cpu cpu .so
}

// A configuration file names a library, and has options for its clients.
func ExampleFind_configuration() {
	dir, err := os.MkdirTemp("", "plugins-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	text := `{"library_path": "libmine.so", "create_options": {"cpu_device_count": 2, "visible_devices": [0, 1]}}`
	for name, text := range map[string]string{"mine.json": text, "libmine.so": "not a library yet"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			fmt.Println(err)
			return
		}
	}
	c, err := plugins.Find(context.Background(), filepath.Join(dir, "mine.json"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(filepath.Base(c.Path), c.Usable())
	for _, o := range c.Options {
		fmt.Printf("%s = %v (%T)\n", o.Name, o.Value, o.Value)
	}
	// Output:
	// libmine.so false
	// cpu_device_count = 2 (int64)
	// visible_devices = [0 1] ([]int64)
}
