// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package quality

import "github.com/purepjrt/purepjrt/conformance/internal/check"

func scarceStep(t *check.T, _ string) {
	t.SkipEnvf("the address space of a process is limited on Linux only")
}
