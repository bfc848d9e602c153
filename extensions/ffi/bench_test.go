// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// BenchmarkCustomCall alternately executes a program that calls a handler in Go and one
// that does nothing. It reports how much longer the first one takes.
func BenchmarkCustomCall(b *testing.B) {
	ctx := context.Background()
	client := newClient(b)
	a := upload(b, client, 1, 2, 3, 4)
	type op struct {
		In     ffi.Arg[float32]
		Out    ffi.Ret[float32]
		Factor float32
		Mode   string
	}
	call := handle(b, client, `factor = 2.0 : f32, mode = "fast"`, func(_ *ffi.Call, x *op) error {
		for i, v := range x.In.Data {
			x.Out.Data[i] = v * x.Factor
		}
		return nil
	})
	empty := compile(b, client, "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }")
	args, outs := []*pjrt.Buffer{a}, make([]*pjrt.Buffer, 1)
	opts := &pjrt.ExecuteOptions{ReuseResults: true}
	run := func(exe *pjrt.LoadedExecutable, n int) time.Duration {
		begin := time.Now()
		for range n {
			err := exe.ExecuteInto(ctx, outs, args, opts)
			require.NoError(b, err)
			outs[0].Close()
		}
		return time.Since(begin)
	}
	run(call, 100)
	run(empty, 100)
	b.ReportAllocs()
	var with, without time.Duration
	const turn = 200
	b.ResetTimer()
	done := 0
	for ; done < b.N; done += turn {
		with += run(call, turn)
		without += run(empty, turn)
	}
	b.ReportMetric(float64(with)/float64(done), "ns/call")
	b.ReportMetric(float64(without)/float64(done), "ns/empty")
	b.ReportMetric(float64(with-without)/float64(done), "ns/more")
	b.ReportMetric(float64(with)/float64(without), "ratio")
}
