// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package plugins

import (
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// limitFileSize makes the system refuse longer files to this process.
func limitFileSize(bytes uint64) {
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
	limit.Cur = bytes
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
}

func TestInstallOverTheFileSizeLimitLeavesNothing(t *testing.T) {
	t.Parallel()
	large := make([]byte, 1<<20)
	b := newBench(t, makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: string(large)}))
	c, o := b.process()
	o.FileSizeLimit = 64 << 10 // the wheel is compressed and fits, its content does not
	output := b.start(c, o)
	require.Error(t, c.Wait())
	assert.Contains(t, output.String(), "cannot install toy: the disk is full, or a quota or file size limit is reached: unpack toy_plugins/toy/toy.so")
	b.requireNothingLeft()
}
