// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
)

func TestCallsInBytecodeAreAllowedAsDeepAsInText(t *testing.T) {
	t.Parallel()
	chain := func(n int) *bytecode.Module {
		m := &bytecode.Module{Functions: []bytecode.Function{{Name: "main", HasBody: true, Uses: []int{1}}}}
		for i := range n {
			m.Functions = append(m.Functions, bytecode.Function{Name: fmt.Sprint("f", i), HasBody: true, Uses: []int{i + 2}})
		}
		m.Functions[n].Uses = nil
		return m
	}
	limits := Limits{Stack: 8 << 20}
	require.NoError(t, checkBytecode(context.Background(), chain(256), limits))
	require.ErrorContains(t, checkBytecode(context.Background(), chain(257), limits), "calls and regions in the program are nested more than 256 deep")
}
