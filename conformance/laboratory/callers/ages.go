// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package callers

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// Ages returns the API minors that added functions to the core table, and the oldest that the
// stand-ins for older plugins can have, in ascending order. A plugin of another minor has the table
// of the one before.
func Ages() []int {
	ages := []int{serve.OldestMinor}
	for _, f := range capi.Functions(capi.SectionCore) {
		if f.Since > serve.OldestMinor {
			ages = append(ages, f.Since)
		}
	}
	slices.Sort(ages)
	return slices.Compact(ages)
}
