// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Variable is one environment variable.
type Variable struct {
	Name, Value string
}

// Prepare sets the environment variables that the library of a plugin (a name or
// a path, as in [Find]) reads when it is loaded. It sets what [Environment] lists
// and the environment does not have yet, so the user's own settings win. Call it
// before the library is loaded, and while no other goroutine uses the
// environment. A program that wants the library's own behaviour does not call it;
// a user gets the same with PJRT_PREPARE=0.
func Prepare(plugin string) error {
	if os.Getenv("PJRT_PREPARE") == "0" {
		return nil
	}
	for _, v := range Environment(plugin) {
		if _, set := os.LookupEnv(v.Name); set {
			continue
		}
		if err := os.Setenv(v.Name, v.Value); err != nil {
			return fmt.Errorf("set %s for plugin %s: %w", v.Name, plugin, err)
		}
	}
	return nil
}

// Environment lists what [Prepare] sets for a plugin on this machine. It is empty
// for every library but libtpu.
//
// libtpu writes logs into /tmp and to standard error unless told otherwise. On a
// machine without a TPU, where it can only compile ahead of time, it also asks a
// metadata server that does not exist, for minutes, and refuses to be loaded by
// two processes at once; the variables against that are set on such machines
// only, since a TPU needs both.
func Environment(plugin string) []Variable {
	return environment(plugin, "/sys/bus/pci/devices")
}

func environment(plugin, pciDevices string) []Variable {
	if !isTPU(plugin) {
		return nil
	}
	vars := []Variable{
		{"TPU_LOG_DIR", "disabled"},
		{"TPU_MIN_LOG_LEVEL", "3"},
		{"TPU_STDERR_LOG_LEVEL", "3"},
	}
	if hasTPU(pciDevices) {
		return vars
	}
	return append(vars,
		Variable{"TPU_SKIP_MDS_QUERY", "1"},
		Variable{"ALLOW_MULTIPLE_LIBTPU_LOAD", "1"},
		// What the metadata server would have answered; without them libtpu warns.
		Variable{"TPU_ACCELERATOR_TYPE", "v5litepod-4"},
		Variable{"TPU_WORKER_HOSTNAMES", "localhost"},
		Variable{"TPU_WORKER_ID", "0"},
	)
}

func isTPU(plugin string) bool {
	if isPath(plugin) {
		return strings.HasPrefix(filepath.Base(plugin), "libtpu")
	}
	return plugin == "tpu" || strings.HasPrefix(plugin, "tpu@")
}

// hasTPU looks for a PCI device of Google's that is neither a network card nor a
// disk, which virtual machines without a TPU have as well.
func hasTPU(pciDevices string) bool {
	devices, _ := filepath.Glob(filepath.Join(pciDevices, "*"))
	for _, device := range devices {
		if attribute(device, "vendor") != "0x1ae0" {
			continue
		}
		class := attribute(device, "class")
		if !strings.HasPrefix(class, "0x01") && !strings.HasPrefix(class, "0x02") {
			return true
		}
	}
	return false
}

// attribute reads one of the files that the kernel describes a device with; what
// cannot be read is empty.
func attribute(device, name string) string {
	text, err := os.ReadFile(filepath.Join(device, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
