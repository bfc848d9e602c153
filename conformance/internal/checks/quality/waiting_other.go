// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package quality

import "time"

// waitedTime returns 0: here, how long threads have waited for a processor is not known.
func waitedTime() time.Duration { return 0 }
