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
	create   []string // create options of the plugin, as name:value
}

// parseConfig reads the form that the package comment describes.
func parseConfig(text string) (config, error) {
	parts := strings.Split(text, ",")
	c := config{plugin: strings.TrimSpace(parts[0])}
	for _, part := range parts[1:] {
		name, value, hasValue := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case name == "" && !hasValue:
		case name == "cache":
			c.cached, c.cacheDir = true, value
		case name == "shared" || name == "reuse":
			toggle := platform.On
			if value == "false" {
				toggle = platform.Off
			} else if value != "true" {
				return config{}, errorf("the option %s=%s must be true or false", name, value)
			}
			if name == "reuse" {
				c.reuse = toggle
			} else {
				c.unshared = toggle == platform.Off
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
