// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build wrapped

package pjrt

import "github.com/purepjrt/purepjrt/capi"

// OpenAs makes Open return the plugin of the table for the path, which must not contain
// links.
func OpenAs(path string, table *capi.Table) error {
	_, err := slotOf(&registry.paths, path).get(func() (*Plugin, error) { return pluginOf(table, "", fileAt(path)) })
	return err
}
