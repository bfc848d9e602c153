// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnotherBuildOfAPluginIsAnotherFile(t *testing.T) {
	t.Parallel()
	built := make([]byte, 4<<20)
	random := rand.NewChaCha8([32]byte{1})
	_, err := random.Read(built)
	require.NoError(t, err)
	at := time.Unix(1, 0)
	write := func(content []byte) string {
		file := filepath.Join(t.TempDir(), "plugin.so")
		require.NoError(t, os.WriteFile(file, content, 0o600))
		require.NoError(t, os.Chtimes(file, at, at))
		return fileIdentity(file)
	}
	first := write(built)
	assert.Equal(t, first, write(built))
	for name, other := range map[string][]byte{
		"an instruction more, of the same size": slices.Concat(built[:len(built)/2], []byte{1}, built[len(built)/2:len(built)-1]),
		"another end":                           append(slices.Clone(built[:len(built)-1]), built[len(built)-1]^1),
		"another beginning":                     append([]byte{built[0] ^ 1}, built[1:]...),
		"a byte less":                           built[:len(built)-1],
		"nothing":                               nil,
		"less than a page":                      built[:100],
	} {
		assert.NotEqual(t, first, write(other), name)
	}
	later := filepath.Join(t.TempDir(), "plugin.so")
	require.NoError(t, os.WriteFile(later, built, 0o600))
	assert.NotEqual(t, first, fileIdentity(later), "another time")
	assert.Equal(t, unreadable, fileIdentity(filepath.Join(t.TempDir(), "missing")))
}
