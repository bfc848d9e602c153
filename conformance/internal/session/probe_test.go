// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package session

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// A plugin that compiles nothing at all is not excused from taking text, and neither is one that
// takes text.
func TestOnlyPluginsThatTakeArtifactsAloneTakeNoText(t *testing.T) {
	base, err := capi.Open(plugintest.Path(t, "cpu"))
	require.NoError(t, err)
	require.NoError(t, (&capi.Call[capi.PluginInitializeArgs]{}).Do(base))
	for _, test := range []struct {
		name    string
		refuses func(code string) bool
		says    string
	}{
		{"takes both", func(string) bool { return false }, ""},
		{"takes artifacts alone", func(code string) bool { return strings.HasPrefix(code, "module") }, "send an artifact"},
		{"takes nothing", func(string) bool { return true }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			table, err := serve.Wrap(base, serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) {
				if test.refuses(capi.String(a.Program.Code, a.Program.CodeSize)) {
					c.Fail(capi.ErrorCodeInternal, "send an artifact")
					return
				}
				c.Forward()
			}))
			require.NoError(t, err)
			s := &session{env: &check.Env{Table: table.Capi()}}
			require.Empty(t, s.client().Problem)
			if got := s.noText(); test.says == "" {
				assert.Empty(t, got)
			} else {
				assert.Contains(t, got, test.says)
			}
			assert.NoError(t, s.subject.close())
		})
	}
}
