// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

var benchmarkSizes = []int64{16, 1 << 10, 1 << 20, 64 << 20}

// BenchmarkRead compares reading the memory of a buffer with a transfer.
func BenchmarkRead(b *testing.B) {
	ctx := context.Background()
	client := newClient(b)
	for _, size := range benchmarkSizes {
		dst := make([]byte, size)
		buffer := upload(b, client, pjrt.HostArray{Type: dtype.U8, Dims: []int64{size}, Data: dst})
		run := func(name string, read func() error) {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					require.NoError(b, read())
				}
			})
		}
		run("into", func() error { _, err := buffer.ToHostInto(ctx, dst); return err })
		run("in place", func() error { return buffer.ReadInPlace(ctx, func([]byte) error { return nil }) })
		run("transfer", func() error {
			e, err := buffer.ToHostAsync(dst)
			if err != nil {
				return err
			}
			defer e.Close()
			return e.Wait(ctx)
		})
	}
}

// BenchmarkUpload compares the semantics of the host's memory.
func BenchmarkUpload(b *testing.B) {
	ctx := context.Background()
	client := newClient(b)
	for _, size := range benchmarkSizes {
		array := pjrt.HostArray{Type: dtype.U8, Dims: []int64{size}, Data: pjrt.AlignedSlice[uint8](int(size))}
		for _, semantics := range pjrtSemantics {
			b.Run(fmt.Sprintf("%v/%d", semantics, size), func(b *testing.B) {
				b.SetBytes(size)
				b.ReportAllocs()
				opts := &pjrt.BufferOptions{Semantics: semantics}
				for b.Loop() {
					buffer, err := client.BufferFromHost(ctx, array, opts)
					require.NoError(b, err)
					if semantics == pjrt.UntilTransferCompletes {
						<-buffer.HostDone()
					}
					buffer.Close()
				}
			})
		}
	}
}
