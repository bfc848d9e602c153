// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import "github.com/purepjrt/purepjrt/pjrt/compile"

// EncodeOptions encodes options for a topology of four devices whose platform
// has its own flags.
func EncodeOptions(o *CompileOptions) ([]byte, error) {
	return o.encode(optionsTarget{platform: "test", ids: []int{0, 1, 2, 3}})
}

// EncodeOptionsAnywhere encodes options for an unknown topology.
func EncodeOptionsAnywhere(o *CompileOptions) ([]byte, error) {
	return o.encode(optionsTarget{})
}

var (
	FileDigest  = fileDigest
	Misplaced   = misplaced
	SavedPlugin = (*Plugin).saved
)

// SystemOf is what Serialize states about executables for the topology.
func SystemOf(t *Topology) compile.System { return t.system() }
