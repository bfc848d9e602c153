// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package subprocess

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// playAlone lets the system forget children as soon as they end, as programs do that ignore
// SIGCHLD, or wait for all children themselves.
func playAlone() {
	_ = os.Unsetenv(alone)
	signal.Ignore(syscall.SIGCHLD)
	p, err := launch()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	_ = p.Send([]byte("exit\n"))
	p.Bury()
	ended, status := p.Ended()
	fmt.Printf("%q %s", ended, Status(status))
	os.Exit(0)
}

func TestAnEndOfWhichOtherCodeWasToldIsUnknown(t *testing.T) {
	t.Parallel()
	self, err := Self()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), alone+"=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, `"" ended without a known status, because other code of this program waits for all child processes`, string(out))
}
