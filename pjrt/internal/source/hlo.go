// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package source

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/hlo"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// module is a serialized HloModuleProto, alone or in a HloModuleProtoWithConfig.
type module struct {
	other
	module     []byte // the HloModuleProto
	err        error  // of module
	withConfig bool
	checked    bool
	danger     error // what Check returns
	permuted   dataflow.Permuted
	known      *statement
}

// statement is what a module says about its parameters, its results and its devices.
type statement struct {
	spread              dataflow.Spread
	parameters, results int
	counted             bool
	shapes              []xlaproto.Shape // of the parameters
	err                 error            // of shapes
}

// contents returns what the module says.
func (m *module) contents() *statement {
	if m.known != nil {
		return m.known
	}
	m.known = &statement{err: m.err}
	if m.err != nil {
		return m.known
	}
	m.known.spread = hlo.ReadSpread(m.module)
	if m.withConfig {
		if config, err := hlo.ReadConfig(m.code); err == nil {
			m.known.spread.Replicas, m.known.spread.Partitions = int64(config.Replicas), int64(config.Partitions)
		}
	}
	m.known.parameters, m.known.results, m.known.counted = hlo.Counts(m.module)
	m.known.shapes, m.known.err = hlo.ParameterShapes(m.module)
	return m.known
}

func (m *module) Read(ctx context.Context, c Compiler) error {
	if m.checked {
		return nil
	}
	m.contents()
	if m.err == nil {
		danger := hlo.Check(ctx, m.module, dataflow.Compiler{Minor: c.CPU})
		if err := ctx.Err(); err != nil {
			return err
		}
		if danger == nil && c.CPU > 0 {
			danger = m.checkTuples()
		}
		if danger == nil && c.permutes() {
			m.permuted = hlo.Permuted(m.module)
		}
		m.danger = danger
	}
	m.checked = true
	return nil
}

// checkTuples refuses parameters that are tuples, except for one that has all arguments.
func (m *module) checkTuples() error {
	shapes := m.contents().shapes
	for i := range shapes {
		switch {
		case !shapes[i].IsTuple():
		case len(shapes) > 1:
			return fmt.Errorf("parameter %d of %d of the program is a tuple, and the compiler would end the process: "+
				"put all parameters in one tuple, or make each element a parameter of its own", i, len(shapes))
		case slices.ContainsFunc(shapes[i].Tuple, func(s xlaproto.Shape) bool { return s.IsTuple() }):
			return errors.New("the parameter of the program is a tuple with a tuple in it, and the compiler would end the process: " +
				"put all arrays in one tuple, or make each of them a parameter of its own")
		}
	}
	return nil
}

func (m *module) Spread() dataflow.Spread { return m.contents().spread }

func (m *module) Check(devices int) error {
	if m.danger != nil {
		return m.danger
	}
	return m.permuted.Check(devices)
}

func (m *module) Counts() (parameters, results int, ok bool) {
	known := m.contents()
	return known.parameters, known.results, known.counted
}

func (m *module) Tuples(bool) ([]xlaproto.Shape, bool) {
	known := m.contents()
	return known.shapes, known.err == nil
}

func (m *module) Uncompiled() []byte {
	if m.withConfig {
		return m.code
	}
	return hlo.Uncompiled(m.code)
}

// ErrNotHLO is the error for programs in other formats.
var ErrNotHLO = errors.New("the program is not in a format of HLO")

// Module returns the HloModuleProto of a program that a compiler gave back, whose format is never
// left out.
func Module(code []byte, format string) ([]byte, error) {
	switch format {
	case HLO:
		return code, nil
	case HLOWithConfig:
		return hlo.Module(code)
	}
	return nil, ErrNotHLO
}

// Config returns the configuration of a program that a compiler gave back.
func Config(code []byte, format string) (hlo.Config, error) {
	if format != HLOWithConfig {
		return hlo.Config{}, errors.New("the program is in a format without a configuration")
	}
	return hlo.ReadConfig(code)
}
