// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugintest

import (
	"context"
	"testing"

	"github.com/purepjrt/purepjrt/pjrt"
)

// Plugin opens XLA's plugin for CPUs, which is installed if it is missing.
func Plugin(t testing.TB) *pjrt.Plugin {
	t.Helper()
	plugin, err := pjrt.Open(Path(t, "cpu"))
	if err != nil {
		t.Fatal(err)
	}
	return plugin
}

// Age returns the minor version of the API that the plugin of [Plugin] has, for what differs
// between ages.
func Age(t testing.TB) int {
	t.Helper()
	_, minor := Plugin(t).Version()
	return minor
}

// Client makes a client of the plugin of [Plugin], which is closed when the test ends. The
// attributes are those of [pjrt.ClientOptions.Create], such as cpu_device_count.
func Client(t testing.TB, attributes ...pjrt.Attribute) *pjrt.Client {
	t.Helper()
	client, err := Plugin(t).NewClient(context.Background(), &pjrt.ClientOptions{Create: attributes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}
