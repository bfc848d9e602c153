// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"path/filepath"
	"slices"
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

// Kind returns "cpu", "cuda", "rocm" or "oneapi" for XLA's plugins, "tpu" for libtpu, and "" for
// all others. For some of XLA's plugins, whose extensions, attributes and names do not tell, it is
// "" until a client or topology does.
func (p *Plugin) Kind() string {
	if p == nil {
		return ""
	}
	if kind := p.kind.Load(); kind != nil {
		return *kind
	}
	return ""
}

// setKind sets the kind unless it is known already, or is "".
func (p *Plugin) setKind(kind string) {
	if kind != "" {
		p.kind.CompareAndSwap(nil, &kind)
	}
}

// learnKind sets the kind from the platform of a client or topology, unless it is known already.
func (p *Plugin) learnKind(platform string) {
	if p.kind.Load() == nil && p.isXLA() {
		p.setKind(kindIn(platform))
	}
}

// copiesHostMemory reports whether the devices certainly have memory of their own, so that a
// buffer cannot be memory of the host.
func (p *Plugin) copiesHostMemory() bool { return p.Kind() != kindCPU && p.Kind() != "" }

// rowMajor reports whether the devices certainly store arrays row-major unless a program or a
// caller asks for another layout.
func (p *Plugin) rowMajor() bool {
	switch p.Kind() {
	case kindCPU, kindCUDA, kindROCm, kindOneAPI:
		return true
	}
	return false
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
	for _, a := range p.attributes {
		switch a.Name {
		case "cuda_version":
			return kindCUDA
		case "rocm_version":
			return kindROCm
		}
	}
	if kind := kindIn(p.name); kind != "" || !p.isXLA() {
		// A file name is not enough: plugins other than XLA's drive the same devices.
		return kind
	}
	target, _ := filepath.EvalSymlinks(p.library)
	for _, path := range []string{p.path, p.library, target} {
		if kind := kindIn(filepath.Base(path)); kind != "" {
			return kind
		}
	}
	return ""
}

// isXLA reports whether the plugin says that it is built on XLA.
func (p *Plugin) isXLA() bool {
	return slices.ContainsFunc(p.attributes, func(a Attribute) bool { return a.Name == "xla_version" })
}

// kindIn returns the kind whose word the name contains, or "".
func kindIn(name string) string {
	name = strings.ToLower(name)
	for _, w := range kindWords {
		if strings.Contains(name, w.word) {
			return w.kind
		}
	}
	return ""
}
