// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestThePluginsOwnWordsComeBeforeTheRuntimes(t *testing.T) {
	t.Parallel()
	trace := "SIGABRT: abort\nPC=0x1 m=0\n"
	output := "I0000 loaded\nF0000 00:00:1 1 x.cc:7] Check failed: a > b (1 vs. 2)\n    @ 0x1 f\n" + trace
	own := pluginOutput(output, trace)
	assert.Equal(t, "I0000 loaded\nF0000 00:00:1 1 x.cc:7] Check failed: a > b (1 vs. 2)\n    @ 0x1 f\n", own)
	assert.Equal(t, "F0000 00:00:1 1 x.cc:7] Check failed: a > b (1 vs. 2)", words(own))
	assert.Equal(t, output, pluginOutput(output, ""), "the runtime reported no crash")
	assert.Equal(t, "", words("I0000 all is well\n"))
	assert.Equal(t, "  what():  bad_alloc", words("terminate called\n  what():  bad_alloc\n"))
}

func TestLastLinesAreFewAndShort(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"b", "c"}, lastLines("a\n\nb \r\nc", 2))
	assert.Nil(t, lastLines(" \n\n", 5))
	long := lastLines(strings.Repeat("é", 1000), 1)[0]
	assert.Less(t, len(long), 500)
	assert.True(t, strings.HasSuffix(long, "é ..."))
}
