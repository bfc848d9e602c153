// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"path/filepath"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
)

// The kinds of plugins whose options and quirks this package knows.
const (
	kindCPU    = "cpu"
	kindCUDA   = "cuda"
	kindROCm   = "rocm"
	kindOneAPI = "oneapi"
	kindTPU    = "tpu"
)

// Kind returns the kind of the plugin: "cpu", "cuda", "rocm" or "oneapi" for XLA's
// plugins, "tpu" for libtpu, and "" for all others. It needs no client: it looks at the
// plugin's extensions, attributes, and file name or registered name.
func (p *Plugin) Kind() string {
	if p == nil {
		return ""
	}
	return p.kind
}

// kindWords maps words in the names of plugins to kinds.
var kindWords = []struct {
	word string
	kind string
}{
	{"cuda", kindCUDA},
	{"rocm", kindROCm},
	{"oneapi", kindOneAPI},
	{"sycl", kindOneAPI},
	{"tpu", kindTPU},
	{"cpu", kindCPU},
}

func detectKind(p *Plugin) string {
	for _, x := range []capi.ExtensionType{capi.ExtensionTypeTPUTopology, capi.ExtensionTypeTPUExecutable, capi.ExtensionTypeMegascale} {
		if p.table.Extension(x) != nil {
			return kindTPU
		}
	}
	isXLA := false
	for _, a := range p.attributes {
		switch a.Name {
		case "xla_version":
			isXLA = true
		case "cuda_version":
			return kindCUDA
		case "rocm_version":
			return kindROCm
		}
	}
	name := p.name
	if name == "" {
		// A file name is not enough: other plugins than XLA's drive the same devices.
		if !isXLA {
			return ""
		}
		name = filepath.Base(p.path)
	}
	name = strings.ToLower(name)
	for _, w := range kindWords {
		if strings.Contains(name, w.word) {
			return w.kind
		}
	}
	return ""
}
