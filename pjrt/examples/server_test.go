// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package examples_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheServerAnswersUntilItIsInterrupted(t *testing.T) {
	t.Parallel()
	cmd := command(t, "server", "-listen", "localhost:0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(stdout)
	require.True(t, lines.Scan(), "the server prints where it listens")
	address, ok := strings.CutPrefix(lines.Text(), "listening on ")
	require.True(t, ok, lines.Text())

	// No more requests than may wait, so that none is refused.
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			answer, err := http.Post(address+"/predict", "application/json", strings.NewReader(fmt.Sprintf("[%d, 1]", i)))
			if !assert.NoError(t, err) {
				return
			}
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			assert.NoError(t, err)
			assert.Equal(t, fmt.Sprintln(2*i-2), string(body))
		})
	}
	wg.Wait()
	health, err := http.Get(address + "/healthz")
	require.NoError(t, err)
	require.NoError(t, health.Body.Close())
	assert.Equal(t, http.StatusOK, health.StatusCode)

	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.True(t, lines.Scan())
	assert.Equal(t, "stopped", lines.Text())
	assert.NoError(t, cmd.Wait(), stderr.String())
}
