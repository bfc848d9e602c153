// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaproto

import (
	"fmt"
	"math"
	"strings"
)

// Enum has the names of an enum's values. The name of the default is empty.
type Enum []struct {
	Name   string
	Number int32
}

// The enums of CompileOptions.
var (
	Efforts    = Enum{{"", 0}, {"O0", 9}, {"O1", 19}, {"O2", 29}, {"O3", 39}} // EffortLevel
	Precisions = Enum{{"", 0}, {"high", 1}, {"highest", 2}}                   // PrecisionConfig.Precision
)

// Number returns the number of a name, and reports whether there is such a name.
func (e Enum) Number(name string) (int32, bool) {
	for _, v := range e {
		if v.Name == name {
			return v.Number, true
		}
	}
	return 0, false
}

// Name returns the name of a number, and reports whether it has one.
func (e Enum) Name(number int32) (string, bool) {
	for _, v := range e {
		if v.Number == number {
			return v.Name, true
		}
	}
	return "", false
}

// String lists the names.
func (e Enum) String() string {
	var b strings.Builder
	for i, v := range e {
		switch {
		case i == len(e)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", v.Name)
	}
	return b.String()
}

// check rejects a number without a name.
func (e Enum) check(what string, number int32) error {
	if _, ok := e.Name(number); !ok {
		return fmt.Errorf("compile options have the unknown %s %d: the known ones are %v", what, number, e)
	}
	return nil
}

// Check returns an error for values that no plugin can use, many of which would end the process. It
// does not check values that depend on a client or a program: the counts of replicas and
// partitions, the device assignment, flags and shapes.
func (o *CompileOptions) Check() error {
	if err := o.Build.check(); err != nil {
		return err
	}
	for _, i := range o.Individual {
		if i < 0 {
			return fmt.Errorf("compile options have the individually defined result %d", i)
		}
	}
	return Precisions.check("operand precision", o.OperandPrecision)
}

func (o *BuildOptions) check() error {
	switch {
	case o.AutoSharding && !o.SPMD:
		return fmt.Errorf("compile options ask for AutoSharding, which needs SPMD")
	case len(o.MeshIDs) > 0 && len(o.MeshShape) == 0:
		return fmt.Errorf("compile options have MeshIDs without a MeshShape")
	case o.DeviceMemory < 0:
		return fmt.Errorf("compile options have %d bytes of device memory", o.DeviceMemory)
	case o.ProcessCount == 0:
		return fmt.Errorf("compile options have 0 processes: there must be at least 1")
	case o.ProcessIndex < 0 || o.ProcessCount < 0 || o.ProcessIndex >= o.ProcessCount:
		return fmt.Errorf("compile options have process %d of %d: processes are numbered from 0", o.ProcessIndex, o.ProcessCount)
	// XLA cuts these to 32 bits, and ends the process when that makes them negative.
	case o.ProcessCount > math.MaxInt32:
		return fmt.Errorf("compile options have %d processes: there can be at most %d", o.ProcessCount, math.MaxInt32)
	case o.DeviceOrdinal < -1 || o.DeviceOrdinal > math.MaxInt32:
		return fmt.Errorf("compile options have the device ordinal %d", o.DeviceOrdinal)
	}
	if err := Efforts.check("optimization effort", o.Optimization); err != nil {
		return err
	}
	if err := Efforts.check("memory fitting effort", o.MemoryFitting); err != nil {
		return err
	}
	size := int64(1)
	for _, d := range o.MeshShape {
		if d < 1 || d > math.MaxInt32 || size > math.MaxInt32/d {
			return fmt.Errorf("compile options have the mesh shape %v", o.MeshShape)
		}
		size *= d
	}
	if len(o.MeshIDs) > 0 && int64(len(o.MeshIDs)) != size {
		return fmt.Errorf("compile options have %d mesh ids for a mesh of %d devices", len(o.MeshIDs), size)
	}
	return nil
}
