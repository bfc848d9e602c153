// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/rules"
)

func TestTheTableOfArtifactsIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	var file, again bytes.Buffer
	artifacts := map[string][]byte{"one": []byte("ML\xefR one"), "two": []byte("ML\xefR the other"), "": {}}
	require.NoError(t, WritePortable(&file, artifacts, false))
	require.NoError(t, WritePortable(&again, artifacts, false))
	assert.Equal(t, file.Bytes(), again.Bytes(), "the table does not depend on the order of the texts")
	table, err := readPortable(file.Bytes())
	require.NoError(t, err)
	assert.Len(t, table, len(artifacts))
	for text, artifact := range artifacts {
		assert.Equal(t, string(artifact), table[keyOf(text)])
	}
	var kept bytes.Buffer
	require.NoError(t, WritePortable(&kept, map[string][]byte{"one": artifacts["one"]}, true))
	table, err = readPortable(kept.Bytes())
	require.NoError(t, err)
	assert.Len(t, table, len(portable())+1, "what the table has stays")
	assert.Equal(t, "ML\xefR one", table[keyOf("one")])
	for n := range file.Len() {
		_, err := readPortable(file.Bytes()[:n])
		assert.Error(t, err, n)
	}
}

func TestEveryArtifactIsBytecode(t *testing.T) {
	t.Parallel()
	assert.Less(t, len(portableFile), 1<<20)
	for key, artifact := range portable() {
		assert.True(t, strings.HasPrefix(artifact, bytecodeMagic+"\rStableHLO_v1."), "%x: %.40q", key, artifact)
	}
	for _, text := range []string{AddOne, Add, Pair, Donate, Heavy} {
		_, ok := Portable(text)
		assert.True(t, ok, text)
	}
}

// Only a check of another rule than that about text, on a plugin that takes none, sends artifacts.
func TestAnArtifactGoesInPlaceOfTextThatIsRefused(t *testing.T) {
	t.Parallel()
	artifact, ok := Portable(AddOne)
	require.True(t, ok)
	const unknown = "module @unknown {}"
	for _, test := range []struct{ rule, noText, text, sent string }{
		{"CMP-13", "INTERNAL", AddOne, artifact},
		{"CMP-13", "INTERNAL", unknown, unknown},
		{"CMP-13", "", AddOne, AddOne},
		{"CMP-01", "INTERNAL", AddOne, AddOne},
	} {
		c := &T{env: &Env{NoText: test.noText}, rule: rules.ByID(test.rule)}
		assert.Equal(t, test.sent, c.Sent(test.text), test)
	}
}
