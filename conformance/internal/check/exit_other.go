// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux && !darwin

package check

import "os"

func exit(code int) { os.Exit(code) }

// Unload skips the check: the system has no dlclose.
func (t *T) Unload() { t.SkipEnvf("this system has no dlclose") }
