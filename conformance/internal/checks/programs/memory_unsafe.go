// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import "unsafe"

// floatsAt reads four floats at an address that the plugin gave for host memory
// and keeps alive.
func floatsAt(address uintptr) [4]float32 {
	return **(**[4]float32)(unsafe.Pointer(&address))
}

// flipByte changes the byte at an address that a caller passed.
func flipByte(address unsafe.Pointer) { *(*byte)(address) ^= 1 }
