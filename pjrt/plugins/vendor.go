// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"fmt"
	"strings"
)

// vendorLibraries says, by the names of plugins and of platforms, where the libraries come from
// that a plugin needs and does not bring. Each text continues a sentence about missing libraries.
var vendorLibraries = map[string]string{
	"rocm10": "they are part of ROCm 10.1: install it below /opt/rocm, where the plugin looks for them",
	"rocm7":  "they are part of ROCm 7.14: install it below /opt/rocm, where the plugin looks for them",
	"rocm60": "they are part of ROCm 6: install it below /opt/rocm, where the plugin looks for them",
	"rocm":   "they are part of AMD's ROCm: install the version that the plugin was built for below /opt/rocm, where it looks for them",
	"oneapi": `they are part of Intel's oneAPI 2025.1 and of a Level Zero newer than 1.8 (libze_*): Linux distributions have the latter, ` +
		`and pip install "jax-oneapi-plugin[with-oneapi]" puts the former into the lib directory of a virtual environment ` +
		`of Python 3.12 or newer, where the plugin that it brings finds them`,
}

// installLibraries says what to do about missing libraries of a plugin.
func (f *finder) installLibraries(c *Candidate) string {
	name, _, _ := strings.Cut(strings.ToLower(c.Name), "@")
	for _, key := range []string{name, c.Platform} {
		if where := vendorLibraries[key]; where != "" {
			return fmt.Sprintf("%s, or add their directory to %s before the program starts", where, f.loaderVariable())
		}
	}
	return fmt.Sprintf("install them, or add their directory to %s before the program starts", f.loaderVariable())
}

// enumerate lists some words, and says how many more there are.
func enumerate(words []string) string {
	const most = 6
	if len(words) <= most+1 {
		return strings.Join(words, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
}
