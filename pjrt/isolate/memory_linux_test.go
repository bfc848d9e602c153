// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !race

// The race detector needs more memory than any limit that makes sense here.

package isolate_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/isolate"
)

// hungry makes the compiler compute two constants of 704 MB each.
const hungry = `func.func @main() -> tensor<44000000xcomplex<f64>> {
  %0 = stablehlo.constant dense<[(1.5, 0.0), (2.5, 1.0)]> : tensor<2xcomplex<f64>>
  %z = stablehlo.constant dense<(0.5, 0.0)> : tensor<complex<f64>>
  %1 = stablehlo.pad %0, %z, low = [0], high = [43999998], interior = [0] : (tensor<2xcomplex<f64>>, tensor<complex<f64>>) -> tensor<44000000xcomplex<f64>>
  %2 = stablehlo.sine %1 : tensor<44000000xcomplex<f64>>
  return %2 : tensor<44000000xcomplex<f64>>
}`

func TestTheMemoryOfAChildIsLimited(t *testing.T) {
	// The plugin starts threads for each core.
	limit := int64(300+32*runtime.NumCPU()) << 20
	client, _ := isolated(t, isolate.Options{Memory: limit})
	works(t, client)
	_, err := client.Compile(context.Background(), text(hungry), nil)
	require.ErrorIs(t, err, pjrt.ErrResourceExhausted)
	var crash *isolate.Crash
	require.ErrorAs(t, err, &crash)
	assert.ErrorContains(t, err, fmt.Sprintf("it was allowed %d bytes of memory", limit))
	works(t, client)
}
