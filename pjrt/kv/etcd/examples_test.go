// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package etcd_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestProcessesOfTheExampleFitAFunctionTogether(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "processes")
	out, err := exec.Command("go", "build", "-o", program, "./examples/processes").CombinedOutput()
	require.NoError(t, err, string(out))
	address, _ := serve(t, t.TempDir(), "127.0.0.1:0")
	environment := append(os.Environ(), plugins.NamesAndLibraryPaths+"=cpu:"+plugintest.Path(t, "cpu"))
	run := func(args ...string) (stdout, stderr string, err error) {
		cmd := exec.Command(program, append([]string{"-etcd", address}, args...)...)
		var o, e bytes.Buffer
		cmd.Env, cmd.Stdout, cmd.Stderr = environment, &o, &e
		err = cmd.Run()
		return o.String(), e.String(), err
	}

	stdout, stderr, err := run("-processes", "3")
	require.NoError(t, err, stderr)
	assert.Equal(t, "3 processes found y = 2.00*a -3.00*b +1.00\n", stdout)
	// All of them wrote to etcd, in each step.
	keys, err := connect(t, address).Get(soon(t), "examples/processes/", clientv3.WithPrefix(), clientv3.WithCountOnly())
	require.NoError(t, err)
	assert.EqualValues(t, 3*60, keys.Count)

	// Processes that were not started together find each other by the name of their run.
	first := exec.Command(program, "-etcd", address, "-run", "7", "-rank", "1")
	first.Env = environment
	require.NoError(t, first.Start())
	stdout, stderr, err = run("-run", "7", "-rank", "0")
	require.NoError(t, err, stderr)
	assert.Equal(t, "2 processes found y = 2.00*a -3.00*b +1.00\n", stdout)
	require.NoError(t, first.Wait())

	_, err = connect(t, address).Put(soon(t), "examples/processes/spoilt/step 0/process 0", "nonsense")
	require.NoError(t, err)
	for says, args := range map[string][]string{
		"there is no process 2 of 2":                       {"-rank", "2", "-run", "8"},
		"there is no process -1 of 0":                      {"-processes", "0"},
		"process 1 needs the name of the run":              {"-rank", "1"},
		"process 1: step 0: what process 0 wrote: invalid": {"-rank", "1", "-run", "spoilt"},
	} {
		_, stderr, err := run(args...)
		require.Error(t, err)
		assert.Contains(t, stderr, says)
	}
	environment = append(environment, plugins.NamesAndLibraryPaths+"=cpu:/nowhere/plugin.so")
	_, stderr, err = run("-processes", "2")
	require.Error(t, err)
	assert.Contains(t, stderr, "a process failed: exit status 1")
	assert.Contains(t, stderr, "/nowhere/plugin.so")
}
