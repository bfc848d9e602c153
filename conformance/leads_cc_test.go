// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc && linux

package conformance

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi/shim"
)

// The programs compile without a warning, and run on a plugin that is not at fault.
func TestTheProgramsOfLeadsRun(t *testing.T) {
	t.Parallel()
	for odd, want := range map[shim.Oddity]struct{ function, prints string }{
		shim.NoCompleteEvents: {"PJRT_LoadedExecutable_Execute", `PJRT_LoadedExecutable_Execute: device_complete_events\[0\] = 0x`},
		shim.ZeroSizeQuery:    {"PJRT_Buffer_ToHostBuffer", `PJRT_Buffer_ToHostBuffer: dst_size = [1-9]`},
	} {
		r, c := oddRun(t, oddOptions(t, Smoke, odd))
		require.NotEmpty(t, r.Leads)
		showInC(t.Context(), *c, r)
		first := r.Leads[0]
		require.Equal(t, want.function, first.Function, odd)
		dir := t.TempDir()
		source, program := filepath.Join(dir, "lead.c"), filepath.Join(dir, "lead")
		require.NoError(t, os.WriteFile(source, []byte(first.Program), 0o600))
		out, err := exec.Command(cmp.Or(os.Getenv("CC"), "gcc"), "-std=gnu11", "-Wall", "-Werror", "-I../third_party/xla", source, "-o", program,
			"-ldl").CombinedOutput()
		require.NoError(t, err, "%s\n%s", out, first.Program)
		out, err = exec.Command(program, c.Setup.Plugin).Output()
		require.NoError(t, err, "%s\n%s", out, first.Program)
		assert.Regexp(t, want.prints, string(out))
	}
}
