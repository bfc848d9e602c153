// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import "github.com/purepjrt/purepjrt/conformance/internal/check"

func noFiles(t *check.T) { t.SkipEnvf("Windows has no limit of open files to set") }

// filesLeft reports whether the process may open files.
func filesLeft() bool { return true }
