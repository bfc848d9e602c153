// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package isolate_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/isolate"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// gone reports whether a process has ended, even if its new parent has not waited for it.
func gone(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, state, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
		return strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X")
	}
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func TestAChildThatDiedBetweenCompilationsIsReplaced(t *testing.T) {
	client, compiler := isolated(t, isolate.Options{})
	works(t, client)
	pid := compiler.IdleProcesses()[0]
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	works(t, client)
	assert.NotEqual(t, pid, compiler.IdleProcesses()[0])
}

// A stopped child reads nothing from its pipe, and the pipe cannot hold the whole
// program.
func TestAStoppedChildEndsWithTheContext(t *testing.T) {
	client, compiler := isolated(t, isolate.Options{})
	works(t, client)
	pid := compiler.IdleProcesses()[0]
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		assert.Eventually(t, func() bool { return len(compiler.IdleProcesses()) == 0 }, time.Minute, time.Millisecond)
	}()
	_, err := client.Compile(ctx, scale(1, strings.Repeat("x", 1<<20)), nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.Eventually(t, func() bool { return gone(pid) }, time.Minute, time.Millisecond)
	works(t, client)
}

func TestCloseEndsChildren(t *testing.T) {
	client, compiler := isolated(t, isolate.Options{})
	works(t, client)
	pid := compiler.IdleProcesses()[0]
	require.False(t, gone(pid))
	require.NoError(t, compiler.Close())
	assert.True(t, gone(pid))
}

func TestAChildEndsWithItsParent(t *testing.T) {
	for _, comment := range []string{"idle", "hang"} {
		t.Run(comment, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), parentVariable+"="+comment, "ISOLATE_TEST_PLUGIN="+plugintest.Path(t, "cpu"))
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			cmd.Stderr = os.Stderr
			require.NoError(t, cmd.Start())
			pid := 0
			lines := bufio.NewScanner(out)
			for pid == 0 && lines.Scan() {
				if text, ok := strings.CutPrefix(lines.Text(), "child: "); ok {
					pid, err = strconv.Atoi(text)
					require.NoError(t, err)
				}
			}
			require.NotZero(t, pid)
			require.False(t, gone(pid))
			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
			assert.Eventually(t, func() bool { return gone(pid) }, time.Minute, 10*time.Millisecond)
		})
	}
}

// Otherwise each child would start another one.
func TestAChildThatDoesNotCallMainStartsNoChildren(t *testing.T) {
	client, _ := isolated(t, isolate.Options{Env: []string{strangerVariable + "=1"}})
	_, err := client.Compile(context.Background(), scale(1, ""), nil)
	require.ErrorIs(t, err, pjrt.ErrUnavailable)
	assert.ErrorContains(t, err, "did not begin to serve")
	assert.ErrorContains(t, err, "was started to compile for another one")
}
