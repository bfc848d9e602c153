// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command upstreamtests runs GoMLX's own tests with three backends: package gomlx, GoMLX's
// XLA backend, which needs cgo and a C compiler, and GoMLX's backend in pure Go. It prints
// how many tests of each package passed, failed and were skipped, and which failed.
//
//	go run ./internal/upstreamtests [-run REGEXP] [-backends pjrt,xla,go] [-json FILE] [-onnx] [PACKAGE...]
//
// Packages are patterns within GoMLX, such as ./core/graph; without any, those that
// need no data from the network. The tests are those of the version of GoMLX in go.mod. They run in
// a copy, with a copy of go-xla in which the package of the XLA backend is replaced for the
// first and the last backend: it registers the backend of package gomlx as "xla", since tests
// link that. So these two need no cgo. The option -plugin runs another plugin than the
// installed one for CPUs. With the option -onnx, the tests are those of onnx-gomlx.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

const (
	upstream = "github.com/gomlx/gomlx"
	onnx     = "github.com/gomlx/onnx-gomlx"
	builder  = "github.com/gomlx/go-xla"
	own      = "github.com/purepjrt/purepjrt"
)

// standIn replaces the package of the XLA backend in go-xla.
const standIn = `package xla

import (
	"errors"

	"github.com/gomlx/compute"

	"github.com/purepjrt/purepjrt/pjrt/gomlx"
)

const (
	BackendName      = "xla"
	NoAutoInstallEnv = "GOMLX_NO_AUTO_INSTALL"
)

var ErrNoAutoInstaller = errors.New("there is no installer")

type Backend = gomlx.Backend

var New = gomlx.New

func init() { compute.Register(BackendName, New) }

func AutoInstall() error { return nil }

func EnableAutoInstall(bool) {}

func GetAvailablePlugins() []string { return []string{"cpu"} }
`

// installer replaces the package that links the XLA backend with its installer.
const installer = `package autoinstall

import _ "github.com/gomlx/go-xla/compute/xla"
`

// workspace makes the copy with the stand-in use this repository.
const workspace = `go 1.26.5

use (
	.
	%s
	%s
)

replace (
	%s v0.1.0 => %s
	%s => %s
)
`

// withoutData are the packages whose tests need nothing from the network, by module.
var withoutData = map[string][]string{
	upstream: {"./core/...", "./ml/...", "./internal/...", "./support/...", "./ui/..."},
	onnx:     {"./onnx/...", "./internal/onnxgomlx/..."},
}

type backend struct {
	name        string
	environment []string
	replaced    bool // the copy has the stand-in
}

// counts are the numbers of tests of one package, without subtests.
type counts struct {
	Passed, Failed, Skipped int
	Failures                []string `json:",omitempty"` // with the subtests that failed
	Broken                  string   `json:",omitempty"` // why the tests did not run to their end
}

func main() {
	run := flag.String("run", "", "run only tests that match, as go test -run")
	chosen := flag.String("backends", "pjrt,xla,go", "backends to run")
	report := flag.String("json", "", "file for the counts as JSON")
	logs := flag.String("logs", "", "folder for the output of the tests")
	plugin := flag.String("plugin", "", "path of the plugin for CPUs; the installed one without it")
	ofONNX := flag.Bool("onnx", false, "run the tests of onnx-gomlx instead")
	flag.Parse()
	module := upstream
	if *ofONNX {
		module = onnx
	}
	packages := flag.Args()
	if len(packages) == 0 {
		packages = withoutData[module]
	}
	if err := tests(module, *run, *plugin, strings.Split(*chosen, ","), *report, *logs, packages); err != nil {
		fmt.Fprintln(os.Stderr, "upstreamtests:", err)
		os.Exit(1)
	}
}

func tests(module, run, plugin string, chosen []string, report, logs string, packages []string) error {
	if plugin == "" {
		var err error
		if plugin, err = output("", nil, "go", "run", own+"/tools/pjrt", "install", "cpu"); err != nil {
			return err
		}
	}
	work, err := os.MkdirTemp("", "upstreamtests")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	plain, replaced, err := copies(work, module)
	if err != nil {
		return err
	}
	home, err := homeWith(work, plugin)
	if err != nil {
		return err
	}
	all := []backend{
		{"pjrt", []string{"CGO_ENABLED=0", "GOMLX_BACKEND=pjrt:" + plugin}, true},
		{"xla", []string{"CGO_ENABLED=1", "GOMLX_BACKEND=xla:cpu", "HOME=" + home}, false},
		{"go", []string{"CGO_ENABLED=0", "GOMLX_BACKEND=go"}, true},
	}
	results := make(map[string]map[string]*counts) // by package, then backend
	for _, b := range all {
		if !slices.Contains(chosen, b.name) {
			continue
		}
		dir := plain
		if b.replaced {
			dir = replaced
		}
		if err := test(dir, b, run, logs, packages, results); err != nil {
			return err
		}
	}
	print(os.Stdout, results, chosen)
	if report == "" {
		return nil
	}
	text, err := json.MarshalIndent(results, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(report, append(text, '\n'), 0o666)
}

// output runs a command and returns what it prints.
func output(dir string, environment []string, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir, c.Env, c.Stderr = dir, append(os.Environ(), environment...), os.Stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// copies makes two copies of a module in dir, the second one with the stand-in.
func copies(dir, module string) (plain, replaced string, err error) {
	source, err := output("", nil, "go", "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return "", "", err
	}
	root, err := output("", nil, "go", "list", "-m", "-f", "{{.Dir}}", own)
	if err != nil {
		return "", "", err
	}
	goXLA, err := output("", nil, "go", "list", "-m", "-f", "{{.Dir}}", builder)
	if err != nil {
		return "", "", err
	}
	plain, replaced = filepath.Join(dir, "plain"), filepath.Join(dir, "replaced")
	withStandIn := filepath.Join(dir, "go-xla")
	for to, from := range map[string]string{plain: source, replaced: source, withStandIn: goXLA} {
		// The files of the module cache cannot be written, and some tests write beside them.
		if err := copyTree(to, from); err != nil {
			return "", "", err
		}
	}
	xla := filepath.Join(withStandIn, "compute", "xla")
	modules := fmt.Appendf(nil, workspace, root, filepath.Join(root, "pjrt", "gomlx"), own, root, builder, withStandIn)
	if err := os.RemoveAll(xla); err != nil {
		return "", "", err
	}
	if err := errors.Join(
		os.MkdirAll(filepath.Join(xla, "autoinstall"), 0o777),
		os.WriteFile(filepath.Join(xla, "standin.go"), []byte(standIn), 0o666),
		os.WriteFile(filepath.Join(xla, "autoinstall", "standin.go"), []byte(installer), 0o666),
		os.WriteFile(filepath.Join(plain, "go.work"), []byte("go 1.26.5\n\nuse .\n"), 0o666),
		os.WriteFile(filepath.Join(replaced, "go.work"), modules, 0o666),
	); err != nil {
		return "", "", err
	}
	return plain, replaced, nil
}

func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, inside)
		if d.IsDir() {
			return os.MkdirAll(target, 0o777)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o666)
	})
}

var versionLine = regexp.MustCompile(`DefaultCPUVersion\s*=\s*"([^"]+)"`)

// homeWith makes a home folder in which the XLA backend finds the plugin, under the name
// that tells its installer that it need not download one.
func homeWith(dir, plugin string) (string, error) {
	source, err := output("", nil, "go", "list", "-m", "-f", "{{.Dir}}", builder)
	if err != nil {
		return "", err
	}
	utils := os.DirFS(filepath.Join(source, "internal", "utils"))
	files, err := fs.Glob(utils, "*.go")
	if err != nil {
		return "", err
	}
	for _, f := range files {
		text, err := fs.ReadFile(utils, f)
		if err != nil {
			return "", err
		}
		m := versionLine.FindSubmatch(text)
		if m == nil {
			continue
		}
		home := filepath.Join(dir, "home")
		lib := filepath.Join(home, ".local", "lib", "go-xla")
		if err := os.MkdirAll(lib, 0o777); err != nil {
			return "", err
		}
		return home, errors.Join(
			os.Symlink(plugin, filepath.Join(lib, "pjrt_c_api_cpu_"+string(m[1])+"_plugin.so")),
			os.Symlink(plugin, filepath.Join(lib, "pjrt_c_api_cpu_plugin.so")), // which has the name cpu
		)
	}
	return "", fmt.Errorf("%s does not say which version of the plugin it installs", builder)
}

// event is a line that go test -json prints.
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // of a package that does not build
	FailedBuild                   string
}

// test runs the tests with one backend.
func test(dir string, b backend, run, logs string, packages []string, results map[string]map[string]*counts) error {
	// Go must not look for its caches in another home.
	environment := slices.Clone(b.environment)
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOENV"} {
		value, err := output("", nil, "go", "env", name)
		if err != nil {
			return err
		}
		environment = append(environment, name+"="+value)
	}
	args := append([]string{"test", "-json", "-vet=off", "-count=1", "-p=1", "-timeout=20m", "-run=" + run}, packages...)
	c := exec.Command("go", args...)
	c.Dir, c.Env = dir, append(os.Environ(), append(environment, "GOWORK="+filepath.Join(dir, "go.work"), "GOFLAGS=-trimpath")...)
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	c.Stderr = os.Stderr
	var log io.Writer = io.Discard
	if logs != "" {
		f, err := os.Create(filepath.Join(logs, b.name+".log"))
		if err != nil {
			return err
		}
		defer f.Close()
		log = f
	}
	if err := c.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		fmt.Fprint(log, e.Output)
		count(e, b.name, results)
	}
	err = errors.Join(lines.Err(), c.Wait())
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil // tests failed, as the counts say
	}
	return err
}

// count counts what an event says.
func count(e event, backend string, results map[string]map[string]*counts) {
	if e.Package == "" {
		return
	}
	name := strings.TrimPrefix(strings.TrimPrefix(e.Package, upstream+"/"), onnx+"/")
	if results[name] == nil {
		results[name] = make(map[string]*counts)
	}
	c := results[name][backend]
	if c == nil {
		c = new(counts)
		results[name][backend] = c
	}
	top := !strings.Contains(e.Test, "/")
	switch {
	case e.Action == "fail" && e.Test == "" && e.FailedBuild != "":
		c.Broken = "does not build"
	case e.Action == "output" && strings.HasPrefix(e.Output, "panic: "):
		c.Broken = "ended early" // tests after this one did not run
	case e.Action == "fail" && e.Test == "" && len(c.Failures) == 0:
		c.Broken = "ended early"
	case e.Test == "":
	case e.Action == "fail":
		c.Failures = append(c.Failures, e.Test)
		if top {
			c.Failed++
		}
	case e.Action == "pass" && top:
		c.Passed++
	case e.Action == "skip" && top:
		c.Skipped++
	}
}

// print writes the counts as a table, and then the failures.
func print(to io.Writer, results map[string]map[string]*counts, backends []string) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "package\t%s\n", strings.Join(backends, "\t"))
	total := make(map[string]*counts)
	for _, b := range backends {
		total[b] = new(counts)
	}
	packages := slices.Sorted(maps.Keys(results))
	for _, p := range packages {
		if !slices.ContainsFunc(slices.Collect(maps.Values(results[p])), func(c *counts) bool { return c.text() != "0 / 0 / 0" }) {
			continue // has no tests
		}
		fmt.Fprint(w, p)
		for _, b := range backends {
			c := results[p][b]
			if c == nil {
				fmt.Fprint(w, "\t-")
				continue
			}
			fmt.Fprintf(w, "\t%s", c.text())
			total[b].Passed += c.Passed
			total[b].Failed += c.Failed
			total[b].Skipped += c.Skipped
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "passed / failed / skipped")
	for _, b := range backends {
		fmt.Fprintf(w, "\t%s", total[b].text())
	}
	fmt.Fprintln(w)
	w.Flush()
	for _, b := range backends {
		for _, p := range packages {
			if c := results[p][b]; c != nil {
				for _, f := range c.Failures {
					fmt.Fprintf(to, "%s: %s %s failed\n", b, p, f)
				}
			}
		}
	}
}

func (c *counts) text() string {
	s := fmt.Sprintf("%d / %d / %d", c.Passed, c.Failed, c.Skipped)
	if c.Broken != "" {
		s += " (" + c.Broken + ")"
	}
	return s
}
