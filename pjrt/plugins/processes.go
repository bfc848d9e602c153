// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import "github.com/purepjrt/purepjrt/pjrt"

// ProcessCount returns how many processes share the devices of a client, as JAX's process_count
// does: one more than the highest process index of the client and of its devices.
func ProcessCount(client *pjrt.Client) int {
	n := client.ProcessIndex()
	for _, d := range client.Devices() {
		n = max(n, d.ProcessIndex())
	}
	return n + 1
}
