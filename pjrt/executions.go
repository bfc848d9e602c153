// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"sync"
	"sync/atomic"
)

// executions holds what an executable needs for its executions.
type executions struct {
	spare    atomic.Pointer[launch]       // to be used again, which most programs need only one of at a time
	launches sync.Pool                    // of *launch, for the others
	asides   sync.Pool                    // of *executeJob
	repeated atomic.Pointer[repeated]     // nil until an execution is likely to be repeated
	short    quickness                    // of the last executions, from the call to the end
	yields   yields                       // of the goroutines that execute
	limit    limit                        // of executions under way
	kinds    atomic.Pointer[[]resultKind] // of the results, the same for each execution
}
