// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/capi/shim/recording"
	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/inspect"
	internalhlo "github.com/purepjrt/purepjrt/pjrt/internal/hlo"
	"github.com/purepjrt/purepjrt/pjrt/internal/source"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/pjrt/platform"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
	"github.com/purepjrt/purepjrt/pjrt/stablehlo"
	"github.com/purepjrt/purepjrt/pjrt/xlaflags"
)

// Reader is something that reads bytes from outside.
type Reader struct {
	Name  string
	Forms []Form
	// Read reads the bytes, and does with the result what programs do.
	Read func(b []byte) error
}

// Gets reports whether the reader is for such inputs.
func (r *Reader) Gets(f Form) bool { return slices.Contains(r.Forms, f) }

// program reads a program as Client.Compile does for one compiler.
func program(format string, c source.Compiler) func(b []byte) error {
	return func(b []byte) error {
		s, err := source.Parse(b, format)
		if err != nil {
			return err
		}
		_ = s.Spread() // before Read, as when a program is only described
		if err := s.Read(context.Background(), c); err != nil {
			return err
		}
		_, _ = s.Tuples(true)
		_, _, _ = s.Counts()
		_ = s.Parameters()
		_ = s.Uncompiled()
		return s.Check(2)
	}
}

// signature reads only the types of a program.
func signature(b []byte) error {
	s, err := source.Parse(b, "")
	if err != nil {
		return err
	}
	_ = s.Parameters()
	_, _, _ = s.Counts()
	return nil
}

// openIndex opens an index in a folder with one file of one array, a.
func openIndex(b []byte) error {
	dir, err := os.MkdirTemp("", "index")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var file bytes.Buffer
	if err := safetensors.Write(&file, map[string]array.Array{"a": {Type: dtype.F32, Data: make([]byte, 4)}}, nil); err != nil {
		return err
	}
	index := filepath.Join(dir, "index.json")
	if err := os.WriteFile(filepath.Join(dir, "a.safetensors"), file.Bytes(), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(index, b, 0o600); err != nil {
		return err
	}
	f, err := safetensors.Open(index)
	if err != nil {
		return err
	}
	_, _ = f.Names(), f.Metadata()
	return f.Close()
}

// Readers returns all readers.
func Readers() []Reader {
	programs := []Form{Text, Bytecode, Message}
	messages := []Form{Message}
	tpu := source.Compiler{TPU: true, UpToNUL: true}
	return []Reader{
		{"a program", programs, program("", tpu)},
		{"a program for the oldest plugin for CPUs", programs, program("", source.Compiler{CPU: 81})},
		{"a program for the newest plugin for CPUs", programs, program("", source.Compiler{CPU: 115})},
		{"a program's signature", programs, signature},
		{"a program of MLIR", []Form{Message}, program("mlir", tpu)},
		{"a program of HLO", messages, program("hlo", tpu)},
		{"a program of HLO with a configuration", messages, program("hlo_with_config", tpu)},
		{"constants of bools in a program", []Form{Text, Bytecode}, func(b []byte) error {
			_ = source.Rewritten(context.Background(), source.MLIR, b, source.OtherAge)
			return nil
		}},
		{"stablehlo.Main", []Form{Text, Bytecode}, func(b []byte) error { _, _ = stablehlo.Main(b); return nil }},
		{"stablehlo.Results", []Form{Text, Bytecode}, func(b []byte) error { _, _ = stablehlo.Results(b); return nil }},
		{"stablehlo.VersionOf", []Form{Text, Bytecode}, func(b []byte) error { _, _ = stablehlo.VersionOf(b); return nil }},
		{"hlo.Decode", messages, func(b []byte) error {
			m, err := hlo.Decode(b)
			if err != nil {
				return err
			}
			_ = m.String()
			for _, i := range m.All() {
				_, _, _ = i.Flops(), i.Transcendentals(), i.ID()
				_, _ = i.Data()
			}
			_ = m.Cost()
			_, err = m.Encode()
			return err
		}},
		{"hlo.DecodeShape", messages, func(b []byte) error {
			s, err := hlo.DecodeShape(b)
			if err == nil {
				_, _ = s.String(), s.Arrays()
			}
			return err
		}},
		{"inspect.ReadProgram", messages, func(b []byte) error {
			p, err := inspect.ReadProgram(pjrt.Program{Code: b, Format: pjrt.FormatHLO})
			if err == nil {
				_, _ = p.Kernels(), p.Schedule()
			}
			return err
		}},
		{"a page of inspect", messages, func(b []byte) error {
			p, err := inspect.ReadProgram(pjrt.Program{Code: b, Format: pjrt.FormatHLO})
			if err == nil {
				err = (&inspect.Report{Program: p}).WriteHTML(io.Discard)
			}
			return err
		}},
		{"what a compiler says about a module", messages, func(b []byte) error {
			_, _ = internalhlo.Parameters(b)
			_, _ = internalhlo.Results(b)
			_, _ = internalhlo.Donors(b)
			_, _ = internalhlo.Steady(b)
			_, _ = internalhlo.ParameterShardings(b)
			_, _ = internalhlo.OutputShardings(b)
			_, _ = internalhlo.ReadConfig(b)
			return nil
		}},
		{"pjrt.DecodeCompileOptions", messages, func(b []byte) error { _, err := pjrt.DecodeCompileOptions(b); return err }},
		{"sharding.Decode", messages, func(b []byte) error {
			s, err := sharding.Decode(pjrt.Sharding{Proto: b})
			if err == nil {
				_ = s.String()
			}
			return err
		}},
		{"pjrt.Sharding.String", messages, func(b []byte) error { _ = pjrt.Sharding{Proto: b}.String(); return nil }},
		{"wire.Canonical", messages, func(b []byte) error { _, err := wire.Canonical(b); return err }},
		{"a device assignment", messages, func(b []byte) error { _, err := xlaproto.UnmarshalDeviceAssignment(b); return err }},
		{"a topology", messages, func(b []byte) error { _ = xlaproto.CPUFeatures(b); return nil }},
		{"compile.Decode", messages, func(b []byte) error { _, err := compile.Decode(b); return err }},
		{"xlaflags.ParseDebugOptions", []Form{Flags, Words}, func(b []byte) error { _, err := xlaflags.ParseDebugOptions(string(b)); return err }},
		{"xlaflags.Check", []Form{Flags, Words}, func(b []byte) error { return xlaflags.Check(string(b)) }},
		{"npy.Read", []Form{NumPy}, func(b []byte) error { _, err := npy.Read(bytes.NewReader(b)); return err }},
		{"safetensors.New", []Form{Arrays}, func(b []byte) error {
			f, err := safetensors.New(bytes.NewReader(b), int64(len(b)))
			if err == nil {
				_, _ = f.Names(), f.Metadata()
			}
			return err
		}},
		{"npy.NewArchive", []Form{Archive}, func(b []byte) error {
			a, err := npy.NewArchive(bytes.NewReader(b), int64(len(b)))
			if err != nil {
				return err
			}
			_, err = a.Read("no such array")
			for _, name := range a.Names() {
				_, _ = a.Read(name)
			}
			return err
		}},
		{"safetensors.Open of an index", []Form{Index}, openIndex},
		{"plugins.LibraryVersion", []Form{Path}, func(b []byte) error { _ = plugins.LibraryVersion(string(b)); return nil }},
		{"recording.Read", []Form{Session}, func(b []byte) error { _, err := recording.Read(bytes.NewReader(b)); return err }},
		{"shim.ParseFaults", []Form{Words}, func(b []byte) error { _, err := shim.ParseFaults(string(b)); return err }},
		{"platform.ParseOption", []Form{Words}, func(b []byte) error { _, err := platform.ParseOption(string(b)); return err }},
		{"platform.Parse", []Form{Words}, func(b []byte) error { _, err := platform.Parse("cpu", string(b)); return err }},
		{"a layout", []Form{Words}, func(b []byte) error { _, _ = internalhlo.ParseLayout(string(b)); return nil }},
	}
}
