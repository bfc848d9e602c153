// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package suite

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// aged is the CPU plugin as one of an older API: its table says so, and ends where that
// of the older API did.
func aged(t *testing.T, minor int) *capi.Table {
	t.Helper()
	real, err := capi.Open(plugintest.Path(t, "cpu"))
	require.NoError(t, err)
	api := *real.API()
	api.PJRTAPIVersion.MinorVersion = int32(minor)
	api.StructSize = 0
	for _, f := range capi.Functions(capi.SectionCore) {
		if f.Since <= minor {
			api.StructSize = max(api.StructSize, f.Offset+wordSize)
		}
	}
	table, err := capi.NewTable(&api)
	require.NoError(t, err)
	return table
}

// wordSize is the size of a slot of the table.
const wordSize = 8

// A field that the plugin is too old for is no fault of the plugin.
func TestNoCheckFailsForTheAgeOfThePlugin(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of checks run on plugins of several ages: make test-all")
	}
	options := []capi.Attribute{{Name: "cpu_device_count", Value: int64(4)}}
	ages := []int{60, 70, 75}
	// Each age gets every third check, which takes a third of the time; part -1 is all of them.
	verdicts := func(t *testing.T, table *capi.Table, part int) map[string]check.Result {
		env := &check.Env{Table: table, Options: options}
		all := make(map[string]check.Result)
		for i, c := range Checks() {
			if part >= 0 && i%len(ages) != part {
				continue
			}
			// Programs are the same for every age, and in its messages the plugin still states its own.
			if c.Profile > check.Quick || c.Hostile || c.Rule == "RUN-02" || strings.HasPrefix(c.Rule, "DIFF") || c.Rule == "SKEW-19" {
				continue
			}
			all[c.Name()] = check.Run(t.Context(), &c, env)
		}
		assert.NoError(t, env.Close())
		return all
	}
	now := verdicts(t, aged(t, 81), -1)
	for part, minor := range ages {
		t.Run(strconv.Itoa(minor), func(t *testing.T) {
			for name, r := range verdicts(t, aged(t, minor), part) {
				if r.Verdict.Failed() && !now[name].Verdict.Failed() {
					t.Errorf("%s: %s %q, and %s at 0.81", name, r.Verdict, r.Failures, now[name].Verdict)
				}
			}
		})
	}
}
