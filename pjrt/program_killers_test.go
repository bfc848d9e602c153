// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/internal/mlir/mlirtest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// killerVariable names the environment variable that tells a test that it runs in a child process.
// Its value is what the child compiles.
const killerVariable = "PJRT_TEST_KILLER"

// withStack runs the current test again in a child process, whose threads have the given stack, in
// KiB or "unlimited".
func withStack(t *testing.T, what, stack string) (stdout, stderr string, err error) {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	cmd := self(t.Context(), "-test.run=^"+name+"$")
	cmd = exec.Command("sh", append([]string{"-c", "ulimit -s " + stack + ` && exec "$0" "$@"`}, cmd.Args...)...)
	cmd.Env = append(os.Environ(), killerVariable+"="+what)
	var out, failures strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &failures
	err = cmd.Run()
	return out.String(), failures.String(), err
}

// usualStack is the usual size of a thread's stack in KiB.
const usualStack = "8192"

// rewritings returns a program in several forms, by name.
func rewritings(code string) map[string]string {
	random := func() *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }
	forms := map[string]string{"as it is": code, "rewritten in all ways": mlirtest.All(random(), code)}
	for _, r := range mlirtest.Rewrites {
		forms[r.Name] = r.Rewrite(random(), code)
	}
	return forms
}

// compileUnchecked hands a program to the compiler without this package's checks.
func compileUnchecked(t *testing.T, client *pjrt.Client, code string) error {
	t.Helper()
	exe, err := loadUnchecked(t, client, []byte(code), pjrt.FormatMLIR)
	if err != nil {
		return err
	}
	return exe.Close()
}

// loadUnchecked hands a program to the compiler without this package's checks and flags.
func loadUnchecked(t *testing.T, client *pjrt.Client, code []byte, format pjrt.Format) (*pjrt.LoadedExecutable, error) {
	t.Helper()
	h, release, err := raw.AcquireClient(client)
	require.NoError(t, err)
	defer release()
	program := &capi.Program{StructSize: capi.ProgramSize}
	program.Code, program.CodeSize = capi.BytesData(code)
	program.Format, program.FormatSize = capi.StringData(string(format))
	var call capi.Call[capi.ClientCompileArgs]
	call.Args.Client, call.Args.Program = h, program
	options := protoBytes(3, protoInt(4, 1), protoInt(5, 1)) // one device
	if format == pjrt.FormatHLO && takesOneTuple(code) {
		options = append(options, protoInt(2, 1)...) // as Compile does
	}
	call.Args.CompileOptions, call.Args.CompileOptionsSize = capi.BytesData(options)
	if err := call.Do(raw.TableOf(client)); err != nil {
		return nil, err
	}
	return raw.AdoptLoadedExecutable(client, call.Args.Executable)
}

// takesOneTuple reports whether a program has its arguments in one tuple.
func takesOneTuple(code []byte) bool {
	m, err := hlo.Decode(code)
	if err != nil {
		return false
	}
	parameters, tuples := 0, 0
	for _, i := range m.Entry.Instructions {
		if i.Opcode == "parameter" {
			parameters++
			if i.Shape.IsTuple {
				tuples++
			}
		}
	}
	return parameters == 1 && tuples == 1
}

func TestProgramsThatEndTheProcessAreRefusedHoweverTheyAreWritten(t *testing.T) {
	if os.Getenv(killerVariable) == "" {
		t.Parallel()
		stdout, stderr, err := withStack(t, "all", usualStack)
		require.NoError(t, err, "%s\n%s", lastLines(stdout, 20), firstLines(stderr, 20))
		assert.Equal(t, len(mlirtest.Killers())*len(rewritings("")), strings.Count(stdout, "> refused "))
		return
	}
	client := newClient(t)
	for _, k := range mlirtest.Killers() {
		for form, code := range rewritings(k.Code) {
			fmt.Printf("compiling %s, %s\n", k.Name, form)
			exe, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(code)}, nil)
			require.Nil(t, exe)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			require.ErrorContains(t, err, k.Want)
			fmt.Println("> refused " + k.Name)
		}
	}
}

// The programs really end the process, and still do when they are rewritten. If a newer plugin
// survives one, the check for it can be limited to older plugins.
func TestProgramsThatAreRefusedEndTheProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	what := os.Getenv(killerVariable)
	if what == "" {
		t.Parallel()
	}
	for _, k := range mlirtest.Killers() {
		if k.Name == what {
			err := compileUnchecked(t, newClient(t), mlirtest.All(rand.New(rand.NewPCG(1, 1)), k.Code))
			t.Fatalf("survived: %v", err)
		}
		if what != "" {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, err := withStack(t, k.Name, usualStack)
			require.Error(t, err)
			assert.NotContains(t, stdout, "survived")
			assert.Contains(t, stderr, "SIG")
		})
	}
}

// Programs nested as deeply as the checks allow leave the compiler enough stack.
func TestProgramsAsDeepAsAllowedAreCompiled(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles large programs")
	}
	stack, child := os.LookupEnv(killerVariable)
	if !child {
		t.Parallel()
		for _, stack := range []string{usualStack, "2048", "unlimited"} {
			stdout, stderr, err := withStack(t, stack, stack)
			require.NoError(t, err, "%s of stack\n%s\n%s", stack, lastLines(stdout, 20), firstLines(stderr, 20))
			assert.Equal(t, len(mlirtest.Nests()), strings.Count(stdout, "> survived "))
		}
		return
	}
	client := newClient(t)
	for _, n := range mlirtest.Nests() {
		depth := n.Allowed
		if stack != usualStack {
			depth = depth/4 - 2 // a thread has 2 MiB if there is no limit
		}
		fmt.Printf("compiling %s, %d deep\n", n.Name, depth)
		exe, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(n.Program(depth))}, nil)
		if err != nil { // from the compiler, for another reason
			require.NotContains(t, err.Error(), "ulimit")
		}
		exe.Close()
		fmt.Println("> survived " + n.Name)
	}
}

// A mistake in front of the body of a function does not make a declaration of it.
func TestTheCompilerSaysWhereAFunctionIsMisspelled(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	for _, code := range mlirtest.Misspelled() {
		_, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(code)}, nil)
		var failure *pjrt.Error
		require.ErrorAs(t, err, &failure, code)
		assert.Equal(t, "PJRT_Client_Compile", failure.Func, code)
		assert.Regexp(t, `^[^ ]*:[12]:\d+: error: `, failure.Message, code)
	}
}

// Rewritten programs stay valid: the compiler takes them.
func TestRewrittenProgramsAreCompiled(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	programs := map[string]string{"add": add}
	names := []string{"generic_syntax", "cond_switch", "conv1d", "barrier"}
	if testing.Short() {
		names = names[:1]
	}
	for _, name := range names {
		code, err := os.ReadFile("../tools/pjrt/testdata/programs/" + name + "/program.mlir")
		require.NoError(t, err)
		programs[name] = string(code)
	}
	for name, code := range programs {
		for form, rewritten := range rewritings(code) {
			exe, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(rewritten)}, nil)
			require.NoError(t, err, "%s, %s:\n%s", name, form, rewritten)
			exe.Close()
		}
	}
}

// harmless stands for all programs that are refused for other plugins only.
const harmless = "programs that are not refused for this plugin"

// Each program ends the process of the plugins that it is refused for, and of no others: they
// compile it, and execute it with zeros. Programs that end it by luck are not tried. The plugin at
// hand is tried; PJRT_TEST_CPU names others.
func TestDangersEndTheProcessOfThePluginsOfTheirAges(t *testing.T) {
	what := os.Getenv(killerVariable)
	if what == "" && testing.Short() {
		t.Skip("starts many processes")
	}
	type form struct {
		name   string
		code   []byte
		format pjrt.Format
		dies   []int
		luck   bool
	}
	var list []form
	for _, d := range mlirtest.Dangers() {
		list = append(list, form{d.Name, []byte(d.Code), pjrt.FormatMLIR, d.Dies, d.IsLuck()})
		forms, _, err := mlirtest.Forms(d.Name)
		require.NoError(t, err)
		if hlo := forms[mlirtest.FormHLO]; hlo != nil {
			list = append(list, form{d.Name + " as HLO", hlo, pjrt.FormatHLO, d.DiesAsHLO(), d.IsLuck()})
		}
	}
	for _, m := range mlirtest.MalformedHLO() {
		fails := func(minor int) bool { return m.Want == "" || slices.Contains(m.Fails, minor) }
		dies := slices.DeleteFunc([]int{81, 106, 115}, fails)
		list = append(list, form{"HLO: " + m.Name, m.Code, pjrt.FormatHLO, dies, false})
	}
	list = append(list, form{"more results than the entry has", moreResultsHLO(), pjrt.FormatHLO, []int{81, 106, 115}, false})
	minor := plugintest.Age(t)
	dies := func(f form) bool { return slices.Contains(f.dies, minor) }
	if what != "" {
		client := newClient(t)
		type one struct {
			X ffi.Arg[float32]
			Y ffi.Ret[float32]
		}
		require.NoError(t, ffi.Register(client.Plugin(), mlirtest.Handled, func(*ffi.Call, *one) error { return nil }))
		for _, f := range list {
			if f.name == what || what == harmless && !dies(f) {
				fmt.Println("> trying " + f.name)
				executeUnchecked(t, client, f.code, f.format)
				fmt.Println("> survived " + f.name)
			}
		}
		return
	}
	t.Parallel()
	try := func(what, timeout string) (string, error) {
		cmd := self(t.Context(), "-test.run=^"+t.Name()+"$", "-test.timeout="+timeout)
		cmd.Env = append(os.Environ(), killerVariable+"="+what)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := try(harmless, "5m")
	assert.NoError(t, err, "a program that is not refused for the plugin of API 0.%d ends it\n%s", minor, out[max(0, strings.LastIndex(out, "> trying ")):])
	for _, f := range list {
		if !dies(f) {
			assert.Contains(t, out, "> survived "+f.name+"\n")
			continue
		}
		if f.luck {
			continue
		}
		out, err := try(f.name, "60s")
		require.Contains(t, out, "> trying "+f.name+"\n")
		assert.Error(t, err)
		assert.NotContains(t, out, "> survived ", "%s on the plugin of API 0.%d", f.name, minor)
	}
}

// executeUnchecked compiles a program without this package's checks and executes it with zeros. It
// only compiles one whose results are too large for this machine. An error of the plugin is as good
// as a result.
func executeUnchecked(t *testing.T, client *pjrt.Client, code []byte, format pjrt.Format) {
	t.Helper()
	ctx := context.Background()
	exe, err := loadUnchecked(t, client, code, format)
	if err != nil {
		fmt.Println("not compiled: ", err)
		return
	}
	defer exe.Close()
	results, err := exe.Outputs()
	require.NoError(t, err)
	for _, shape := range results {
		const most = 1 << 30
		if size, err := shape.HostSize(); err != nil || size > most {
			fmt.Println("too large to be executed")
			return
		}
	}
	parameters, err := exe.Parameters()
	require.NoError(t, err)
	var args []*pjrt.Buffer
	for _, shape := range parameters {
		size, err := shape.HostSize()
		require.NoError(t, err)
		b, err := client.BufferFromHost(ctx, pjrt.HostArray{Type: shape.Type, Dims: shape.Dims, Data: make([]byte, size)}, nil)
		require.NoError(t, err)
		defer b.Close()
		args = append(args, b)
	}
	outs, err := exe.Execute(ctx, args, nil)
	if err != nil {
		fmt.Println("not executed: ", err)
		return
	}
	for _, b := range outs {
		_, err := b.ToHost(ctx)
		fmt.Println("read: ", err)
		b.Close()
	}
}
