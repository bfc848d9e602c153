// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command program is a program outside of this repository.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/gomlx/compute"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	_ "github.com/purepjrt/purepjrt/extensions/ffi/lapack"
	"github.com/purepjrt/purepjrt/pjrt"
	_ "github.com/purepjrt/purepjrt/pjrt/gomlx"
	"github.com/purepjrt/purepjrt/pjrt/kv/etcd"
	"github.com/purepjrt/purepjrt/pjrt/otel"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

const double = `module @double {
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %x, %x : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}`

// tracers notes the names of spans.
type tracers struct {
	noop.TracerProvider
	names []string
}

func (t *tracers) Tracer(string, ...trace.TracerOption) trace.Tracer { return &tracer{of: t} }

type tracer struct {
	noop.Tracer
	of *tracers
}

func (t *tracer) Start(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	t.of.names = append(t.of.names, name)
	return t.Tracer.Start(ctx, name, o...)
}

func main() {
	ctx := context.Background()
	p, err := pjrttest.Start(pjrttest.Options{})
	check(err)
	defer p.Close()
	p.Program("double", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return 2 * x }))
	exe, err := p.Client().Compile(ctx, pjrt.Program{Code: []byte(double)}, nil)
	check(err)
	defer exe.Close()
	x, err := pjrt.FromSlice(ctx, p.Client(), []float32{1, 2, 3}, 3)
	check(err)
	defer x.Close()

	var spans tracers
	stop, err := otel.Start(&otel.Options{TracerProvider: &spans})
	check(err)
	out, err := exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
	check(err)
	defer out[0].Close()
	check(stop())
	y, err := pjrt.ToSlice[float32](ctx, out[0])
	check(err)
	fmt.Println(y)
	fmt.Println(spans.names[0])

	_, err = etcd.New(ctx, nil, nil)
	fmt.Println(err)

	fmt.Println(compute.List())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
