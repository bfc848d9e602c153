// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlatransform

import (
	"fmt"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Run describes what one of the compiler's own passes did.
type Run struct {
	Pass     string // such as algsimp
	Pipeline string // that the pass is part of
	ID       int64  // the passes of a compilation are numbered in the order in which they start
	Changed  bool   // whether the pass changed the module
	Start    time.Time
	Duration time.Duration
	// Metrics are what the pass counted.
	Metrics map[string]int64
}

// tracing has the plugins that are making a trace, by table: a trace compiles, compilations
// call passes, and a pass that asks for a trace would never end.
var tracing sync.Map

// Trace lets the compiler run its passes on a module, and returns what each of them did, including
// passes that others ran (PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Fn, API 0.114). It takes
// as long as a compilation, and registered passes see the module. m is not changed. Plugins may
// need a device for it, as libtpu 0.0.52 does. While the plugin makes a trace, a second Trace
// returns pjrt.ErrFailedPrecondition.
func Trace(p *pjrt.Plugin, m *hlo.Module) ([]Run, error) {
	if p == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the plugin is nil")
	}
	code, err := m.Encode()
	if err != nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("%v", err)
	}
	table := raw.Table(p)
	if _, busy := tracing.LoadOrStore(table.API(), true); busy {
		return nil, pjrt.ErrFailedPrecondition.Errorf("the plugin is already making a trace, perhaps the one that this pass runs in")
	}
	defer tracing.Delete(table.API())
	var c capi.Call[capi.XLATransformGetHLOPassPipelineTraceArgs]
	c.Args.HLOModule.Data, c.Args.HLOModule.Size = capi.BytesData(code)
	if err := c.Do(table); err != nil {
		return nil, err
	}
	b := capi.Bytes(c.Args.Trace.SerializedTrace, c.Args.Trace.SerializedTraceSize)
	_, _ = capi.Do(table, capi.XLATransformDestroyHLOPassPipelineTraceArgs{Trace: &c.Args.Trace}) // no caller is left to return an error to
	runs, err := decodeTrace(b)
	if err != nil {
		return nil, c.Function().Misbehaved("returned a trace that cannot be read: %v", err)
	}
	return runs, nil
}

// Field numbers of xla/service/hlo.proto and xla/service/metrics.proto.
const (
	traceRuns = 5 // HloModuleMetadataProto

	runID       = 1 // HloPassMetadata
	runPass     = 2
	runPipeline = 3
	runChanged  = 5
	runStart    = 8
	runEnd      = 9
	runMetrics  = 11

	metricKey   = 1 // KeyValueMetric
	metricValue = 2
)

func decodeTrace(b []byte) ([]Run, error) {
	var runs []Run
	err := visit(b, func(n protowire.Number, v []byte, _ uint64) error {
		if n != traceRuns {
			return nil
		}
		var r Run
		var start, end int64
		err := visit(v, func(n protowire.Number, v []byte, i uint64) error {
			switch n {
			case runID:
				r.ID = int64(i)
			case runPass:
				r.Pass = string(v)
			case runPipeline:
				r.Pipeline = string(v)
			case runChanged:
				r.Changed = i != 0
			case runStart:
				start = int64(i)
			case runEnd:
				end = int64(i)
			case runMetrics:
				var key string
				var value int64
				err := visit(v, func(n protowire.Number, v []byte, i uint64) error {
					switch n {
					case metricKey:
						key = string(v)
					case metricValue:
						value = int64(i)
					}
					return nil
				})
				if r.Metrics == nil {
					r.Metrics = make(map[string]int64)
				}
				r.Metrics[key] = value
				return err
			}
			return nil
		})
		r.Start = time.UnixMicro(start)
		if end > start {
			r.Duration = time.Duration(end-start) * time.Microsecond
		}
		runs = append(runs, r)
		return err
	})
	return runs, err
}

// visit calls each with the fields of a message: with the bytes of a field that has a
// length, or with the number of a varint.
func visit(b []byte, each func(n protowire.Number, v []byte, i uint64) error) error {
	for len(b) > 0 {
		n, t, tag := protowire.ConsumeTag(b)
		if tag < 0 {
			return protowire.ParseError(tag)
		}
		var v []byte
		var i uint64
		length := 0
		switch b = b[tag:]; t {
		case protowire.BytesType:
			v, length = protowire.ConsumeBytes(b)
		case protowire.VarintType:
			i, length = protowire.ConsumeVarint(b)
		default:
			length = protowire.ConsumeFieldValue(n, t, b)
		}
		if length < 0 {
			return fmt.Errorf("field %d: %w", n, protowire.ParseError(length))
		}
		if err := each(n, v, i); err != nil {
			return err
		}
		b = b[length:]
	}
	return nil
}
