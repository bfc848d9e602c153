// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// childVariable is the environment variable that names the directory for TestChildProcess.
const childVariable = "PUREPJRT_CACHE_TEST_DIR"

// TestChildProcess is one of several processes that share a directory. It does nothing in an
// ordinary run of the tests.
func TestChildProcess(t *testing.T) {
	dir := os.Getenv(childVariable)
	if dir == "" {
		return
	}
	c, log := open(t, dir, 0)
	client := newClient(t)
	for by := range 6 {
		run(t, c, client, float32(by+1), nil)
	}
	s := c.Stats()
	require.NoError(t, s.Err)
	require.Zero(t, s.Damaged, log.String())
	fmt.Printf("child: %d hits %d misses\n", s.Hits, s.Misses)
}

func child(t testing.TB, dir string) string {
	cmd := exec.Command(os.Args[0], "-test.run=^TestChildProcess$", "-test.v")
	cmd.Env = append(os.Environ(), childVariable+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("child: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "child: ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

func TestProcessesShareADirectory(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	var mu sync.Mutex
	hits, misses := 0, 0
	for range 3 {
		wg.Go(func() {
			var h, m int
			_, err := fmt.Sscanf(child(t, dir), "child: %d hits %d misses", &h, &m)
			assert.NoError(t, err)
			mu.Lock()
			defer mu.Unlock()
			hits, misses = hits+h, misses+m
		})
	}
	wg.Wait()
	assert.Equal(t, 6, misses, "each program is compiled by one process")
	assert.Equal(t, 12, hits)
	assert.Len(t, entries(t, dir), 6)
	assert.Equal(t, "child: 6 hits 0 misses", child(t, dir), "a process finds what others compiled")
	c, _ := open(t, dir, 0)
	assert.True(t, run(t, c, newClient(t), 1, nil), "this process too")
}

func TestWaitingForAnotherProcessEndsWithTheContext(t *testing.T) {
	dir := t.TempDir()
	c, _ := open(t, dir, 0)
	client := newClient(t)
	hold(t, programLock(t, c, client, 1))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, _, err := c.Compile(ctx, client, scale(1), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Zero(t, c.Stats().Misses)
	assert.NoError(t, c.Stats().Err)
}
