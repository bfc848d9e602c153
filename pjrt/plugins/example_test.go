// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// A program that has to run anywhere installs the plugin if it does not find it.
func Example() {
	library, err := plugins.Find("cpu")
	if errors.Is(err, plugins.ErrNotFound) {
		library, err = plugins.Install(context.Background(), "cpu", plugins.InstallOptions{})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := plugins.Prepare(library); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(filepath.Base(library))
	// Output: xla_cpu_pjrt.so
}

// List finds plugins by the names of their files. It loads none of them, so a broken file does no harm.
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

// A program that names no plugin gets the best one for the machine, and its user can choose another with a variable.
func ExampleDefault() {
	os.Setenv(plugins.PlatformsVariable, "cpu")
	defer os.Unsetenv(plugins.PlatformsVariable)

	c, err := plugins.Default(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := plugins.Prepare(c.Path); err != nil {
		fmt.Println(err)
		return
	}
	plugin, err := pjrt.Open(c.Path)
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := plugin.NewClient(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	fmt.Println(c.Platform, client.PlatformName())
	// Output: cpu cpu
}

func ExamplePlatforms() {
	fmt.Println(plugins.Platforms("gpu"), plugins.Platforms("host"), plugins.Platforms("cuda13"))
	// Output: [cuda rocm oneapi] [cpu] [cuda]
}

func ExampleReadConfig() {
	dir, err := os.MkdirTemp("", "plugins-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "mine.json")
	text := `{"library_path": "/opt/mine/libmine.so", "create_options": {"cpu_device_count": 2, "visible_devices": [0, 1]}}`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	config, err := plugins.ReadConfig(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(config.LibraryPath)
	for _, o := range config.Options {
		fmt.Printf("%s = %v (%T)\n", o.Name, o.Value, o.Value)
	}
	// Output:
	// /opt/mine/libmine.so
	// cpu_device_count = 2 (int64)
	// visible_devices = [0 1] ([]int64)
}
