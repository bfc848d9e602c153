// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package callers_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/laboratory/callers"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// cpuExtensions are the extensions of the plugin that profiles are measured with.
var (
	cpuExtensions = []string{"PhaseCompile", "FFI", "MemoryDescriptions", "Layouts"}
	withProfiler  = []string{"PhaseCompile", "FFI", "MemoryDescriptions", "Layouts", "Profiler"}
)

func profile(t *testing.T, name string) *callers.Profile {
	t.Helper()
	p, err := callers.Lookup(name)
	require.NoError(t, err)
	return p
}

func functionNames() map[string]*capi.Function {
	all := make(map[string]*capi.Function)
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			all[f.Name] = f
		}
	}
	return all
}

func TestEveryProfileIsWhole(t *testing.T) {
	t.Parallel()
	functions := functionNames()
	clients := callers.Clients()
	require.GreaterOrEqual(t, len(clients), 5)
	require.Contains(t, clients, "jax@0.8.1")
	for _, name := range clients {
		p := profile(t, name)
		assert.Equal(t, name, p.Client)
		for _, a := range p.Actions {
			assert.NotEmpty(t, p.Words(a), "%s: %s", name, a)
		}
		for _, f := range p.Functions() {
			require.Contains(t, functions, f, name)
			// Where failing was not measured, UNIMPLEMENTED stands for it.
			assert.NotNil(t, p.Row(f, callers.Null), "%s: %s null was not measured", name, f)
			assert.True(t, functions[f].Void || p.Row(f, callers.Unimplemented) != nil, "%s: %s unimplemented was not measured", name, f)
		}
		for _, x := range cpuExtensions {
			assert.NotNil(t, p.Row(x, callers.Absent), "%s: %s", name, x)
		}
		text, err := os.ReadFile(filepath.Join("profiles", strings.Replace(name, "@", "-", 1)+".tsv"))
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, p.Write(&b))
		assert.Equal(t, string(text), b.String(), "the file is what Write makes of it")
	}
}

func TestClientsAreOrderedByVersion(t *testing.T) {
	t.Parallel()
	clients := callers.Clients()
	assert.Equal(t, "jax@0.12.0.1", clients[len(clients)-1])
	newest := profile(t, "jax")
	assert.Equal(t, "jax@0.12.0.1", newest.Client)
	_, err := callers.Lookup("jax@0.1.0")
	assert.ErrorContains(t, err, `there is no profile of "jax@0.1.0": the profiles are of gomlx@`)
}

func TestPredictionsForOneFault(t *testing.T) {
	t.Parallel()
	p := profile(t, "jax@0.8.1")
	for name, c := range map[string]struct {
		function string
		mode     callers.Mode
		verdict  callers.Verdict
		action   string
		outcome  callers.Outcome
	}{
		"a check in XLA's client":           {"PJRT_Buffer_Device", callers.Unimplemented, callers.Aborts, "transfer", callers.Ended},
		"the client does not start":         {"PJRT_Client_LookupDevice", callers.Unimplemented, callers.Degraded, "start", callers.Exception},
		"then nothing else is reached":      {"PJRT_Client_LookupDevice", callers.Unimplemented, callers.Degraded, "jit", callers.Unreached},
		"an exception":                      {"PJRT_Buffer_CopyToMemory", callers.Unimplemented, callers.Degraded, "copy", callers.Exception},
		"less to show":                      {"PJRT_Executable_GetCostAnalysis", callers.Unimplemented, callers.Degraded, "compile", callers.Changed},
		"no effect":                         {"PJRT_Executable_OutputMemoryKinds", callers.Unimplemented, callers.Runs, "jit", callers.Harmless},
		"a null slot instead of a stub":     {"PJRT_Buffer_CopyToMemory", callers.Null, callers.Aborts, "copy", callers.Ended},
		"the plugin itself dies":            {"PJRT_Executable_OutputMemoryKinds", callers.Dies, callers.Aborts, "jit", callers.Ended},
		"the client never calls it":         {"PJRT_Client_DmaMap", callers.Null, callers.Runs, "jit", callers.Harmless},
		"only an action that calls suffers": {"PJRT_Buffer_CopyToMemory", callers.Null, callers.Aborts, "jit", callers.Harmless},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := p.Predict(callers.Plugin{Minor: 81, Extensions: withProfiler, Wrong: map[string]callers.Mode{c.function: c.mode}})
			assert.Equal(t, c.verdict, out.Verdict)
			for _, a := range out.Actions {
				if a.Name != c.action {
					continue
				}
				assert.Equal(t, c.outcome, a.Outcome)
				if c.outcome > callers.Harmless {
					require.NotEmpty(t, a.Causes)
					assert.Equal(t, c.function, a.Causes[0].Subject)
				}
			}
		})
	}
}

// JAX reads buffers in place only if they are in the host's memory.
func TestFunctionsThatAClientCallsForBuffersOfTheHostDoNotMatterElsewhere(t *testing.T) {
	t.Parallel()
	for _, client := range callers.Clients() {
		p := profile(t, client)
		require.NotNil(t, p.OffHost, client)
		if !strings.HasPrefix(client, "jax@") {
			continue // another client does not ask where buffers are
		}
		for _, f := range []string{"PJRT_Buffer_IncreaseExternalReferenceCount", "PJRT_Buffer_OpaqueDeviceMemoryDataPointer"} {
			for _, mode := range []callers.Mode{callers.Null, callers.Unimplemented} {
				plugin := callers.Plugin{Minor: 81, Extensions: withProfiler, Wrong: map[string]callers.Mode{f: mode}}
				suffer := 0
				for _, a := range p.Predict(plugin).Actions {
					if a.Outcome > callers.Harmless {
						suffer++
					}
				}
				assert.Greater(t, suffer, 10, "%s: %s %s", client, f, mode)
				plugin.OffHost = true
				for _, a := range p.Predict(plugin).Actions {
					calls := p.OffHost.Calls[f] != nil && p.OffHost.Calls[f][slices.Index(p.Actions, a.Name)] > 0
					assert.True(t, calls || a.Outcome <= callers.Harmless, "%s: %s %s: %s: %s", client, f, mode, a.Name, a.What)
				}
			}
		}
	}
}

// GoMLX reads buffers in place if the name of the plugin says that it is for CPUs.
func TestGoMLXGoesByTheNameOfAPlugin(t *testing.T) {
	t.Parallel()
	p := profile(t, "gomlx")
	for path, want := range map[string]callers.Outcome{
		"/lib/pjrt_c_api_cpu_plugin.so": callers.Exception, "/lib/pjrt_c_api_new_plugin.so": callers.Harmless,
	} {
		for _, offHost := range []bool{false, true} {
			out := p.Predict(callers.Plugin{
				Path: path, OffHost: offHost, Minor: 81, Extensions: withProfiler,
				Wrong: map[string]callers.Mode{"PJRT_Buffer_UnsafePointer": callers.Unimplemented},
			})
			i := slices.IndexFunc(out.Actions, func(a callers.Action) bool { return a.Name == "graph" })
			assert.Equal(t, want, out.Actions[i].Outcome, path)
		}
	}
}

// A plugin may take programs in one form only, and clients send theirs in one.
func TestAFormOfProgramsThatAPluginRefusesConcernsTheClientsThatSendIt(t *testing.T) {
	t.Parallel()
	const compile = "PJRT_Client_Compile of "
	for form, suffers := range map[string]string{callers.Text: "gomlx", callers.Artifacts: "jax"} {
		for _, client := range []string{"gomlx", "jax"} {
			out := profile(t, client).Predict(callers.Plugin{
				Path: "cpu", Minor: 81, Extensions: withProfiler, Wrong: map[string]callers.Mode{compile + form: callers.Fails},
			})
			causes := 0
			for _, a := range out.Actions {
				for _, c := range a.Causes {
					causes++
					assert.Equal(t, "Client_Compile of "+form+" fails (rule CMP-01)", c.String())
				}
			}
			assert.Equal(t, client == suffers, causes > 5, "%s: %s refused", client, form)
		}
	}
}

func TestWrongNumbersSpoilTheActionsThatUseThem(t *testing.T) {
	t.Parallel()
	const execute = "PJRT_LoadedExecutable_Execute"
	p := profile(t, "jax@0.10.2")
	out := p.Predict(callers.Plugin{
		Minor: 81, Extensions: withProfiler,
		Wrong: map[string]callers.Mode{execute: callers.Miscomputes}, Details: map[string]string{execute: "1 of 4 elements differ"},
	})
	assert.Equal(t, callers.Wrong, out.Verdict)
	for i, a := range out.Actions {
		if p.Calls[execute][i] == 0 {
			assert.Equal(t, callers.Harmless, a.Outcome, a.Name)
			continue
		}
		assert.Equal(t, callers.WrongNumbers, a.Outcome, a.Name)
		assert.Equal(t, "LoadedExecutable_Execute makes wrong numbers: 1 of 4 elements differ", a.Causes[0].String())
	}
}

func TestJAXBefore010NeedsTheProfilerToProfile(t *testing.T) {
	t.Parallel()
	for client, want := range map[string]callers.Verdict{"jax@0.9.2": callers.Aborts, "jax@0.10.2": callers.Runs} {
		plugin := callers.Plugin{Minor: 81, Extensions: cpuExtensions}
		assert.Equal(t, want, profile(t, client).Predict(plugin).Verdict, client)
		plugin.Extensions = withProfiler
		assert.Equal(t, callers.Runs, profile(t, client).Predict(plugin).Verdict, client)
	}
}

func TestANewerPluginIsPredictedWithAWarning(t *testing.T) {
	t.Parallel()
	out := profile(t, "jax@0.8.1").Predict(callers.Plugin{Minor: 90, Extensions: withProfiler})
	assert.Equal(t, callers.Runs, out.Verdict)
	require.Len(t, out.Notes, 1)
	assert.Contains(t, out.Notes[0], "the plugin is of API 0.90")
}

func TestFaultsNameTheRulesThatTheyBreak(t *testing.T) {
	t.Parallel()
	for function := range functionNames() {
		for _, m := range []callers.Mode{callers.Null, callers.Unimplemented, callers.Fails} {
			if id := callers.RuleOf(function, m); id != "" {
				assert.NotNil(t, rules.ByID(id), function)
			}
		}
	}
	assert.Equal(t, "LOAD-08", callers.RuleOf("PJRT_Buffer_Device", callers.Null))
	assert.Equal(t, "CLI-18", callers.RuleOf("PJRT_Client_Devices", callers.Unimplemented))
	assert.Empty(t, callers.RuleOf("Layouts", callers.Absent), "extensions are optional")
	for _, f := range profile(t, "jax@0.8.1").Functions() {
		assert.NotEmpty(t, callers.RuleOf(f, callers.Unimplemented), f)
	}
}

func TestADamagedProfileIsAnError(t *testing.T) {
	t.Parallel()
	const head = "# jax@1.0.0 with Python 3\nsubject\tmode\toutcomes\tinstead\twhy: start exit\n"
	for name, c := range map[string]struct{ text, want string }{
		"empty":            {"", "it is not a profile"},
		"no client":        {"# nothing\n", "line 1: it does not say what was measured"},
		"no actions":       {"# jax@1.0.0 with Python 3\nsubject\n", "line 2: it does not name the actions"},
		"a short line":     {head + "F\tnull\n", "line 3: it has 2 fields"},
		"a wrong letter":   {head + "F\tnull\t.x\n", `line 3: 'x' is not an outcome: the outcomes are -*.cEWHD`},
		"too few outcomes": {head + "F\tnull\t.\n", "line 3: it has 1 outcomes for 2 actions"},
		"too few counts":   {head + "F\tcalls\t1\n", "line 3: it has 1 counts for 2 actions"},
		"a count in words": {head + "F\tcalls\t1 two\n", "line 3: \"two\" is not a count"},
		"no subject":       {head + "\tnull\t..\n", "line 3: it does not name what is wrong"},
		"no mode":          {head + "F\tnil\t..\n", `line 3: "nil" is not a mode: the modes are [null unimplemented fails absent older whole]`},
		"a row twice":      {head + "F\tnull\t..\nF\tnull\t..\n", "line 4: it is there twice, or the rows are not sorted"},
		"no whole plugin":  {head + "F\tnull\t..\n", "the row of a plugin that lacks nothing"},
	} {
		_, err := callers.Read(strings.NewReader(c.text))
		assert.ErrorContains(t, err, c.want, name)
	}
}

// A client copes with the error of a function only if it can read the error.
func TestAnErrorThatCannotBeReadIsAsBadAsReadingIt(t *testing.T) {
	t.Parallel()
	p := profile(t, "jax@0.8.1")
	const fails = "PJRT_Client_TopologyDescription"
	predict := func(wrong map[string]callers.Mode) *callers.Prediction {
		return p.Predict(callers.Plugin{Minor: 81, Extensions: append(cpuExtensions, "Profiler"), Wrong: wrong})
	}
	assert.NotEqual(t, callers.Aborts, predict(map[string]callers.Mode{fails: callers.Fails}).Verdict)
	out := predict(map[string]callers.Mode{fails: callers.Fails, "PJRT_Error_GetCode": callers.Unimplemented})
	assert.Equal(t, callers.Ended, out.Actions[0].Outcome)
	require.NotEmpty(t, out.Actions[0].Causes)
	assert.Equal(t, fails, out.Actions[0].Causes[0].Subject)
	assert.True(t, out.Actions[0].Causes[0].Assumed)
}

// Each line of the files is a plugin with several faults, drawn at random, and what a client
// did with it.
func TestPredictionsHoldForPluginsWithSeveralFaults(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(os.DirFS("profiles"), "sets/*.tsv")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name, offHost := strings.CutSuffix(filepath.Base(file), callers.OffHostSets)
		p := profile(t, strings.Replace(strings.TrimSuffix(name, ".tsv"), "-", "@", 1)).At(offHost)
		text, err := os.ReadFile(filepath.Join("profiles", file))
		require.NoError(t, err)
		n, actions, predicted := 0, 0, 0
		for line := range strings.Lines(string(text)) {
			n++
			s, err := callers.ParseSet(strings.TrimSuffix(line, "\n"))
			require.NoError(t, err)
			s.Predicted, s.Explained = p.Explain(s.Faults, cpuExtensions, s.Found)
			assert.Equal(t, strings.TrimSuffix(line, "\n"), s.String(), "%s, line %d: make callers CALLERS='-sets %[2]d'", file, n)
			for _, i := range s.Unexplained() {
				t.Errorf("%s, line %d: %s: %s was predicted, and %s was found", file, n, p.Actions[i], s.Predicted[i], s.Found[i])
			}
			for i, o := range s.Found {
				actions++
				if o == s.Predicted[i] {
					predicted++
				}
				assert.LessOrEqual(t, o, s.Predicted[i], "%s, line %d: %s goes worse than predicted", file, n, p.Actions[i])
			}
		}
		assert.GreaterOrEqual(t, n, 100, file)
		assert.GreaterOrEqual(t, 100*predicted, 95*actions, file)
	}
}
