// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package docs_test

import (
	"slices"
	"testing"

	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestTheDocumentsCommandsForAheadOfTimeWork(t *testing.T) {
	plugintest.Path(t, "tpu")
	for _, d := range documents(t) {
		if slices.ContainsFunc(d.blocks, func(b block) bool { return b.kind == "console" && b.has("aot") }) {
			follow(t, d, "aot")
		}
	}
}
