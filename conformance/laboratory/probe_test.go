// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package laboratory

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant/trial"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/laboratory/callers"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// mortal is the token of processes in whose plugin some functions end the process.
const mortal = "mortal"

// The functions that do.
var deadly = []string{"PJRT_Buffer_Memory", "PJRT_Executable_OptimizedProgram"}

func TestMain(m *testing.M) {
	if token, ok := worker.Asked(); ok && token == mortal {
		serveProbe(func(path string) (*capi.Table, error) {
			table, err := capi.Open(path)
			if err != nil {
				return nil, err
			}
			faulty, err := serve.Wrap(table, serve.AroundAll(func(c *serve.Invocation) {
				if slices.Contains(deadly, c.Function().Name) {
					os.Exit(3)
				}
				c.Forward()
			}))
			if err != nil {
				return nil, err
			}
			return faulty.Capi(), nil
		})
	}
	conformance.Worker()
	Worker()
	os.Exit(m.Run())
}

func TestAFunctionThatEndsTheProcessDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	found, err := runProbe(t.Context(), worker.Command{Token: mortal}, probeRequest{Plugin: plugintest.Path(t, trial.CPU)})
	require.NoError(t, err)
	want := unimplemented(t)
	for _, f := range deadly {
		want[f] = callers.Dies
		assert.Contains(t, found.Details[f], "exit(3)")
	}
	assert.Equal(t, want, core(found))
}

func TestAPluginThatDoesNotExistIsAnError(t *testing.T) {
	t.Parallel()
	_, err := runProbe(t.Context(), worker.Command{Token: mortal}, probeRequest{Plugin: "/no/such/plugin.so"})
	assert.ErrorContains(t, err, "/no/such/plugin.so")
}

// unimplemented returns the functions of which the CPU plugin has only stubs.
func unimplemented(t *testing.T) map[string]callers.Mode {
	t.Helper()
	stubs := map[string]callers.Mode{"PJRT_Device_MemoryStats": callers.Unimplemented}
	if minor := cpu(t).API().PJRTAPIVersion.MinorVersion; minor == 81 {
		stubs["PJRT_Executable_OutputMemoryKinds"] = callers.Unimplemented
	} else {
		stubs["PJRT_Executable_GetCostAnalysis"] = callers.Unimplemented
	}
	return stubs
}

func cpu(t *testing.T) *capi.Table {
	t.Helper()
	table, err := capi.Open(plugintest.Path(t, trial.CPU))
	require.NoError(t, err)
	return table
}

func core(found *callers.Plugin) map[string]callers.Mode {
	modes := make(map[string]callers.Mode)
	for f, m := range found.Wrong {
		if m != callers.Null {
			modes[f] = m
		}
	}
	return modes
}

func TestThePluginForCPUsHasNearlyEverything(t *testing.T) {
	found, err := probeTable(cpu(t), nil, nil)
	require.NoError(t, err)
	assert.EqualValues(t, cpu(t).API().PJRTAPIVersion.MinorVersion, found.Minor)
	assert.Contains(t, found.Extensions, "Layouts")
	assert.Equal(t, unimplemented(t), core(found))
	assert.Contains(t, found.Details["PJRT_Device_MemoryStats"], "GetAllocatorStats is not supported")
}

// The prediction would not know of a fault that the probe does not see.
func TestTheProbeSeesAFaultInEveryFunctionThatAClientCalls(t *testing.T) {
	table := cpu(t)
	called := make(map[string]bool)
	for _, client := range callers.Clients() {
		p, err := callers.Lookup(client)
		require.NoError(t, err)
		for _, f := range p.Functions() {
			called[f] = true
		}
	}
	require.Greater(t, len(called), 70)
	n := 0
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			if !called[f.Name] || f.Void || f.Name == "PJRT_Error_GetCode" {
				continue // an error that cannot be read has no code
			}
			if !table.Has(f) {
				continue // newer than the plugin, and called by newer clients only
			}
			if n++; testing.Short() && n%8 != 0 {
				continue
			}
			for mode, code := range map[callers.Mode]capi.ErrorCode{
				callers.Unimplemented: capi.ErrorCodeUnimplemented, callers.Fails: capi.ErrorCodeInternal,
			} {
				faulty, err := serve.Wrap(table, serve.AroundFunction(f, func(c *serve.Invocation) {
					c.Forward()
					c.Fail(code, "%s fails", f.Name)
				}))
				require.NoError(t, err)
				found, err := probeTable(faulty.Capi(), nil, nil)
				require.NoError(t, err)
				require.NoError(t, faulty.Close())
				assert.Equal(t, mode, found.Wrong[f.Name], f.Name)
			}
			without, err := shim.New(shim.Config{Absent: []string{f.Name}})
			require.NoError(t, err)
			served, err := without.Wrap(table)
			require.NoError(t, err)
			lacking, err := capi.NewTable(served.API(), capi.Reentrant())
			require.NoError(t, err)
			found, err := probeTable(lacking, nil, nil)
			require.NoError(t, err)
			require.NoError(t, served.Close())
			assert.Equal(t, callers.Null, found.Wrong[f.Name], f.Name)
		}
	}
}

// JAX sends portable artifacts only, so that a plugin which does not read text is none the worse.
func TestTheProbeSendsAPluginWhatClientsSend(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		add     float32 // what the program adds too much
		offHost bool
		want    callers.Mode
	}{
		"right numbers":           {},
		"wrong numbers":           {add: 1, want: callers.Miscomputes},
		"buffers elsewhere":       {offHost: true},
		"wrong numbers elsewhere": {add: -3, offHost: true, want: callers.Miscomputes},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pjrttest.New(t, pjrttest.Options{HostDevices: !c.offHost})
			shape := []pjrt.Shape{{Type: dtype.F32, Dims: []int64{4}}}
			p.AddProgram(pjrttest.Program{
				Match: func(code []byte, f pjrt.Format) bool {
					return f == pjrt.FormatMLIR && bytes.HasPrefix(code, []byte("ML\xefR"))
				},
				Signature: pjrttest.Signature{Parameters: shape, Results: shape},
				Func:      pjrttest.Map(func(x float32) float32 { return 11*x + c.add }),
			})
			found, err := probeTable(p.Table(), nil, nil)
			require.NoError(t, err)
			assert.Equal(t, c.offHost, found.OffHost)
			assert.Equal(t, c.want, found.Wrong["PJRT_LoadedExecutable_Execute"])
			assert.Empty(t, found.Wrong["PJRT_Client_Compile"])
			assert.Equal(t, callers.Fails, found.Wrong["PJRT_Client_Compile of text"])
			if c.want != "" {
				assert.Contains(t, found.Details["PJRT_LoadedExecutable_Execute"], "[11 22 33 44] was expected")
			}
		})
	}
}

func TestAFunctionThatIsLeftOutIsNotCalled(t *testing.T) {
	destroy := (*capi.ClientDestroyArgs)(nil).Function()
	calls := 0
	watched, err := serve.Wrap(cpu(t), serve.AroundFunction(destroy, func(c *serve.Invocation) { calls++; c.Forward() }))
	require.NoError(t, err)
	t.Cleanup(func() { _ = watched.Close() })
	_, err = probeTable(watched.Capi(), nil, []string{destroy.Name})
	require.NoError(t, err)
	assert.Zero(t, calls)
	_, err = probeTable(watched.Capi(), nil, nil)
	require.NoError(t, err)
	assert.Equal(t, 1, calls)
}
