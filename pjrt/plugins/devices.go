// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"fmt"

	"github.com/purepjrt/purepjrt/pjrt"
)

// DefaultDevice returns the device for a program that is not told which one to use, as JAX chooses
// it: the first one of this process. It is an error if the client has none.
func DefaultDevice(client *pjrt.Client) (*pjrt.Device, error) {
	devices := client.AddressableDevices()
	if len(devices) == 0 {
		return nil, fmt.Errorf("%v has no devices that this process may use: it sees %d of other processes", client, len(client.Devices()))
	}
	return devices[0], nil
}

// ProcessCount returns how many processes share the devices of a client, as JAX's process_count
// does: one more than the highest process index of the client and of its devices.
func ProcessCount(client *pjrt.Client) int {
	n := client.ProcessIndex()
	for _, d := range client.Devices() {
		n = max(n, d.ProcessIndex())
	}
	return n + 1
}
