// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// root returns the root of the repository that contains the working directory.
func root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no folder above the working directory has the go.work of the repository: run make bench in the repository")
		}
		dir = up
	}
}

// build compiles the children into dir, and copies the Python script.
func build(root, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	here, examples := filepath.Join(root, "tools/bench"), filepath.Join(root, "pjrt/examples")
	for _, b := range []struct {
		cgo, dir string
		args     []string
	}{
		{"1", here, []string{"gcc", "-O2", "-Wall", "-I", filepath.Join(root, "third_party/xla"), "-o", filepath.Join(dir, "c"),
			"programs/c/bench.c", "-ldl", "-lpthread"}},
		{"1", here, []string{"gcc", "-O2", "-Wall", "-I", filepath.Join(root, "third_party/xla"), "-o", filepath.Join(dir, "c-start"),
			"programs/c/start.c", "-ldl", "-lpthread"}},
		{"1", here, []string{"go", "build", "-o", filepath.Join(dir, "goxla"), "./programs/goxla"}},
		{"0", here, []string{"go", "build", "-o", filepath.Join(dir, "pure"), "./programs/pure"}},
		{"0", root, []string{"go", "build", "-o", filepath.Join(dir, "transformer"), "./pjrt/examples/transformer"}},
		{"0", filepath.Join(examples, "server"), []string{"go", "build", "-o", filepath.Join(dir, "server"), "."}},
	} {
		cmd := exec.Command(b.args[0], b.args[1:]...)
		cmd.Dir, cmd.Env = b.dir, append(os.Environ(), "CGO_ENABLED="+b.cgo)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(b.args[:2], " "), err, out)
		}
	}
	model := filepath.Join(dir, "model-small")
	if err := os.RemoveAll(model); err != nil { // CopyFS replaces nothing
		return err
	}
	if err := os.CopyFS(model, os.DirFS(filepath.Join(examples, "transformer/model"))); err != nil {
		return err
	}
	for name, file := range map[string]string{
		"child.py":       filepath.Join(here, "programs/child.py"),
		"bench.py":       filepath.Join(here, "programs/jax/bench.py"),
		"models.py":      filepath.Join(here, "programs/jobs/models.py"),
		"jax_jobs.py":    filepath.Join(here, "programs/jobs/jax_jobs.py"),
		"jax_server.py":  filepath.Join(here, "programs/jobs/jax_server.py"),
		"onnx_jobs.py":   filepath.Join(here, "programs/jobs/onnx_jobs.py"),
		"transformer.py": filepath.Join(examples, "transformer/export.py"),
	} {
		script, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), script, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// command says how to start a child.
type command struct {
	program string
	args    []string
}

// commandsOf returns the commands of the children. JAX takes part if there is a Python with it.
func commandsOf(p *place) []command {
	at := func(name string) string { return filepath.Join(p.built, name) }
	all := []command{
		{inC, []string{at("c"), p.plugin}},
		{viaCgo, []string{at("goxla"), p.plugin}},
		{bare, []string{at("pure"), "purego", p.plugin}},
		{viaCapi, []string{at("pure"), "capi", p.plugin}},
		{viaPjrt, []string{at("pure"), "pjrt", p.plugin}},
	}
	if p.python != "" {
		all = append(all, command{withJAX, []string{p.python, at("bench.py"), p.plugin}})
	}
	return all
}

// jobCommands returns the commands of the children that do whole jobs.
func jobCommands(p *place) []command {
	at := func(name string) string { return filepath.Join(p.built, name) }
	all := []command{{inC, []string{at("c"), p.plugin}}, {viaPjrt, []string{at("pure"), "pjrt", p.plugin}}}
	if p.python != "" {
		all = append(all, command{withJAX, []string{p.python, at("jax_jobs.py"), p.plugin}})
		if !p.gpu { // ONNX Runtime would need another package
			all = append(all, command{inONNX, []string{p.python, at("onnx_jobs.py")}})
		}
	}
	return all
}

// environment returns the variables that tell children where they are.
func (p *place) environment() []string {
	list := []string{"BENCH_PROGRAMS=" + p.programs}
	if p.gpu {
		list = append(list, "BENCH_SHARED_GPU=1")
	}
	return list
}

// startAll starts the children that take part, which read their programs from a folder.
func startAll(at *place, takesPart func(program string) bool) ([]*process, error) {
	environment := at.environment()
	var all []*process
	for _, c := range at.commands {
		if !takesPart(c.program) {
			continue
		}
		p, err := start(c.program, c.args, environment)
		if err != nil {
			return all, err
		}
		all = append(all, p)
	}
	return all, nil
}

func closeAll(processes []*process) (err error) {
	for _, p := range processes {
		if closing := p.Close(); err == nil && closing != nil {
			err = fmt.Errorf("%s: %w", p.program, closing)
		}
	}
	return err
}

// machine describes the machine that this runs on.
func machine(processes []*process, built, python string) Machine {
	m := Machine{Processor: "a processor without a name", Versions: map[string]string{}}
	if info, err := buildinfo.ReadFile(filepath.Join(built, "goxla")); err == nil {
		m.Versions["go"] = info.GoVersion
		for _, dep := range info.Deps {
			if dep.Path == "github.com/gomlx/go-xla" {
				m.Versions[viaCgo] = dep.Version
			}
		}
	}
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			key, value, _ := strings.Cut(line, ":")
			switch strings.TrimSpace(key) {
			case "model name":
				m.Processor = strings.TrimSpace(value)
			case "processor":
				m.Cores++
			}
		}
	}
	if len(processes) > 0 {
		m.Versions["api"] = processes[0].api
	}
	if python != "" {
		for program, module := range map[string]string{withJAX: "jax", inONNX: "onnxruntime"} {
			if out, err := exec.Command(python, "-c", fmt.Sprintf("import %s as m; print(m.__version__)", module)).Output(); err == nil {
				m.Versions[program] = strings.TrimSpace(string(out))
			}
		}
	}
	if out, err := exec.Command("gcc", "-dumpfullversion").Output(); err == nil {
		m.Versions["gcc"] = strings.TrimSpace(string(out))
	}
	return m
}
