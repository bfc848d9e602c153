// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/internal/suite"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

var update = flag.Bool("update", false, "write UPSTREAM.md afresh")

// UPSTREAM.md lists for each of upstream's tests the rules that state the same.
func TestTheTableOfUpstreamTestsIsFresh(t *testing.T) {
	covered, reasons := Covered(), suite.Unobservable()
	var b strings.Builder
	b.WriteString(`# Upstream's tests, and the rules that state the same

XLA's own tests of PJRT are written against C++ objects or one backend. This page lists,
in our words, those that test behaviour that a plugin shows through the C interface, with
the rules of this suite that say the same. Column C ABI: Y, any plugin can show it; P, some
platforms can. A rule in brackets has no check; the last table says why.
`)
	file := ""
	missing := map[string]bool{}
	for _, c := range rules.Upstream() {
		if c.ABI == "N" {
			continue
		}
		if c.File != file {
			file = c.File
			fmt.Fprintf(&b, "\n## %s\n\n| id | test | asserts | C ABI | rules |\n|---|---|---|---|---|\n", file)
		}
		var names []string
		for _, r := range c.Rules {
			if strings.Contains(r, "-") && covered[r] == 0 {
				missing[r] = true
				r = "(" + r + ")"
			}
			names = append(names, r)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", c.ID, c.Test, c.Asserts, c.ABI, strings.Join(names, " "))
	}
	b.WriteString("\n## Rules without a check\n\n| rule | why |\n|---|---|\n")
	for _, r := range rules.All() {
		if missing[r.ID] {
			require.NotEmpty(t, reasons[r.ID], r.ID)
			fmt.Fprintf(&b, "| %s | %s |\n", r.ID, reasons[r.ID])
		}
	}
	if *update {
		require.NoError(t, os.WriteFile("UPSTREAM.md", []byte(b.String()), 0o644))
	}
	text, err := os.ReadFile("UPSTREAM.md")
	require.NoError(t, err)
	assert.True(t, b.String() == string(text), "UPSTREAM.md is out of date: go test ./conformance -run UpstreamTests -update")
}
