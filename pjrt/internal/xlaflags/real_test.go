// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaflags_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

const (
	childPlugin = "XLAFLAGS_TEST_COMPILE"
	failed      = 3 // the status of a child that has an error
)

// In a process with the variable childPlugin, TestMain only compiles a program.
func TestMain(m *testing.M) {
	path := os.Getenv(childPlugin)
	if path == "" {
		os.Exit(m.Run())
	}
	if err := compile(path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(failed)
	}
}

// compile makes the plugin read XLA_FLAGS.
func compile(path string) error {
	p, err := pjrt.Open(path)
	if err != nil {
		return err
	}
	client, err := p.NewClient(context.Background(), nil)
	if err != nil {
		return err
	}
	program := pjrt.Program{Code: []byte("func.func @main() -> tensor<i32> {\n%0 = stablehlo.constant dense<1> : tensor<i32>\nreturn %0 : tensor<i32>\n}")}
	_, err = client.Compile(context.Background(), program, nil)
	return err
}

// Values that the check rejects must end a compiling process, and values that it accepts must not.
func TestTheCheckOfXLAFlagsIsRight(t *testing.T) {
	path := plugintest.Path(t, "cpu")
	for _, value := range []string{
		"--xla_cpu_enable_fast_math=TRUE --xla_gpu_autotune_level=' 1'",
		"--xla_backend_optimization_level=+1 word --nope",
		"--xla_gpu_detect_nan=warning",
		"--xla_step_marker_location=STEP_MARK_AT_ENTRY",
		"--xla_gpu_auto_spmd_partitioning_memory_budget_ratio=1e400",
		"--nope",
		"--xla_enable_dumping=true",   // of a later version
		"--xla_detailed_logging=true", // of an earlier one
		"--xla_dump_to",
		"-xla_dump_to=/x",
		"--xla_cpu_enable_fast_math=yes",
		"--xla_backend_optimization_level=0x1",
		"--xla_step_marker_location=1",
		"/no/such/file",
	} {
		t.Run(value, func(t *testing.T) {
			t.Setenv("XLA_FLAGS", value)
			refused := xlaflags.CheckLibrary(path)
			run := func(override string) (output string, status int) {
				child := exec.CommandContext(t.Context(), os.Args[0])
				child.Env = append(os.Environ(), childPlugin+"="+path, xlaflags.Override+"="+override)
				var both bytes.Buffer
				child.Stdout, child.Stderr = &both, &both
				_ = child.Run()
				return both.String(), child.ProcessState.ExitCode()
			}
			output, status := run("1")
			if refused == nil {
				require.Zero(t, status, "the check accepted it: %s", output)
				return
			}
			require.NotZero(t, status, "the check rejected it: %v", refused)
			require.NotEqual(t, failed, status, "it is the plugin that ends the process: %s", output)
			output, status = run("0")
			require.Equal(t, failed, status, "Open refuses it: %s", output)
			assert.Contains(t, output, "INVALID_ARGUMENT: "+refused.Error())
		})
	}
}
