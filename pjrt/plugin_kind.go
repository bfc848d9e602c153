// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"path/filepath"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
)

// Kind is a kind of plugin that this package knows more about than the API says:
// its options, and what it crashes on.
type Kind string

// The kinds of plugins. All others are of KindUnknown.
const (
	KindUnknown Kind = ""
	KindCPU     Kind = "cpu"    // XLA's for CPUs
	KindCUDA    Kind = "cuda"   // XLA's for NVIDIA's GPUs
	KindROCm    Kind = "rocm"   // XLA's for AMD's GPUs
	KindOneAPI  Kind = "oneapi" // XLA's for Intel's GPUs
	KindTPU     Kind = "tpu"    // libtpu
)

// GPU reports whether the kind is one of XLA's plugins for GPUs.
func (k Kind) GPU() bool { return k == KindCUDA || k == KindROCm || k == KindOneAPI }

// Kind returns the kind of the plugin. It is found out without making a client:
// by the plugin's extensions and attributes, else by the name of its file or that
// it was registered by.
func (p *Plugin) Kind() Kind { return p.kind }

// kindWords are what the names of plugins have in them.
var kindWords = []struct {
	word string
	kind Kind
}{
	{"cuda", KindCUDA},
	{"rocm", KindROCm},
	{"oneapi", KindOneAPI},
	{"sycl", KindOneAPI},
	{"tpu", KindTPU},
	{"cpu", KindCPU},
}

func detectKind(p *Plugin) Kind {
	for _, x := range []capi.ExtensionType{capi.ExtensionTypeTPUTopology, capi.ExtensionTypeTPUExecutable, capi.ExtensionTypeMegascale} {
		if p.table.Extension(x) != nil {
			return KindTPU
		}
	}
	isXLA := false
	for _, a := range p.attributes {
		switch a.Name {
		case "xla_version":
			isXLA = true
		case "cuda_version":
			return KindCUDA
		case "rocm_version":
			return KindROCm
		}
	}
	name := p.name
	if name == "" {
		// Others build plugins for the same devices; those of XLA's say so.
		if !isXLA {
			return KindUnknown
		}
		name = filepath.Base(p.path)
	}
	name = strings.ToLower(name)
	for _, w := range kindWords {
		if strings.Contains(name, w.word) {
			return w.kind
		}
	}
	return KindUnknown
}
