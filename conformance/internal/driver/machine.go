// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// modulePath is the module that the suite is part of.
const modulePath = "github.com/purepjrt/purepjrt"

// suite says which suite this is.
func suite(checks []check.Check) report.Suite {
	s := report.Suite{
		Version: "(devel)", API: fmt.Sprintf("%d.%d", capi.APIMajor, capi.APIMinor), Go: runtime.Version(),
		Rules: len(rules.All()), Checks: len(checks),
	}
	covered := make(map[string]bool)
	for i := range checks {
		covered[checks[i].Rule] = true
	}
	s.Covered = len(covered)
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return s
	}
	if info.Main.Path == modulePath {
		if info.Main.Version != "" {
			s.Version = info.Main.Version
		}
		for _, v := range info.Settings {
			if v.Key == "vcs.revision" {
				s.Revision = v.Value
			}
		}
		return s
	}
	for _, m := range info.Deps {
		if m.Path == modulePath {
			s.Version = m.Version
		}
	}
	return s
}

var (
	modelName = regexp.MustCompile(`(?m)^model name\s*:\s*(.+)$`)
	memTotal  = regexp.MustCompile(`(?m)^MemTotal:\s*(\d+) kB`)
	prettyOS  = regexp.MustCompile(`(?m)^PRETTY_NAME="?([^"\n]+)`)
)

// machine says where the suite runs, as far as the system's files show.
func machine() report.Machine {
	m := report.Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU()}
	m.Processor = find("/proc/cpuinfo", modelName)
	m.System = find("/etc/os-release", prettyOS)
	if kib, err := strconv.ParseInt(find("/proc/meminfo", memTotal), 10, 64); err == nil {
		m.Memory = kib << 10
	}
	return m
}

func find(file string, what *regexp.Regexp) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	if m := what.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}
