// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package docs_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

const pluginsPage = root + "/pjrt/docs/plugins.md"

// The rest of a row takes the plugin, and is compared by make plugins-table.
func TestThePageHasARowForEveryPackage(t *testing.T) {
	t.Parallel()
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("the page is about another platform")
	}
	text, err := os.ReadFile(pluginsPage)
	require.NoError(t, err)
	for _, p := range plugins.Packages() {
		assert.Contains(t, string(text), fmt.Sprintf("\n| %s | %s %s | ", p.Name, p.Project, p.Version))
	}
}
