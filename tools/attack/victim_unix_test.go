// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package attack

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/subprocess"
)

const (
	// limitsVariable makes the test binary limit itself and become the command in its arguments.
	limitsVariable = "PJRT_ATTACK_LIMITS"

	memory   = 4 << 30
	deadline = time.Minute
	// most is how much a command may print: twice what it keeps of the output of a plugin.
	most = 2 << 20
)

// command is the path of the command pjrt.
var command string

func TestMain(m *testing.M) {
	if os.Getenv(limitsVariable) != "" {
		become(os.Args[1:])
	}
	os.Exit(run(m))
}

// become replaces the process by a command, within limits.
func become(args []string) {
	err := os.Unsetenv(limitsVariable)
	if err == nil && subprocess.CanLimitMemory {
		err = subprocess.LimitMemory(memory)
	}
	if err == nil {
		err = syscall.Exec(args[0], args, os.Environ())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(126)
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "attack")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	command = filepath.Join(dir, "pjrt")
	build := exec.Command("go", "build", "-o", command, "../pjrt")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// victim is what became of a command.
type victim struct {
	status         int
	stdout, stderr string
}

// attacked runs the command in a folder, with further variables of the environment, and checks that
// it ends as a command should.
func attacked(t *testing.T, dir string, env []string, args ...string) victim {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	c := exec.CommandContext(ctx, self, append([]string{command}, args...)...)
	c.Dir = dir
	c.Env = append(append(os.Environ(), "PIP_NO_INDEX=1"), append(env, limitsVariable+"=1")...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	_ = c.Run() // the state says how it ended
	what := strings.Join(args, " ")
	require.NoError(t, ctx.Err(), "%s does not end\n%s", what, stderr.String())
	v := victim{c.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	assert.Contains(t, []int{0, 1, 2}, v.status, "%s\n%s", what, v.stderr)
	assert.Less(t, stdout.Len()+stderr.Len(), most, what)
	for _, runtime := range []string{"goroutine ", "fatal error: ", "panic: "} {
		assert.NotContains(t, v.stderr, runtime, what)
	}
	return v
}
