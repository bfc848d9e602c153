// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// text is a text that the plugin owns.
type text struct {
	p *byte
	n uintptr
}

func (s text) String() string { return capi.String(s.p, s.n) }

// stableText reads a text twice and calls other in between. The text must not be empty,
// and must stay in place.
func stableText(t *check.T, what string, read func() text, other func()) string {
	first := read()
	before := first.String()
	switch {
	case first.n == 0:
		t.Errorf("%s: expected a text, got an empty one", what)
	case first.p == nil:
		t.Errorf("%s: a text of %d bytes at null", what, first.n)
	case strings.Contains(before, "\x00"):
		t.Errorf("%s: expected a text without a zero byte, got %q", what, before)
	}
	if other != nil {
		other()
	}
	check.Equal(t, before, first.String(), "%s: the bytes at the same address later", what)
	again := read()
	check.Equal(t, before, again.String(), "%s: the text from a second call", what)
	check.Equal(t, first.p, again.p, "%s: the address of the text from a second call", what)
	return before
}

// churn makes the plugin allocate memory, so that freed texts are overwritten.
func churn(t *check.T) {
	for range 20 {
		_, _ = check.Try(t, capi.PluginAttributesArgs{})
	}
	c := t.Made()
	if c == nil {
		return
	}
	for range 20 {
		_, _ = check.Try(t, capi.ClientLookupDeviceArgs{Client: c.Handle, ID: -1})
		_, _ = check.Try(t, capi.ClientPlatformVersionArgs{Client: c.Handle})
		_, _ = check.Try(t, capi.ClientTopologyDescriptionArgs{Client: c.Handle})
	}
}
