// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"strings"

	"github.com/purepjrt/purepjrt/capi"
)

// beyond lies in memory behind each text that Message passes.
const beyond = "~beyond the message"

// Message passes the text of an error to the plugin, with more behind it in memory: a plugin that
// reads past the size, by one byte or up to a zero, repeats some of that, and Says sees it.
func Message(text string) (*byte, uintptr) {
	return capi.StringData((text + beyond + "\x00")[:len(text)])
}

// Says reports whether a message has a text that Message passed, and nothing from behind it.
func Says(message, text string) bool {
	return strings.Contains(message, text) && !strings.Contains(message, text+beyond[:1])
}
