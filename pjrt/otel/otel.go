// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package otel turns the operations of package pjrt into OpenTelemetry spans and
// metrics:
//
//	stop, err := otel.Start(nil) // with the global providers
//	defer stop()
//
// # Spans
//
// Each operation becomes a span named pjrt.KIND, such as pjrt.compile, which is a child of the span
// in the operation's context. It has these attributes if they are known:
//
//	pjrt.platform  the platform's name, such as cpu
//	pjrt.plugin    the path of the plugin's library
//	pjrt.program   the program's name
//	pjrt.bytes     the size of the program or the array
//	pjrt.devices   the ids of the devices
//	error.type     the reason of a failure: the code of a *pjrt.Error, such as INVALID_ARGUMENT;
//	               CANCELLED or DEADLINE_EXCEEDED for the end of a context, or the
//	               error's Go type
//
// # Metrics
//
//	pjrt.operation.duration  histogram in seconds; pjrt.operation, pjrt.platform, error.type
//	pjrt.operation.active    operations in progress; pjrt.operation, pjrt.platform
//	pjrt.transfer.size       bytes copied successfully; pjrt.operation, pjrt.platform
//	pjrt.object.count        objects in plugins as pjrt.Live counts them; pjrt.object
//
// The package is a separate module, so that other programs do not depend on OpenTelemetry.
package otel

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/purepjrt/purepjrt/pjrt"
)

// scope names this package as the source of spans and metrics.
const scope = "github.com/purepjrt/purepjrt/pjrt/otel"

// Options are the options of Start.
type Options struct {
	// TracerProvider creates the spans. Nil means the global provider.
	TracerProvider trace.TracerProvider
	// MeterProvider creates the metrics. Nil means the global provider.
	MeterProvider metric.MeterProvider
}

// Start observes the operations of the process from now on, until stop is called. Operations in
// progress at that time still end their spans. opts may be nil. Start fails if a provider cannot
// create an instrument.
func Start(opts *Options) (stop func() error, err error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.TracerProvider == nil {
		o.TracerProvider = otel.GetTracerProvider()
	}
	if o.MeterProvider == nil {
		o.MeterProvider = otel.GetMeterProvider()
	}
	w := &watcher{tracer: o.TracerProvider.Tracer(scope)}
	objects, err := w.instruments(o.MeterProvider.Meter(scope))
	if err != nil {
		return nil, fmt.Errorf("create the metrics of package pjrt: %w", err)
	}
	remove := pjrt.Observe(w)
	return func() error {
		remove()
		return objects.Unregister()
	}, nil
}

// watcher implements the observer of package pjrt.
type watcher struct {
	tracer   trace.Tracer
	duration metric.Float64Histogram
	active   metric.Int64UpDownCounter
	size     metric.Int64Counter
}

var _ pjrt.Observer = (*watcher)(nil)

// instruments creates the instruments, and returns the registration of the observable one.
func (w *watcher) instruments(m metric.Meter) (metric.Registration, error) {
	var errs [4]error
	w.duration, errs[0] = m.Float64Histogram("pjrt.operation.duration", metric.WithUnit("s"),
		metric.WithDescription("Duration of operations on plugins."),
		// A small execution takes microseconds, the compilation of a large model minutes.
		metric.WithExplicitBucketBoundaries(1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300))
	w.active, errs[1] = m.Int64UpDownCounter("pjrt.operation.active", metric.WithUnit("{operation}"),
		metric.WithDescription("Operations on plugins that are in progress."))
	w.size, errs[2] = m.Int64Counter("pjrt.transfer.size", metric.WithUnit("By"),
		metric.WithDescription("Bytes copied to, from and between devices, in their form on the host."))
	objects, err := m.Int64ObservableUpDownCounter("pjrt.object.count", metric.WithUnit("{object}"),
		metric.WithDescription("Objects that exist in plugins."))
	errs[3] = err
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	return m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		for kind, n := range pjrt.Live() {
			o.ObserveInt64(objects, int64(n), metric.WithAttributes(attribute.String("pjrt.object", kind)))
		}
		return nil
	}, objects)
}

// startKey is the context key of the attributes with which the start of an operation was counted.
type startKey struct{}

// Start begins the span of an operation.
func (w *watcher) Start(ctx context.Context, op pjrt.Operation) context.Context {
	ctx, _ = w.tracer.Start(ctx, "pjrt."+string(op.Kind), trace.WithTimestamp(op.Start))
	attributes := metric.WithAttributeSet(attribute.NewSet(dimensions(op)...))
	w.active.Add(ctx, 1, attributes)
	return context.WithValue(ctx, startKey{}, attributes)
}

// End ends the span of an operation and counts it.
func (w *watcher) End(ctx context.Context, op pjrt.Operation) {
	if attributes, ok := ctx.Value(startKey{}).(metric.MeasurementOption); ok {
		w.active.Add(ctx, -1, attributes)
	}
	counted := dimensions(op)
	if op.Err == nil && op.Bytes > 0 && transfers(op.Kind) {
		w.size.Add(ctx, op.Bytes, metric.WithAttributes(counted...))
	}
	span := trace.SpanFromContext(ctx)
	if op.Err != nil {
		reason := attribute.String("error.type", errorType(op.Err))
		counted = append(counted, reason)
		span.SetAttributes(reason)
		span.SetStatus(codes.Error, op.Err.Error())
	}
	w.duration.Record(ctx, op.Duration.Seconds(), metric.WithAttributes(counted...))
	if span.IsRecording() {
		span.SetAttributes(details(op)...)
	}
	span.End(trace.WithTimestamp(op.Start.Add(op.Duration)))
}

// transfers reports whether an operation of the kind copies its bytes.
func transfers(kind pjrt.OperationKind) bool {
	switch kind {
	case pjrt.OperationUpload, pjrt.OperationDownload, pjrt.OperationCopy:
		return true
	}
	return false
}

// dimensions returns the attributes of metrics, which must have few different values.
func dimensions(op pjrt.Operation) []attribute.KeyValue {
	list := []attribute.KeyValue{attribute.String("pjrt.operation", string(op.Kind))}
	if op.Platform != "" {
		list = append(list, attribute.String("pjrt.platform", op.Platform))
	}
	return list
}

// details returns the attributes of spans.
func details(op pjrt.Operation) []attribute.KeyValue {
	var list []attribute.KeyValue
	for _, a := range []struct{ key, value string }{
		{"pjrt.platform", op.Platform}, {"pjrt.plugin", op.Plugin}, {"pjrt.program", op.Program},
	} {
		if a.value != "" {
			list = append(list, attribute.String(a.key, a.value))
		}
	}
	if op.Bytes > 0 {
		list = append(list, attribute.Int64("pjrt.bytes", op.Bytes))
	}
	if len(op.Devices) > 0 {
		ids := make([]int, len(op.Devices))
		for i, d := range op.Devices {
			ids[i] = d.ID()
		}
		list = append(list, attribute.IntSlice("pjrt.devices", ids))
	}
	return list
}

func errorType(err error) string {
	var e *pjrt.Error
	switch {
	case errors.As(err, &e):
		return e.Code.String()
	case errors.Is(err, context.Canceled):
		return pjrt.ErrCancelled.String()
	case errors.Is(err, context.DeadlineExceeded):
		return pjrt.ErrDeadlineExceeded.String()
	}
	return fmt.Sprintf("%T", err)
}
