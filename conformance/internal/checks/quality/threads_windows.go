// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

func signalled(t *check.T, _ time.Duration) { t.SkipEnvf("Windows has no signals") }
