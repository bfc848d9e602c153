// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/source"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// EncodeCompileOptions returns the serialized CompileOptionsProto that Compile sends for
// opts, which may be nil, and a program that does not state how many devices it is for.
// Equal options give equal bytes.
func (c *Client) EncodeCompileOptions(opts *CompileOptions) ([]byte, error) {
	target, err := c.checkedTarget()
	if err != nil {
		return nil, err
	}
	return opts.encode(target)
}

// DecodeCompileOptions decodes a CompileOptionsProto. DeviceIDs gets the device
// assignment, and Extra everything that has no other field.
func DecodeCompileOptions(b []byte) (*CompileOptions, error) {
	p, err := xlaproto.UnmarshalCompileOptions(b)
	if err != nil {
		return nil, invalid("compile options: %v", err)
	}
	return newCompileOptions(p), nil
}

// newCompileOptions moves the values of p to the fields of CompileOptions. Extra gets the
// rest of p.
func newCompileOptions(p *xlaproto.CompileOptions) *CompileOptions {
	build := &p.Build
	o := &CompileOptions{
		Replicas:                   int(take(&build.Replicas)),
		Partitions:                 int(take(&build.Partitions)),
		Portable:                   take(&p.Portable),
		SPMD:                       take(&build.SPMD),
		Shardy:                     take(&build.Shardy),
		AutoSharding:               take(&build.AutoSharding),
		MeshShape:                  take(&build.MeshShape),
		MeshIDs:                    take(&build.MeshIDs),
		PropagateToParameters:      take(&build.PropagateToParameters),
		PropagateToResults:         take(&build.PropagateToResults),
		DebugOptions:               take(&build.DebugOptions),
		TupledArguments:            take(&p.TupledArguments),
		AliasPassthrough:           take(&build.AliasPassthrough),
		IndividuallyDefinedResults: take(&p.Individual),
		Deduplicate:                take(&build.Deduplicate),
		BackendOnly:                take(&build.BackendOnly),
		DeviceMemory:               take(&build.DeviceMemory),
		AllowInPlaceMLIR:           take(&p.InPlaceMLIR),
		CompilerVariant:            take(&p.CompilerVariant),
		ProcessIndex:               take(&build.ProcessIndex),
		ProcessCount:               take(&build.ProcessCount),
		ProfileVersion:             take(&p.ProfileVersion),
		Profile:                    take(&build.Profile),
		MultiSlice:                 take(&p.MultiSlice),
		TargetConfig:               take(&p.TargetConfig),
		GPUTopology:                take(&build.GPUTopology),
		Environments:               take(&build.Environments),
		Optimization:               takeName(&build.Optimization, xlaproto.Efforts),
		MemoryFitting:              takeName(&build.MemoryFitting, xlaproto.Efforts),
		OperandPrecision:           takeName(&p.OperandPrecision, xlaproto.Precisions),
	}
	if ordinal := take(&build.DeviceOrdinal); ordinal != -1 {
		o.DeviceOrdinal = &ordinal
	}
	if a := build.DeviceAssignment; a != nil && a.Plain() {
		o.DeviceIDs, build.DeviceAssignment = a.IDs(), nil
	}
	if layouts, ok := newShapeLayouts(p.ArgumentLayouts); ok {
		o.ArgumentLayouts, p.ArgumentLayouts = layouts, nil
	}
	if build.ResultLayout != nil {
		if s, ok := newShapeLayout(build.ResultLayout); ok {
			o.ResultLayout, build.ResultLayout = &s, nil
		}
	}
	p.Overrides = slices.DeleteFunc(p.Overrides, func(v xlaproto.Override) bool {
		if v.Value == nil || v.Unknown != nil {
			return false
		}
		if o.Flags == nil {
			o.Flags = make(map[string]any)
		}
		o.Flags[v.Name] = v.Value
		return true
	})
	o.Extra = p.Marshal()
	return o
}

// take returns the value at p and leaves the zero value there.
func take[T any](p *T) (v T) {
	v, *p = *p, v
	return v
}

// takeName returns the name of the value at p and leaves the zero value there. It leaves
// a value without a name.
func takeName(p *int32, enum xlaproto.Enum) string {
	name, ok := enum.Name(*p)
	if ok {
		*p = 0
	}
	return name
}

// encode checks the options for a target and returns their wire form.
func (o *CompileOptions) encode(t optionsTarget) ([]byte, error) {
	b, _, err := o.encodeProto(t)
	return b, err
}

// encodeFor is encode with the checks that need the program.
func (o *CompileOptions) encodeFor(src source.Source, t optionsTarget) ([]byte, error) {
	b, p, err := o.encodeProto(t)
	if err != nil {
		return nil, err
	}
	if err := checkPropagation(src, &p.Build); err != nil {
		return nil, err
	}
	return b, checkTuples(src, p)
}

// encodeToLoad is encode for an executable that was compiled with other options, for so many
// replicas and partitions. Partitions are 0 if neither is known.
func (o *CompileOptions) encodeToLoad(t optionsTarget, replicas, partitions int) ([]byte, error) {
	if partitions > 0 {
		filled := *o
		of := stated{by: "executable", replicas: int64(replicas), partitions: int64(partitions), exactly: true}
		if err := filled.spreadLike(of, t); err != nil {
			return nil, err
		}
		o = &filled
	}
	b, p, err := o.encodeProto(t)
	if err != nil {
		return nil, err
	}
	if p.TupledArguments || slices.ContainsFunc(p.ArgumentLayouts, isTuple) {
		// XLA ends the process if the executable takes its arguments one by one.
		return nil, invalid("the options for loading an executable have TupledArguments or a tuple in ArgumentLayouts: " +
			"only compiling can change how a program takes its arguments, so leave them unset, or the options nil")
	}
	return b, nil
}

func (o *CompileOptions) encodeProto(t optionsTarget) ([]byte, *xlaproto.CompileOptions, error) {
	if o == nil {
		o = &CompileOptions{}
	}
	p, err := o.proto(t)
	if err != nil {
		return nil, nil, err
	}
	if err := t.check(p); err != nil {
		return nil, nil, err
	}
	b := p.Marshal()
	if len(o.Extra) == 0 {
		return b, p, o.checkDeadly(p)
	}
	// Extra may change any field, so the options are checked again with it.
	b = append(b, o.Extra...)
	if p, err = xlaproto.UnmarshalCompileOptions(b); err != nil {
		return nil, nil, invalid("the extra fields of the compile options: %v", err)
	}
	if err := t.check(p); err != nil {
		return nil, nil, err
	}
	if err := t.checkMerged(p, o.strict(t)); err != nil {
		return nil, nil, err
	}
	return b, p, o.checkDeadly(p)
}

// checkDeadly returns an error for flags that tell XLA to end the process.
func (o *CompileOptions) checkDeadly(p *xlaproto.CompileOptions) error {
	if o.AllowUnknownFlags {
		return nil
	}
	err := xlaflags.CheckDeadlyOptions(p.Build.DebugOptions)
	for _, v := range p.Overrides {
		if err == nil {
			err = xlaflags.CheckDeadly(v.Name, v.Value)
		}
	}
	if err != nil {
		return invalid("%v (set AllowUnknownFlags to pass it on anyway)", err)
	}
	return nil
}

// proto returns the options without Extra as a message. It sends every 0 that means 1 as
// a 1, because plugins end the process on counts of 0.
func (o *CompileOptions) proto(t optionsTarget) (*xlaproto.CompileOptions, error) {
	if o.Replicas < 0 || o.Partitions < 0 {
		return nil, invalid("compile options ask for %d replicas and %d partitions; neither can be negative", o.Replicas, o.Partitions)
	}
	p := &xlaproto.CompileOptions{
		Portable:        o.Portable,
		TupledArguments: o.TupledArguments,
		ProfileVersion:  o.ProfileVersion,
		MultiSlice:      o.MultiSlice,
		TargetConfig:    o.TargetConfig,
		InPlaceMLIR:     o.AllowInPlaceMLIR,
		CompilerVariant: o.CompilerVariant,
		Individual:      o.IndividuallyDefinedResults,
		Build: xlaproto.BuildOptions{
			DeviceOrdinal:         -1,
			Replicas:              int64(one(o.Replicas)),
			Partitions:            int64(one(o.Partitions)),
			SPMD:                  o.SPMD,
			Shardy:                o.Shardy,
			AutoSharding:          o.AutoSharding,
			MeshShape:             o.MeshShape,
			MeshIDs:               o.MeshIDs,
			PropagateToParameters: o.PropagateToParameters,
			PropagateToResults:    o.PropagateToResults,
			DebugOptions:          o.DebugOptions,
			AliasPassthrough:      o.AliasPassthrough,
			Deduplicate:           o.Deduplicate,
			BackendOnly:           o.BackendOnly,
			DeviceMemory:          o.DeviceMemory,
			ProcessIndex:          o.ProcessIndex,
			ProcessCount:          one(o.ProcessCount),
			Profile:               o.Profile,
			GPUTopology:           o.GPUTopology,
			Environments:          o.Environments,
		},
	}
	if o.DeviceOrdinal != nil {
		if *o.DeviceOrdinal < 0 {
			return nil, invalid("compile options have the device ordinal %d; nil leaves it to the plugin", *o.DeviceOrdinal)
		}
		p.Build.DeviceOrdinal = *o.DeviceOrdinal
	}
	if err := o.setNamed(p); err != nil {
		return nil, err
	}
	if err := o.setShapes(p); err != nil {
		return nil, err
	}
	if err := o.setFlags(p, t); err != nil {
		return nil, err
	}
	ids, err := o.assignment(t)
	if err != nil {
		return nil, err
	}
	if ids != nil {
		if err := t.checkAssignment(ids, one(o.Replicas), one(o.Partitions)); err != nil {
			return nil, err
		}
		p.Build.DeviceAssignment = xlaproto.NewDeviceAssignment(ids)
	}
	return p, nil
}

func (o *CompileOptions) setNamed(p *xlaproto.CompileOptions) error {
	memoryFitting := o.MemoryFitting
	if memoryFitting == "" {
		memoryFitting = "O2" // as JAX does
	}
	for _, v := range []struct {
		field, name string
		enum        xlaproto.Enum
		number      *int32
	}{
		{"Optimization", o.Optimization, xlaproto.Efforts, &p.Build.Optimization},
		{"MemoryFitting", memoryFitting, xlaproto.Efforts, &p.Build.MemoryFitting},
		{"OperandPrecision", o.OperandPrecision, xlaproto.Precisions, &p.OperandPrecision},
	} {
		var ok bool
		if *v.number, ok = v.enum.Number(v.name); !ok {
			return invalid("compile options have the %s %q; use %v", v.field, v.name, v.enum)
		}
	}
	return nil
}

func (o *CompileOptions) setShapes(p *xlaproto.CompileOptions) error {
	for i := range o.ArgumentLayouts {
		if err := o.ArgumentLayouts[i].check(); err != nil {
			return invalid("argument layout %d: %s", i, message(err))
		}
		p.ArgumentLayouts = append(p.ArgumentLayouts, o.ArgumentLayouts[i].proto())
	}
	if o.ResultLayout != nil {
		if err := o.ResultLayout.check(); err != nil {
			return invalid("result layout: %s", message(err))
		}
		result := o.ResultLayout.proto()
		p.Build.ResultLayout = &result
	}
	return nil
}

// setFlags adds the flags of the options, the environment's flags that the options do not
// set, and, where neither sets them, those of the target.
func (o *CompileOptions) setFlags(p *xlaproto.CompileOptions, t optionsTarget) error {
	flags := make(map[string]any)
	set, err := o.withExtra()
	if err != nil {
		return err
	}
	// DebugOptions set every flag: a field that is not there is false or 0.
	replaced := len(set.DebugOptions) > 0
	for name, value := range t.flags {
		if !replaced && !strings.Contains(os.Getenv("XLA_FLAGS"), name) {
			flags[name] = value
		}
	}
	if text := os.Getenv("XLA_DEBUG_OPTIONS"); text != "" {
		env, err := xlaflags.ParseDebugOptions(text)
		if err != nil {
			return invalid("environment variable XLA_DEBUG_OPTIONS: %v", err)
		}
		maps.Copy(flags, env)
	}
	maps.Copy(flags, o.Flags)
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		value, err := xlaflags.Value(name, flags[name], o.strict(t))
		if err != nil {
			return invalid("%v", err)
		}
		p.Overrides = append(p.Overrides, xlaproto.Override{Name: name, Value: value})
	}
	return nil
}

// strict reports whether flags that XLA's DebugOptions does not have are an error. Some
// platforms have their own flags.
func (o *CompileOptions) strict(t optionsTarget) bool {
	switch t.platform {
	case "cpu", "host", "cuda", "rocm", "sycl", "oneapi", "gpu":
		return !o.AllowUnknownFlags
	}
	return false
}
