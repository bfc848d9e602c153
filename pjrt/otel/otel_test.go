// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package otel_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/otel"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

const program = `module @twice {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`

// run performs one operation of each kind, and an execution that fails.
func run(ctx context.Context, t *testing.T, path string) {
	plugin, err := pjrt.Open(path)
	require.NoError(t, err)
	client, err := plugin.NewClient(ctx, nil)
	require.NoError(t, err)
	defer client.Close()
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(program)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	b, err := client.BufferFromHost(ctx, pjrt.HostArray{Type: dtype.F32, Dims: []int64{4}, Data: make([]byte, 16)}, nil)
	require.NoError(t, err)
	defer b.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{b}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	_, err = outs[0].ToHost(ctx)
	require.NoError(t, err)
	_, err = exe.Execute(ctx, nil, nil)
	require.Error(t, err)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = exe.Execute(ended, nil, nil)
	require.Error(t, err)
}

func TestOperationsBecomeSpansAndMetrics(t *testing.T) {
	ctx := context.Background()
	path := plugintest.Path(t, "cpu")
	_, err := pjrt.Open(path) // may be open already
	require.NoError(t, err)
	spans := tracetest.NewInMemoryExporter()
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	reader := sdkmetric.NewManualReader()
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	stop, err := otel.Start(&otel.Options{TracerProvider: tracers, MeterProvider: meters})
	require.NoError(t, err)

	// Keep an object alive while the metrics are read.
	plugin, err := pjrt.Open(path)
	require.NoError(t, err)
	client, err := plugin.NewClient(ctx, nil)
	require.NoError(t, err)
	defer client.Close()
	spans.Reset()

	parentCtx, parent := tracers.Tracer("test").Start(ctx, "parent")
	run(parentCtx, t, path)
	parent.End()

	list := spans.GetSpans()
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.Name
	}
	require.Equal(t, []string{"pjrt.client", "pjrt.compile", "pjrt.upload", "pjrt.execute", "pjrt.download", "pjrt.execute", "pjrt.execute", "parent"}, names)
	for _, s := range list[:len(list)-1] {
		assert.Equal(t, parent.SpanContext().SpanID(), s.Parent.SpanID())
		assert.Equal(t, parent.SpanContext().TraceID(), s.SpanContext.TraceID())
		assert.True(t, s.EndTime.After(s.StartTime))
	}
	base := []attribute.KeyValue{attribute.String("pjrt.platform", "cpu"), attribute.String("pjrt.plugin", path)}
	with := func(more ...attribute.KeyValue) []attribute.KeyValue {
		return append(base[:len(base):len(base)], more...)
	}
	device, name := attribute.IntSlice("pjrt.devices", []int{0}), attribute.String("pjrt.program", "twice")
	assert.Equal(t, with(attribute.IntSlice("pjrt.devices", []int{0, 1, 2, 3})), list[0].Attributes)
	assert.Equal(t, with(name, attribute.Int64("pjrt.bytes", int64(len(program))), device), list[1].Attributes)
	assert.Equal(t, with(attribute.Int64("pjrt.bytes", 16), device), list[2].Attributes)
	assert.Equal(t, with(name, device), list[3].Attributes)
	assert.Equal(t, codes.Unset, list[3].Status.Code)
	assert.Contains(t, list[5].Attributes, attribute.String("error.type", "INVALID_ARGUMENT"))
	assert.Equal(t, codes.Error, list[5].Status.Code)
	assert.Contains(t, list[5].Status.Description, "the program takes 1 arguments, not 0")
	assert.Contains(t, list[6].Attributes, attribute.String("error.type", "CANCELLED"))

	metrics := collect(t, reader)
	durations := make(map[string]uint64)
	for _, p := range metrics["pjrt.operation.duration"].(metricdata.Histogram[float64]).DataPoints {
		durations[p.Attributes.Encoded(attribute.DefaultEncoder())] += p.Count
		assert.Positive(t, p.Sum)
	}
	assert.Equal(t, map[string]uint64{
		"pjrt.operation=client,pjrt.platform=cpu":                              2,
		"pjrt.operation=compile,pjrt.platform=cpu":                             1,
		"pjrt.operation=upload,pjrt.platform=cpu":                              1,
		"pjrt.operation=execute,pjrt.platform=cpu":                             1,
		"error.type=INVALID_ARGUMENT,pjrt.operation=execute,pjrt.platform=cpu": 1,
		"error.type=CANCELLED,pjrt.operation=execute,pjrt.platform=cpu":        1,
		"pjrt.operation=download,pjrt.platform=cpu":                            1,
	}, durations)
	assert.Equal(t, map[string]int64{
		"pjrt.operation=upload,pjrt.platform=cpu":   16,
		"pjrt.operation=download,pjrt.platform=cpu": 16,
	}, sums(metrics["pjrt.transfer.size"]))
	for attributes, n := range sums(metrics["pjrt.operation.active"]) {
		assert.Zero(t, n, attributes)
	}
	assert.EqualValues(t, 1, sums(metrics["pjrt.object.count"])["pjrt.object=client"])

	require.NoError(t, stop())
	require.NoError(t, stop())
	spans.Reset()
	run(ctx, t, path)
	assert.Empty(t, spans.GetSpans())
	assert.NotContains(t, collect(t, reader), "pjrt.object.count")
}

// collect returns the metrics by their names.
func collect(t *testing.T, reader sdkmetric.Reader) map[string]metricdata.Aggregation {
	var data metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(context.Background(), &data))
	byName := make(map[string]metricdata.Aggregation)
	for _, s := range data.ScopeMetrics {
		for _, m := range s.Metrics {
			byName[m.Name] = m.Data
		}
	}
	return byName
}

func sums(a metricdata.Aggregation) map[string]int64 {
	values := make(map[string]int64)
	for _, p := range a.(metricdata.Sum[int64]).DataPoints {
		values[p.Attributes.Encoded(attribute.DefaultEncoder())] = p.Value
	}
	return values
}

func TestAFailedOperationIsNoLongerCountedAsActive(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	stop, err := otel.Start(&otel.Options{MeterProvider: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))})
	require.NoError(t, err)
	defer func() { require.NoError(t, stop()) }()
	_, err = pjrt.Open(filepath.Join(t.TempDir(), "absent.so"))
	require.Error(t, err)
	metrics := collect(t, reader)
	assert.Equal(t, map[string]int64{"pjrt.operation=open": 0}, sums(metrics["pjrt.operation.active"]))
	points := metrics["pjrt.operation.duration"].(metricdata.Histogram[float64]).DataPoints
	require.Len(t, points, 1)
	reason, _ := points[0].Attributes.Value("error.type")
	assert.Equal(t, "*capi.OpenError", reason.AsString())
}

// refusing is a meter provider that cannot create histograms.
type refusing struct{ noop.MeterProvider }

type refusingMeter struct{ noop.Meter }

var errRefused = errors.New("refused")

func (refusing) Meter(string, ...metric.MeterOption) metric.Meter { return refusingMeter{} }

func (refusingMeter) Float64Histogram(string, ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	return nil, errRefused
}

func TestAProviderThatRefusesIsAnError(t *testing.T) {
	_, err := otel.Start(&otel.Options{MeterProvider: refusing{}})
	require.ErrorIs(t, err, errRefused)
}

func TestTheGlobalProvidersAreTheDefault(t *testing.T) {
	stop, err := otel.Start(nil)
	require.NoError(t, err)
	run(context.Background(), t, plugintest.Path(t, "cpu"))
	require.NoError(t, stop())
}

func Example() {
	spans := tracetest.NewInMemoryExporter()
	stop, err := otel.Start(&otel.Options{TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = pjrt.Open("absent.so")
	if err := stop(); err != nil {
		fmt.Println(err)
	}
	span := spans.GetSpans()[0]
	fmt.Println(span.Name, span.Status.Code)
	// Output: pjrt.open Error
}
