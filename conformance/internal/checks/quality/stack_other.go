// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package quality

import "github.com/purepjrt/purepjrt/conformance/internal/check"

func smallStack(t *check.T) { t.SkipEnvf("threads of a given stack are made on Linux only") }

func everydayOnSmallStack(t *check.T) { smallStack(t) }
