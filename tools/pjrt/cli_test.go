// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/tools/internal/clitest"
)

// tested is the built command, command its path, and library that of the CPU plugin.
var (
	tested           clitest.Program
	command, library string
)

func TestMain(m *testing.M) {
	if does := os.Getenv(hostileVariable); does != "" {
		beHostile(does)
		main()
	}
	os.Exit(clitest.Main("pjrt", func(p clitest.Program) int {
		tested, command, library = p, p.Path, p.Library
		return m.Run()
	}))
}

// outcome holds the results of a run of the command.
type outcome struct {
	stdout, stderr string
	status         int
}

func outcomeOf(o clitest.Outcome) outcome { return outcome{o.Stdout, o.Stderr, o.Status} }

func launch(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	return outcomeOf(tested.Launch(t, dir, args...))
}

func finish(t *testing.T, dir string, c *exec.Cmd) outcome {
	t.Helper()
	return finishAfter(t, dir, c, nil)
}

// finishAfter starts the command, calls meanwhile with its process, and waits for the process to
// end.
func finishAfter(t *testing.T, dir string, c *exec.Cmd, meanwhile func(*os.Process)) outcome {
	t.Helper()
	return outcomeOf(clitest.Run(t, dir, c, meanwhile))
}

// requireFailure checks the exit status, and the line that a failure prints. A search that
// found nothing prints two.
func (o outcome) requireFailure(t *testing.T, status int, want string) {
	t.Helper()
	o = o.withoutLoader(t)
	assert.Equal(t, status, o.status)
	assert.Empty(t, o.stdout)
	first, rest, _ := strings.Cut(o.stderr, "\n")
	if strings.Contains(first, "plugin not found") && rest != "" {
		assert.Regexp(t, `^      tried [^\n]*\n$`, rest, "a second line says where it searched")
	} else {
		assert.Empty(t, rest, "one line: %q", o.stderr)
	}
	assert.True(t, strings.HasPrefix(o.stderr, "pjrt: "), "%q", o.stderr)
	assert.Contains(t, o.stderr, want)
}

func (o outcome) requireSuccess(t *testing.T) {
	t.Helper()
	require.Zero(t, o.status, o.stderr)
	require.Empty(t, o.withoutLoader(t).stderr)
}

// withoutLoader leaves out the errors that the CPU plugin of API 0.106 logs about each executable
// that it loads, and runs nevertheless.
func (o outcome) withoutLoader(t *testing.T) outcome {
	t.Helper()
	if strings.Contains(o.stderr, "cpu_aot_loader.cc") && known(t).minor == 106 {
		o.stderr = aotLoader.ReplaceAllString(o.stderr, "")
	}
	return o
}

// aotLoader matches what the CPU plugin of API 0.106 logs when it loads an executable.
var aotLoader = regexp.MustCompile(`(?m)^(WARNING: All log messages before absl::InitializeLog|E0000 .* cpu_aot_loader\.cc).*\n`)

// workplace returns a directory with a program that adds, and files for it.
func workplace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "add.mlir", `module @add {
  func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    return %0, %a : tensor<4xf32>, tensor<4xf32>
  }
}`)
	write(t, dir, "wide.mlir", `func.func @main() -> (tensor<100000xi32>) {
  %0 = stablehlo.iota dim = 0 : tensor<100000xi32>
  return %0 : tensor<100000xi32>
}`)
	save(t, dir, "f32.npy", []float32{1, 2, 3, 4}, 4)
	save(t, dir, "f64.npy", []float64{0.5, 1.5, 2.5, 3.5}, 4)
	save(t, dir, "i64.npy", []int64{1, 2, 3, 4}, 4)
	save(t, dir, "c64.npy", []complex64{1, 2, 3, 4}, 4)
	save(t, dir, "square.npy", []float32{1, 2, 3, 4}, 2, 2)
	save(t, dir, "three.npy", []float32{1, 2, 3}, 3)
	save(t, dir, "scalar.npy", []float32{1})
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	clitest.Write(t, dir, name, text)
}

func save[T float32 | float64 | int64 | complex64](t *testing.T, dir, name string, values []T, dims ...int64) {
	t.Helper()
	require.NoError(t, npy.WriteFile(filepath.Join(dir, name), array.Array{Type: dtype.Of[T](), Dims: dims, Data: dtype.Bytes(values)}))
}

func TestRunPrintsAndWritesResults(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	o := launch(t, dir, "run", "--out", "new/results", "add.mlir", "f32.npy", "f64.npy:f32")
	o.requireSuccess(t)
	assert.Equal(t, "out0: f32[4]\n[1.5 3.5 5.5 7.5]\nout1: f32[4]\n[1. 2. 3. 4.]\n", o.stdout)
	for name, want := range map[string][]float32{"out0.npy": {1.5, 3.5, 5.5, 7.5}, "out1.npy": {1, 2, 3, 4}} {
		a, err := npy.ReadFile(filepath.Join(dir, "new", "results", name))
		require.NoError(t, err)
		got, err := array.ToSlice[float32](a)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	files, err := os.ReadDir(filepath.Join(dir, "new", "results"))
	require.NoError(t, err)
	assert.Len(t, files, 2)
}

func TestRunTakesPluginsByNameAndPath(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	for _, plugin := range []string{"cpu", "cpu@0.0.1", library} {
		o := launch(t, dir, "run", "--plugin", plugin, "add.mlir", "f32.npy", "f32.npy")
		o.requireSuccess(t)
		assert.Contains(t, o.stdout, "out0: f32[4]\n[2. 4. 6. 8.]\n")
	}
}

func TestRunAbbreviatesLongResults(t *testing.T) {
	t.Parallel()
	o := launch(t, workplace(t), "run", "wide.mlir")
	o.requireSuccess(t)
	assert.Equal(t, "out0: i32[100000]\n[    0     1     2 ... 99997 99998 99999]\n", o.stdout)
}

func TestRunRefusesBadInput(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	write(t, dir, "malformed.mlir", "module { garbage")
	write(t, dir, "unknown.mlir", "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n %0 = foo.bar %a : tensor<4xf32>\n return %0 : tensor<4xf32>\n}")
	write(t, dir, "binary.mlir", "\x00\x01\x02\xff")
	write(t, dir, "empty.mlir", "")
	write(t, dir, "text.npy", "not an array")
	whole, err := os.ReadFile(filepath.Join(dir, "f32.npy"))
	require.NoError(t, err)
	write(t, dir, "short.npy", string(whole[:len(whole)-3]))
	write(t, dir, "not-elf.so", "module {}")
	halves := array.Array{Type: dtype.BF16, Dims: []int64{4}, Data: make([]byte, 8)}
	require.NoError(t, npy.WriteFile(filepath.Join(dir, "bf16.npy"), halves))
	bytecode, err := filepath.Abs("testdata/programs/bytecode_sort/program.mlirbc")
	require.NoError(t, err)
	truncated, err := os.ReadFile(bytecode)
	require.NoError(t, err)
	write(t, dir, "short.mlirbc", string(truncated[:200]))

	for name, c := range map[string]struct {
		args string
		want string
	}{
		"no such program":        {"missing.mlir", "program: open missing.mlir: no such file"},
		"program is a directory": {".", "program: open .: it is a directory, not a regular file"},
		"empty program":          {"empty.mlir", "program: empty.mlir is empty"},
		"malformed program":      {"malformed.mlir", "compile malformed.mlir: "},
		"unknown operation":      {"unknown.mlir f32.npy", "Dialect `foo' not found"},
		"binary program":         {"binary.mlir", "compile binary.mlir: "},
		"truncated bytecode":     {"short.mlirbc", "compile short.mlirbc: "},
		"no such argument":       {"add.mlir f32.npy missing.npy", "argument 1: open missing.npy: no such file"},
		"not an array":           {"add.mlir text.npy f32.npy", "argument 0: text.npy: "},
		"truncated argument":     {"add.mlir f32.npy short.npy", "argument 1: short.npy: "},
		"too few arguments":      {"add.mlir f32.npy", "the program takes 2 arguments (f32[4], f32[4]), got 1"},
		"too many arguments":     {"wide.mlir f32.npy", "the program takes no arguments, got 1"},
		"wrong type":             {"add.mlir f32.npy i64.npy", "argument 1: i64.npy is i64[4], and the program takes f32[4]; i64.npy:f32 casts it"},
		"wrong type after cast":  {"add.mlir f32.npy f64.npy:bf16", "argument 1: f64.npy:bf16 is bf16[4], and the program takes f32[4]; f64.npy:f32 casts it"},
		"wrong type of its own":  {"add.mlir f32.npy bf16.npy:bf16", "argument 1: bf16.npy:bf16 is bf16[4], and the program takes f32[4]\n"},
		"wrong rank":             {"add.mlir f32.npy square.npy", "argument 1: square.npy is f32[2,2], and the program takes f32[4]\n"},
		"scalar":                 {"add.mlir scalar.npy f32.npy", "argument 0: scalar.npy is f32[], and the program takes f32[4]\n"},
		"wrong extent":           {"add.mlir three.npy f32.npy", "argument 0: three.npy is f32[3], and the program takes f32[4]\n"},
		"complex for real":       {"add.mlir c64.npy f32.npy", "argument 0: c64.npy is complex<f32>[4], and the program takes f32[4]\n"},
		"complex cast to real":   {"add.mlir c64.npy:f32 f32.npy", "argument 0: c64.npy: "},
		"unknown type":           {"add.mlir f32.npy f32.npy:f33", `argument 1: f32.npy:f33: unknown element type "f33"`},
		"bytecode, wrong shape":  {bytecode + " f32.npy f32.npy", "argument 0: f32.npy is f32[4], and the program takes f32[20]\n"},
		"bytecode, wrong number": {bytecode + " f32.npy", "the program takes 2 arguments (f32[20], f32[20]), got 1"},
		"unknown plugin":         {"--plugin cup add.mlir f32.npy f32.npy", "plugin not found: cup; did you mean cpu? the known plugins are "},
		"no such plugin":         {"--plugin ./missing.so add.mlir f32.npy f32.npy", "no such file: ./missing.so"},
		"plugin is text":         {"--plugin ./not-elf.so add.mlir f32.npy f32.npy", "plugin ./not-elf.so: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			never := filepath.Join(t.TempDir(), "never")
			o := launch(t, dir, append([]string{"run", "--out", never}, strings.Fields(c.args)...)...)
			o.requireFailure(t, 1, c.want)
			assert.NoDirExists(t, never)
		})
	}
}

func TestRunLeavesEarlierResultsWhenItFails(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	launch(t, dir, "run", "--out", "results", "add.mlir", "f32.npy", "f32.npy").requireSuccess(t)
	write(t, dir, "bad.mlir", "func.func @main() { nonsense }")
	launch(t, dir, "run", "--out", "results", "bad.mlir").requireFailure(t, 1, "compile bad.mlir")
	files, err := filepath.Glob(filepath.Join(dir, "results", "*"))
	require.NoError(t, err)
	hidden, err := filepath.Glob(filepath.Join(dir, "results", ".*"))
	require.NoError(t, err)
	assert.Len(t, files, 2)
	assert.Empty(t, hidden)
	a, err := npy.ReadFile(filepath.Join(dir, "results", "out0.npy"))
	require.NoError(t, err)
	assert.Equal(t, "[2. 4. 6. 8.]", a.String())
}

func TestRunRefusesAnImpossibleOutputDirectory(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	for _, out := range []string{"f32.npy", "f32.npy/below"} {
		launch(t, dir, "run", "--out", out, "add.mlir", "f32.npy", "f32.npy").requireFailure(t, 1, "--out: ")
	}
	a, err := npy.ReadFile(filepath.Join(dir, "f32.npy"))
	require.NoError(t, err)
	assert.Equal(t, "[1. 2. 3. 4.]", a.String())
}

// facts are what is seen of the CPU plugin of one age.
type facts struct {
	minor     int
	stablehlo [3]int
	functions int    // of the core
	missing   string // one that the plugin lacks, or ""
	since     int    // its minor version
}

// known returns the facts about the CPU plugin of the tests.
func known(t *testing.T) facts {
	t.Helper()
	plugin, err := pjrt.Open(library)
	require.NoError(t, err)
	_, minor := plugin.Version()
	for _, f := range []facts{
		{81, [3]int{1, 13, 3}, 118, "PJRT_Client_CreateErrorBuffer", 82},
		{106, [3]int{1, 16, 1}, 136, "PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace", 109},
		{115, [3]int{1, 20, 0}, 138, "", 0},
	} {
		if f.minor == minor {
			return f
		}
	}
	t.Fatalf("nothing is known about the CPU plugin of API 0.%d", minor)
	return facts{}
}

// cpuPackage returns the distribution that the name cpu means here, and its version.
func cpuPackage(t *testing.T) string {
	t.Helper()
	for _, p := range plugins.Packages() {
		if p.Name == "cpu" {
			return p.Project + " " + p.Version
		}
	}
	t.Fatal("no package is called cpu")
	return ""
}

// installedAge returns the API version that the plugin has of that name.
func installedAge(t *testing.T) string {
	t.Helper()
	return map[string]string{"xla-cpu-pjrt 0.0.1": "0.81", "lammps-jax-pjrt-cpu 0.11.2": "0.115"}[cpuPackage(t)]
}

func TestInfoShowsTheCPUPlugin(t *testing.T) {
	t.Parallel()
	f := known(t)
	for _, args := range [][]string{{"info"}, {"info", "cpu"}, {"info", library}} {
		o := launch(t, t.TempDir(), args...)
		o.requireSuccess(t)
		if f.missing != "" {
			assert.Regexp(t, fmt.Sprintf(`(?m)^  %s +core +0\.%d$`, f.missing, f.since), o.stdout)
		}
		for _, line := range []string{
			`library +` + library,
			fmt.Sprintf(`PJRT API +0\.%d \(pjrt knows 0\.\d+\)`, f.minor),
			`platform +cpu`,
			fmt.Sprintf(`  stablehlo_current_version +\[%d %d %d\]`, f.stablehlo[0], f.stablehlo[1], f.stablehlo[2]),
			`devices \(4\)`,
			`  0 +cpu +0 +yes +CpuDevice\(id=0\)`,
			`  1 +pinned_host +PINNED_HOST_1`,
			`  5 +FFI +48`,
			fmt.Sprintf(`  core +%d of \d+`, f.functions),
		} {
			assert.Regexp(t, `(?m)^`+line+`$`, o.stdout)
		}
		assert.NotContains(t, o.stdout, "PJRT_Client_Create ", "present functions are counted, not listed")
		for line := range strings.Lines(o.stdout) {
			assert.Equal(t, strings.TrimRight(line, " \n")+"\n", line, "no trailing spaces")
		}
	}
}

func TestInfoListsEveryFunctionOnRequest(t *testing.T) {
	t.Parallel()
	o := launch(t, t.TempDir(), "info", "--functions")
	o.requireSuccess(t)
	assert.Regexp(t, `(?m)^  PJRT_Client_Create +core +- +yes$`, o.stdout)
	if f := known(t); f.missing != "" {
		assert.Regexp(t, fmt.Sprintf(`(?m)^  %s +core +0\.%d +no$`, f.missing, f.since), o.stdout)
	} else {
		assert.NotRegexp(t, `(?m)^  \w+ +core +.* no$`, o.stdout)
	}
}

func TestInfoAsJSONMatchesItsHelp(t *testing.T) {
	t.Parallel()
	o := launch(t, t.TempDir(), "info", "--json")
	o.requireSuccess(t)
	var keys map[string]any
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &keys))
	help := launch(t, t.TempDir(), "info", "--help")
	help.requireSuccess(t)
	for key := range keys {
		assert.Regexp(t, `(?m)^  (\w+, )?`+key+`(, \w+)? `, help.stdout)
	}
	assert.Equal(t, library, keys["path"])
	f := known(t)
	assert.Equal(t, map[string]any{"major": 0.0, "minor": float64(f.minor)}, keys["api"])
	assert.Equal(t, []any{float64(f.stablehlo[0]), float64(f.stablehlo[1]), float64(f.stablehlo[2])}, keys["attributes"].(map[string]any)["stablehlo_current_version"])
	assert.Contains(t, keys["functions"], map[string]any{"name": "PJRT_Client_Compile", "section": "core", "since": 0.0, "present": true})
	if f.missing != "" {
		assert.Contains(t, keys["functions"], map[string]any{"name": f.missing, "section": "core", "since": float64(f.since), "present": false})
	}
	assert.Contains(t, keys["extensions"], map[string]any{"type": 5.0, "name": "FFI", "size": 48.0, "known": 48.0})
	client := keys["client"].(map[string]any)
	assert.Equal(t, "cpu", client["platform_name"])
	assert.Equal(t, "cpu", client["platform_version"])
	assert.Equal(t, 0.0, client["process_index"])
	assert.Len(t, client["devices"], 4)
	assert.Contains(t, client["devices"], map[string]any{"id": 2.0, "kind": "cpu", "description": "CpuDevice(id=2)",
		"process_index": 0.0, "addressable": true, "attributes": map[string]any{}})
	assert.Len(t, client["memories"], 12)
	assert.Contains(t, client["memories"], map[string]any{"id": 1.0, "kind": "pinned_host", "description": "PINNED_HOST_1"})
}

func TestCommandLineMistakes(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"bogus":        `unknown command "bogus"`,
		"inst":         "did you mean install?",
		"run":          "run: no program given",
		"run --bogus":  "unknown flag: --bogus: see pjrt run --help",
		"info a b":     "info: accepts at most 1 arg(s), received 2",
		"version x":    "version: accepts 0 arg(s), received 1",
		"--json":       "unknown flag: --json",
		"info --json=": "invalid argument",
		"cache x":      `cache: there is no command "x"`,
		"completion x": `completion: there is no command "x"`,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			launch(t, t.TempDir(), strings.Fields(line)...).requireFailure(t, 2, want)
		})
	}
}

func TestVersionNamesItself(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"version", "--version"} {
		o := launch(t, t.TempDir(), arg)
		o.requireSuccess(t)
		assert.Regexp(t, `^pjrt \S+.*, PJRT API 0\.\d+, go1\.\S+ \w+/\w+\n$`, o.stdout)
	}
}

func TestHelpGoesToStandardOutput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--help"}, {"help"}} {
		o := launch(t, t.TempDir(), args...)
		o.requireSuccess(t)
		for _, name := range []string{"install", "info", "compile", "run", "version"} {
			assert.Regexp(t, `(?m)^  `+name+` `, o.stdout)
		}
	}
}

func TestValuesThatJSONLacksAreStrings(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(attributes{{Name: "a", Value: float32(math.Inf(-1))}, {Name: "b", Value: float32(0.5)},
		{Name: "c", Value: true}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"a": "-Inf", "b": 0.5, "c": true}`, string(text))
}

func TestReportSaysWhatIsBeyondTheKnownAPI(t *testing.T) {
	t.Parallel()
	r := report{
		Path: "/x/new.so", API: apiVersion{0, 118}, Binding: apiVersion{0, 117}, ClientError: "none",
		Functions:  []functionReport{{"PJRT_Error_Destroy", "core", 0, true}, {"PLUGIN_Profiler_Create", "Profiler", 34, true}},
		Tables:     []tableReport{{"core", 1160, 1144}, {"Profiler", 80, 104}},
		Extensions: []extensionReport{{9, "PhaseCompile", 192, 64}, {0, "GpuCustomCall", 36, 33}, {4, "Layouts", 72, 80}, {99, "99", 32, 0}},
	}
	var text bytes.Buffer
	require.NoError(t, r.print(&text, false))
	assert.Equal(t, `library   /x/new.so
PJRT API  0.118 (newer than 0.117, which pjrt knows)
client    none: none

extensions (4)
  TYPE  NAME           BYTES
  9     PhaseCompile   192, 128 bytes more than API 0.117 knows: 16 functions
  0     GpuCustomCall  36, 3 bytes more than API 0.117 knows
  4     Layouts        72
  99    99             32; API 0.117 does not know it

functions
  core      1 of 1, 16 bytes more than API 0.117 knows: 2 functions
  Profiler  1 of 1
`, text.String())
}

func TestReportOfAPluginWithoutDevices(t *testing.T) {
	t.Parallel()
	r := report{
		Path: "/x/libtpu.so", API: apiVersion{0, 116}, Binding: apiVersion{0, 114}, ClientError: "NOT_FOUND: no devices",
		ExtensionsError: "a node points at an earlier one",
		Functions:       []functionReport{{"PJRT_Error_Destroy", "core", 0, true}},
	}
	var text bytes.Buffer
	require.NoError(t, r.print(&text, false))
	assert.Equal(t, `library   /x/libtpu.so
PJRT API  0.116 (newer than 0.114, which pjrt knows)
client    none: NOT_FOUND: no devices

extensions (0)
  the list ends early: a node points at an earlier one

functions
  core  1 of 1
`, text.String())
}
