// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package subprocess

import "errors"

// CanLimitMemory says whether LimitMemory works on this system.
const CanLimitMemory = false

// LimitMemory returns an error.
func LimitMemory(int64) error { return errors.ErrUnsupported }

// MachineMemory returns 0: it is not known.
func MachineMemory() int64 { return 0 }
