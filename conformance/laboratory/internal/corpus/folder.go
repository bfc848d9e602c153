// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/pjrt/stablehlo"
)

// manifest is manifest.json of a folder of programs. It has what the other files cannot
// express: types that NumPy lacks, and tolerances.
type manifest struct {
	Programs []manifestEntry
}

type manifestEntry struct {
	Name string
	Args []struct {
		Dtype string
	}
	Outputs []struct {
		Dtype      string
		Rtol, Atol *float64
	}
}

// entry holds the files of a program of a folder.
type entry struct {
	name    string
	program string
	args    []string
	results []string
	says    *manifestEntry
}

var numbered = regexp.MustCompile(`^(.*?)(arg|out)(\d+)\.npy$`)

// Folder returns the programs of a folder: those in its subfolders NAME, with program.mlir
// or program.mlirbc, arg0.npy, arg1.npy and so on, and out0.npy and so on; and its files
// NAME.mlir or NAME.mlirbc, with NAME.arg0.npy and so on next to them. A text with check
// operations needs no other files; see Convert.
//
// An optional manifest.json names tolerances, and element types that NumPy lacks if the
// program's text does not have them. Without it, the tolerance is that of the type, or of
// bf16 for an f32 if the program lets a device multiply at a reduced precision.
func Folder(dir string) ([]Case, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	said, err := readManifest(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return nil, err
	}
	var cases []Case
	var problems []error
	for _, e := range list {
		path := filepath.Join(dir, e.Name())
		if info, err := os.Stat(path); err != nil {
			problems = append(problems, err)
			continue
		} else if info.IsDir() {
			if strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "__") {
				continue
			}
			x, err := readEntry(path, "program", "")
			if err == nil {
				x.name = e.Name()
				cases, err = x.add(cases, said)
			}
			problems = append(problems, err)
			continue
		}
		if base, ok := programName(e.Name()); ok {
			x, err := readEntry(dir, base, base+".")
			if err == nil {
				x.name = base
				cases, err = x.add(cases, said)
			}
			problems = append(problems, err)
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s has no program: expected folders with program.mlir in them, or files NAME.mlir", dir)
	}
	return cases, nil
}

func programName(file string) (string, bool) {
	for _, ext := range []string{".mlir", ".mlirbc"} {
		if base, ok := strings.CutSuffix(file, ext); ok && base != "" {
			return base, true
		}
	}
	return "", false
}

func readManifest(path string) (map[string]*manifestEntry, error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	said := make(map[string]*manifestEntry)
	for i := range m.Programs {
		said[m.Programs[i].Name] = &m.Programs[i]
	}
	return said, nil
}

// readEntry finds the files of a program: those in a folder whose names begin with prefix.
func readEntry(dir, base, prefix string) (*entry, error) {
	x := &entry{}
	for _, ext := range []string{".mlir", ".mlirbc"} {
		path := filepath.Join(dir, base+ext)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if x.program != "" {
			return nil, fmt.Errorf("%s has both %s.mlir and %s.mlirbc; keep one", dir, base, base)
		}
		x.program = path
	}
	if x.program == "" {
		return nil, fmt.Errorf("%s has neither %s.mlir nor %s.mlirbc", dir, base, base)
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		m := numbered.FindStringSubmatch(e.Name())
		if m == nil || m[1] != prefix {
			continue
		}
		n, err := strconv.Atoi(m[3])
		if err != nil || n > 1<<16 {
			return nil, fmt.Errorf("%s: the number is too large", filepath.Join(dir, e.Name()))
		}
		files := &x.args
		if m[2] == "out" {
			files = &x.results
		}
		for len(*files) <= n {
			*files = append(*files, "")
		}
		(*files)[n] = filepath.Join(dir, e.Name())
	}
	for what, files := range map[string][]string{"arg": x.args, "out": x.results} {
		if i := slices.Index(files, ""); i >= 0 {
			return nil, fmt.Errorf("%s: there is %s%d.npy, but no %s%s%d.npy", dir, prefix+what, len(files)-1, prefix, what, i)
		}
	}
	return x, nil
}

// add checks the files of a program and appends its cases.
func (x *entry) add(cases []Case, said map[string]*manifestEntry) ([]Case, error) {
	x.says = said[x.name]
	code, err := os.ReadFile(x.program)
	if err != nil {
		return cases, err
	}
	if len(code) == 0 {
		return cases, fmt.Errorf("%s is empty", x.program)
	}
	if len(x.args)+len(x.results) == 0 && hasChecks(string(code)) {
		return append(cases, convertible("programs/"+x.name, "programs", x.program, string(code))...), nil
	}
	params, ok := stablehlo.Main(code)
	if ok && len(params) != len(x.args) {
		return cases, fmt.Errorf("%s: main takes %d arguments, but there are %d files of arguments", x.program, len(params), len(x.args))
	}
	results, ok := stablehlo.Results(code)
	if ok && len(x.results) != len(results) {
		return cases, fmt.Errorf("%s: main has %d results, but there are %d files of expected results", x.program, len(results),
			len(x.results))
	}
	for i, path := range x.args {
		if err := fits(path, params, i); err != nil {
			return cases, err
		}
	}
	for i, path := range x.results {
		if err := fits(path, results, i); err != nil {
			return cases, err
		}
	}
	return append(cases, Case{Name: "programs/" + x.name, Set: "programs", Load: x.load}), nil
}

// fits says what is wrong with a NumPy file: in itself, or as a value of type i if the
// types are known.
func fits(path string, types []array.Shape, i int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h, err := npy.ReadHeader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if i < len(types) && !types[i].Accepts(array.Shape{Type: types[i].Type, Dims: h.Dims}) {
		return fmt.Errorf("%s has an array with the dimensions %v, but the program has %v there", path, h.Dims, types[i])
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := int64(h.Size)
	for _, d := range h.Dims {
		size *= d
	}
	if have := info.Size() - at; have < size {
		return fmt.Errorf("%s is truncated: %d bytes of elements are missing", path, size-have)
	}
	return nil
}

// load reads the program and its arrays.
func (x *entry) load() (*Program, error) {
	code, err := os.ReadFile(x.program)
	if err != nil {
		return nil, err
	}
	p := &Program{Code: code, Fuzz: func(int) bool { return true }}
	params, _ := stablehlo.Main(code)
	results, _ := stablehlo.Results(code)
	reduced := reducedPrecision(code)
	for i, path := range x.args {
		word := ""
		if x.says != nil && i < len(x.says.Args) {
			word = x.says.Args[i].Dtype
		}
		a, err := readArray(path, word, params, i)
		if err != nil {
			return nil, err
		}
		p.Args = append(p.Args, a)
	}
	for i, path := range x.results {
		r := Result{}
		word := ""
		if x.says != nil && i < len(x.says.Outputs) {
			word = x.says.Outputs[i].Dtype
		}
		if r.Want, err = readArray(path, word, results, i); err != nil {
			return nil, err
		}
		r.Policy = TypePolicy(r.Want, reduced)
		if x.says != nil && i < len(x.says.Outputs) {
			r.state(x.says.Outputs[i].Rtol, x.says.Outputs[i].Atol)
		}
		p.Results = append(p.Results, r)
	}
	return p, nil
}

// state sets the tolerances that a manifest names.
func (r *Result) state(rtol, atol *float64) {
	if rtol == nil && atol == nil {
		return
	}
	r.Policy = Policy{Kind: Near}
	if rtol != nil {
		r.Rtol = *rtol
	}
	if atol != nil {
		r.Atol = *atol
	}
	if r.Rtol == 0 && r.Atol == 0 {
		r.Policy = Policy{Kind: Same}
	}
}

// readArray reads a file as the type that the manifest, the program or the file itself
// names.
func readArray(path, word string, types []array.Shape, i int) (*array.Array, error) {
	of := dtype.Invalid
	if word != "" {
		t, err := dtype.Parse(word)
		if err != nil {
			return nil, fmt.Errorf("manifest.json, dtype of %s: %w", path, err)
		}
		of = t
	} else if i < len(types) {
		of = types[i].Type
	}
	read := npy.ReadFile
	if of.Valid() {
		read = func(path string) (array.Array, error) { return npy.ReadFileAs(path, of) }
	}
	a, err := read(path)
	if errors.Is(err, npy.ErrOpaque) {
		// The types of a program in bytecode are not known here. Of those that NumPy has no name
		// for, only one takes two bytes.
		if wide, asBF16 := npy.ReadFileAs(path, dtype.BF16); asBF16 == nil {
			return &wide, nil
		}
		err = fmt.Errorf("%w in manifest.json, since the program does not say it in text", err)
	}
	return &a, err
}
