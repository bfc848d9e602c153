// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// byAge returns what is right for the CPU plugin out of what was seen on plugins of several minor
// versions of the API.
func byAge[T any](t testing.TB, seen map[int]T) T {
	t.Helper()
	_, minor := cpu(t).table.Version()
	v, ok := seen[minor]
	require.True(t, ok, "nothing is known about the CPU plugin of API 0.%d", minor)
	return v
}

// ages lists values in the order of the ages that were seen: 0.81, 0.106 and 0.115.
func ages[T any](first, second, third T) map[int]T {
	return map[int]T{81: first, 106: second, 115: third}
}
