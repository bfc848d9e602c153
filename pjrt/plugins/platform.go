// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"regexp"
	"slices"
	"strings"
)

// platforms lists the kinds of devices that this package knows, the preferred ones first.
var platforms = []struct {
	name         string
	priority     int
	experimental bool
}{
	{"cuda", 500, false},
	{"rocm", 400, false},
	{"oneapi", 300, false},
	{"tpu", 200, false},
	{"neuron", 150, false},
	{"tt", 140, false},
	{"metal", 50, true},
	{"cpu", 0, false},
}

// otherPriority is the priority of plugins for devices that this package does not know. Users who
// install one prefer it to the CPU.
const otherPriority = 100

// knows reports whether this package knows a platform, and so whether the machine has its devices.
func knows(platform string) bool {
	for _, p := range platforms {
		if p.name == platform {
			return true
		}
	}
	return false
}

// aliases maps names to the platforms that they stand for.
var aliases = map[string][]string{
	"gpu":    {"cuda", "rocm", "oneapi"},
	"host":   {"cpu"},
	"nvidia": {"cuda"},
	"amd":    {"rocm"},
	"xpu":    {"oneapi"},
	"sycl":   {"oneapi"},
	"intel":  {"oneapi"},
	"libtpu": {"tpu"},
	"libtt":  {"tt"},

	"tenstorrent": {"tt"},
}

// platformsOf returns the platforms that name stands for, the preferred one first: cuda, rocm and
// oneapi for gpu; cpu for host; cuda for cuda12. Any other name stands for itself.
func platformsOf(name string) []string {
	if list, ok := aliases[strings.ToLower(name)]; ok {
		return slices.Clone(list)
	}
	return []string{platformOf(name)}
}

// versioned matches names of plugins that consist of a platform and a version.
var versioned = regexp.MustCompile(`^(cuda|rocm|metal)[-_]?[0-9.]+$`)

// platformOf returns the platform of the plugin called name.
func platformOf(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), "@")
	if m := versioned.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	if list, ok := aliases[name]; ok && len(list) == 1 {
		return list[0]
	}
	return name
}

// ranked fills in the fields that follow from the name of c.
func ranked(c Candidate) Candidate {
	c.Platform = platformOf(c.Name)
	c.Priority = otherPriority
	for _, p := range platforms {
		if p.name == c.Platform {
			c.Priority, c.Experimental = p.priority, p.experimental
		}
	}
	c.FailQuietly = true
	return c
}

// fileNames match the file names of plugins, without the suffix of libraries. The group is the name
// of the plugin.
var fileNames = []*regexp.Regexp{
	regexp.MustCompile(`^(?:lib)?pjrt_c_api_(.+)_plugin$`),
	regexp.MustCompile(`^(?:lib)?pjrt[-_]plugin[-_](.+)$`),
	regexp.MustCompile(`^(?:lib)?pjrt_(cpu|cuda|rocm|oneapi|tpu|neuron|metal)$`),
	regexp.MustCompile(`^xla_(.+?)_(?:pjrt_)?plugin$`),
	regexp.MustCompile(`^xla_(.+)_pjrt$`),
	regexp.MustCompile(`^lib(tpu|tt)$`),
	regexp.MustCompile(`^lib(neuron)pjrt$`),
}

// pluginOfFile returns the name of the plugin in a file of this name, or "" if it is not the name
// of a plugin's file.
func pluginOfFile(file, goos string) string {
	stem, ok := librarySuffix(file, goos)
	if !ok {
		return ""
	}
	for _, pattern := range fileNames {
		if m := pattern.FindStringSubmatch(stem); m != nil && m[1] != "" {
			return m[1]
		}
	}
	return ""
}

// librarySuffix removes the suffix of a shared library from a file name. On Linux a version may
// follow the suffix.
func librarySuffix(file, goos string) (stem string, ok bool) {
	switch goos {
	case "darwin", "ios":
		if stem, ok = strings.CutSuffix(file, ".dylib"); ok {
			return stem, true
		}
		return strings.CutSuffix(file, ".so") // the suffix of Python's modules
	case "windows":
		if i := len(file) - len(".dll"); i >= 0 && strings.EqualFold(file[i:], ".dll") {
			return file[:i], true
		}
		return file, false
	}
	stem, version, ok := strings.Cut(file, ".so")
	if !ok || version != "" && (version[0] != '.' || strings.Trim(version, ".0123456789") != "") {
		return file, false
	}
	return stem, true
}
