// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// place is where the programs of a run are.
type place struct {
	root, built string // root is empty without a repository
	commands    []command
	programs    string // folder of the programs that the jobs compile
	plugin      string // path of the library
	python      string // with JAX, or empty
	gpu         bool   // the clients share a GPU
}

// timed runs a command in the folder dir and returns how many nanoseconds it took.
func timed(dir string, args ...string) (float64, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return float64(time.Since(start)), nil
}

// alone returns a row in which only one program takes part.
func alone(r row, times []float64) *Row {
	return &Row{Name: r.name, Cells: map[string]*Cell{r.of(): {Nanoseconds: quartilesOf(times)}}}
}

// opening measures how long a new process takes until it has opened the plugin, or from there until
// it has a client.
func opening(m *measurer, r row) (*Row, error) {
	const rounds = 9
	times := map[string][]float64{}
	for round := range rounds {
		for i := range m.place.commands {
			c := m.place.commands[(i+round)%len(m.place.commands)]
			if c.program == withJAX { // its start would be Python's
				continue
			}
			p, err := start(c.program, c.args, nil)
			if err != nil {
				return nil, err
			}
			took := p.open
			if r.job == "first client" {
				took = p.client
			}
			times[c.program] = append(times[c.program], float64(took))
			if err := p.Close(); err != nil {
				return nil, err
			}
		}
	}
	result := &Row{Name: r.name, Cells: map[string]*Cell{}}
	for program, t := range times {
		ratio := quartilesOf(ratiosOf(t, times[baseline]))
		result.Cells[program] = &Cell{Nanoseconds: quartilesOf(t), Ratio: &ratio}
	}
	return result, nil
}

// benchmarked runs the benchmark that the job names, of a package that other modules cannot import.
func benchmarked(m *measurer, r row) (*Row, error) {
	if m.place.root == "" {
		return nil, nil
	}
	cmd := exec.Command("go", "test", "-run", "^$", "-bench", "^"+r.job+"$", "-benchtime", "20000x", "-count", "25", "./pjrt/internal/lifetimes")
	cmd.Dir = m.place.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", r.job, err, out)
	}
	var times []float64
	var allocs, bytes float64
	for line := range strings.Lines(string(out)) {
		var name string
		var took, n float64
		if _, err := fmt.Sscanf(line, "%s %f %f ns/op %f B/op %f allocs/op", &name, &n, &took, &bytes, &allocs); err == nil {
			times = append(times, took)
		}
	}
	if len(times) == 0 {
		return nil, fmt.Errorf("%s has no result:\n%s", r.job, out)
	}
	result := alone(r, times)
	cell := result.Cells[r.of()]
	cell.Allocs, cell.Bytes = &allocs, &bytes
	return result, nil
}

// tool builds a command of the repository, and returns the path of the file.
func (p *place) tool(name string) (string, error) {
	if p.root == "" {
		return "", nil
	}
	path := filepath.Join(p.built, name)
	_, err := timed(p.root, "go", "build", "-o", path, "./tools/"+name)
	return path, err
}

// commandStart measures `pjrt version`.
func commandStart(m *measurer, r row) (*Row, error) {
	path, err := m.place.tool("pjrt")
	if err != nil || path == "" {
		return nil, err
	}
	var times []float64
	for range 9 {
		var batch []float64
		for range batches {
			took, err := timed("", path, "version")
			if err != nil {
				return nil, err
			}
			batch = append(batch, took)
		}
		times = append(times, low(batch))
	}
	return alone(r, times), nil
}

// commandSize measures how large the command named by the job is, and what is in it.
func commandSize(m *measurer, r row) (*Row, error) {
	path, err := m.place.tool(r.job)
	if err != nil || path == "" {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	result := alone(r, []float64{float64(info.Size())})
	result.Parts, err = parts(path)
	return result, err
}

// parts returns the sizes in bytes of a program's sections, and of the packages with the most code.
func parts(path string) (map[string]float64, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, text := map[string]float64{}, 0.0
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOBITS {
			continue
		}
		switch {
		case strings.HasPrefix(s.Name, ".debug_") || s.Name == ".symtab" || s.Name == ".strtab":
			all["what debuggers read"] += float64(s.FileSize)
		case s.Name == ".gopclntab":
			all["lines and names of functions"] += float64(s.FileSize)
		case s.Name == ".text":
			text = float64(s.FileSize)
		default:
			all["constants, types and data"] += float64(s.FileSize)
		}
	}
	symbols, err := f.Symbols()
	if errors.Is(err, elf.ErrNoSymbols) { // the linker left them out
		all["code"] = text
		return all, nil
	} else if err != nil {
		return nil, err
	}
	code := map[string]float64{}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			code[packageOf(s.Name)] += float64(s.Size)
		}
	}
	names := slices.SortedFunc(maps.Keys(code), func(a, b string) int { return cmp.Compare(code[b], code[a]) })
	for i, n := range names {
		if i < 6 {
			all["code of "+n] = code[n]
		} else {
			all["other code"] += code[n]
		}
	}
	return all, nil
}

// packageOf returns the group of packages that a function belongs to, from its linker symbol.
func packageOf(symbol string) string {
	dir, name := cut(symbol)
	path := dir + strings.SplitN(name, ".", 2)[0]
	if own, ok := strings.CutPrefix(path, "github.com/purepjrt/purepjrt/"); ok {
		return strings.SplitN(own, "/", 2)[0]
	}
	first, _, _ := strings.Cut(path, "/")
	if strings.Contains(first, ".") {
		return "other modules"
	}
	return "the standard library"
}

// cut splits a symbol after its last slash that is not in brackets, where type arguments also have
// slashes.
func cut(symbol string) (dir, name string) {
	head, _, _ := strings.Cut(symbol, "[")
	i := strings.LastIndex(head, "/")
	return symbol[:i+1], symbol[i+1:]
}

// building measures go build of a package: either with all imports outside the standard library
// compiled anew, or when they are in the build cache.
func building(m *measurer, r row) (*Row, error) {
	if m.place.root == "" {
		return nil, nil
	}
	how, target, _ := strings.Cut(r.job, " ")
	var times []float64
	for range 3 {
		// A seed that nothing uses changes the key of the compiler's results, so that no cache has
		// them.
		anew := fmt.Sprintf("-gcflags=github.com/...=-d=ssa/check/seed=%d", rand.Uint32()>>1)
		took, err := timed(m.place.root, "go", "build", anew, "./"+target)
		if err == nil && how == "warm" {
			took, err = timed(m.place.root, "go", "build", anew, "./"+target)
		}
		if err != nil {
			return nil, err
		}
		times = append(times, took)
	}
	return alone(r, times), nil
}

// generating measures `pjrtgen generate`.
func generating(m *measurer, r row) (*Row, error) {
	path, err := m.place.tool("pjrtgen")
	if err != nil || path == "" {
		return nil, err
	}
	out, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	var times []float64
	for range 5 {
		took, err := timed(m.place.root, path, "generate", "--out", out)
		if err != nil {
			return nil, err
		}
		times = append(times, took)
	}
	return alone(r, times), nil
}
