// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
)

// wrongCount returns an error that says which arguments the program takes.
func wrongCount(params []array.Shape, got int) error {
	list := make([]string, len(params))
	for i, p := range params {
		list[i] = p.String()
		if !p.Type.Valid() {
			list[i] = "unknown"
		}
	}
	switch len(params) {
	case 0:
		return fmt.Errorf("the program takes no arguments, got %d", got)
	case 1:
		return fmt.Errorf("the program takes 1 argument (%s), got %d", list[0], got)
	}
	return fmt.Errorf("the program takes %d arguments (%s), got %d", len(params), strings.Join(list, ", "), got)
}

// input is one argument of the program.
type input struct {
	arg   string // as on the command line
	file  string
	array array.Array
}

// readInput reads FILE or FILE:TYPE. If neither the file nor the argument names a type, it uses
// param's.
func readInput(arg string, param array.Shape) (input, error) {
	file, cast, err := splitArgument(arg)
	if err != nil {
		return input{}, err
	}
	var a array.Array
	if cast != dtype.Invalid {
		a, err = readArray(file, cast)
	} else {
		a, err = readArray(file, dtype.Invalid)
		if errors.Is(err, npy.ErrOpaque) && param.Type.Valid() {
			a, err = readArray(file, param.Type)
		}
	}
	return input{arg, file, a}, err
}

// readArray reads a .npy file, or an array of a .npz file: FILE.npz if it has one, or
// FILE.npz/NAME. An invalid type means that of the file.
func readArray(file string, t dtype.Type) (array.Array, error) {
	path, name, named := strings.Cut(file, ".npz/")
	if named {
		path += ".npz"
	} else if path = file; !strings.HasSuffix(file, ".npz") {
		if t == dtype.Invalid {
			return npy.ReadFile(file)
		}
		return npy.ReadFileAs(file, t)
	}
	archive, err := npy.OpenArchive(path)
	if err != nil {
		return array.Array{}, err
	}
	defer archive.Close()
	if names := archive.Names(); !named && len(names) == 1 {
		name = names[0]
	} else if !named {
		return array.Array{}, fmt.Errorf("%s has %d arrays (%s): name one, as in %s/%s",
			path, len(names), strings.Join(names, ", "), path, names[0])
	}
	var a array.Array
	if t == dtype.Invalid {
		a, err = archive.Read(name)
	} else {
		a, err = archive.ReadAs(name, t)
	}
	if err != nil {
		return array.Array{}, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

// check compares the array with its parameter.
func (in input) check(param array.Shape) error {
	a := in.array
	if param.Accepts(a.Shape()) {
		return nil
	}
	hint := ""
	if param.Accepts(array.Shape{Type: param.Type, Dims: a.Dims}) && (param.Type.IsComplex() || !a.Type.IsComplex()) {
		// Elements of a type that NumPy cannot name are not cast.
		if _, err := readArray(in.file, param.Type); err == nil {
			hint = fmt.Sprintf("; %s:%s casts it", in.file, param.Type)
		}
	}
	return fmt.Errorf("%s is %v, and the program takes %v%s", in.arg, a.Shape(), param, hint)
}

// An argument is what the parts of a program get for a parameter: one input for all parts, or one
// for each.
type argument []input

// of returns the input of a part.
func (a argument) of(part int) input {
	if len(a) == 1 {
		return a[0]
	}
	return a[part]
}

// readArgument reads a file, or several with commas between them. A comma may also be part of the
// name of an existing file.
func readArgument(arg string, param array.Shape) (argument, error) {
	list := []string{arg}
	if parts := strings.Split(arg, ","); len(parts) > 1 && !names(arg) {
		list = parts
	}
	a := make(argument, len(list))
	for i, one := range list {
		var err error
		if a[i], err = readInput(one, param); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// names reports whether arg names an existing file, with a type or without.
func names(arg string) bool {
	file, _, err := splitArgument(arg)
	if err != nil {
		return false
	}
	_, err = os.Stat(file)
	return err == nil
}

// check compares arguments with the parameters of a program. There must be as many arguments as
// parameters.
func check(arguments []argument, params []array.Shape) error {
	for i, a := range arguments {
		for _, in := range a {
			if err := in.check(params[i]); err != nil {
				return fmt.Errorf("argument %d: %w", i, err)
			}
		}
	}
	return nil
}

// paramsOf returns the parameters of a compiled program. known is false if the plugin does not
// report them.
func paramsOf(exe *pjrt.LoadedExecutable) (params []array.Shape, known bool) {
	params, err := exe.Parameters()
	return params, err == nil
}

// splitArgument splits FILE:TYPE. A colon may also be part of the name of an existing file.
func splitArgument(arg string) (file string, cast dtype.Type, err error) {
	colon := strings.LastIndexByte(arg, ':')
	if colon < 0 {
		return arg, dtype.Invalid, nil
	}
	cast, err = dtype.Parse(arg[colon+1:])
	if err == nil {
		return arg[:colon], cast, nil
	}
	if _, missing := os.Stat(arg); missing == nil || strings.ContainsAny(arg[colon:], `/\`) {
		return arg, dtype.Invalid, nil
	}
	return "", dtype.Invalid, fmt.Errorf("%s: %w", arg, err)
}
