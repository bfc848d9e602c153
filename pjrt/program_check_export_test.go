// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

// CheckText looks at a program as for libtpu.
func CheckText(code []byte) error {
	return Program{Code: code, Format: FormatMLIR}.checkCode(&Plugin{kind: KindTPU}, 1)
}
