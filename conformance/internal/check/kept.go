// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"github.com/purepjrt/purepjrt/capi"
)

// Kept holds texts that the plugin owns and must not change, each with its value when the
// plugin returned it. A function that has one buffer for the texts of all objects returns
// each text correctly, but spoils the one before.
type Kept struct{ texts []keptText }

type keptText struct {
	p    *byte
	n    uintptr
	what string
	was  string
}

// Add notes a text of n bytes at p. what says whose it is.
func (k *Kept) Add(p *byte, n uintptr, what string) {
	k.texts = append(k.texts, keptText{p: p, n: n, what: what, was: capi.String(p, n)})
}

// Expect fails the check for each text that has changed.
func (k *Kept) Expect(t *T) {
	for _, x := range k.texts {
		if now := capi.String(x.p, x.n); now != x.was {
			t.Errorf("%s: expected the bytes to stay %q, but when the same function was called for something else they became %q",
				x.what, x.was, now)
		}
	}
}
