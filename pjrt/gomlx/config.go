// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/platform"
)

// config is what the text after the name of the backend says.
type config struct {
	plugin   string // name or path; empty for the default
	cached   bool
	cacheDir string // empty for the default directory
	unshared bool
	reuse    platform.Toggle
	cudnn    platform.Toggle
	dynamic  bool
	create   []string // create options of the plugin, as name:value
}

// help is what the options "help" answers with.
const help = `options of the backend "pjrt", after the name or path of a plugin, as in pjrt:cpu,cache,reuse=true:
  help            this list
  cache[=DIR]     keep compiled programs on disk, in DIR or in the default directory
  shared=false    no buffers in memory that the host and the device share
  reuse=true      results take the memory of donated arguments, also on CPUs; reuse=false: nowhere
  cudnn=false     no attention through cuDNN on CUDA devices
  dynamic=true    say to GoMLX that programs with dynamic axes are cheap, see the package comment
  NAME=VALUE      a create option of the plugin, such as cpu_device_count=8 or memory_fraction=0.5;
                  a list has semicolons between its elements`

// parseConfig reads the form that the package comment describes.
func parseConfig(text string) (config, error) {
	parts := strings.Split(text, ",")
	c := config{plugin: strings.TrimSpace(parts[0])}
	if c.plugin == "help" {
		return config{}, errorf("%s", help)
	}
	for _, part := range parts[1:] {
		name, value, hasValue := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case name == "" && !hasValue:
		case name == "cache":
			c.cached, c.cacheDir = true, value
		case name == "help" && !hasValue:
			return config{}, errorf("%s", help)
		case name == "shared" || name == "reuse" || name == "cudnn" || name == "dynamic":
			toggle := platform.On
			if value == "false" {
				toggle = platform.Off
			} else if value != "true" {
				return config{}, errorf("the option %s=%s must be true or false", name, value)
			}
			switch name {
			case "reuse":
				c.reuse = toggle
			case "cudnn":
				c.cudnn = toggle
			case "shared":
				c.unshared = toggle == platform.Off
			case "dynamic":
				c.dynamic = toggle == platform.On
			}
		case !hasValue || name == "":
			return config{}, errorf("the option %q is not of the form name=value", part)
		default:
			c.create = append(c.create, name+":"+strings.ReplaceAll(value, ";", ","))
		}
	}
	return c, nil
}

// createOptions returns the create options for a kind of plugin.
func (c config) createOptions(kind string) ([]capi.Attribute, error) {
	if len(c.create) == 0 {
		return nil, nil
	}
	return platform.Parse(kind, strings.Join(c.create, ";"))
}
