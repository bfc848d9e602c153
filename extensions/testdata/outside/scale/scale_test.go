// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package scale_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"

	"example.com/outside/scale"
	"example.com/outside/scaleraw"
)

func TestABufferIsScaled(t *testing.T) {
	ctx := context.Background()
	v := newVendor(t)
	if !extensions.Supported(v.Plugin.Plugin(), scaleraw.ExtensionType) {
		t.Fatal("the plugin has the extension")
	}
	if x, ok := extensions.Find(v.Plugin.Plugin(), scaleraw.ExtensionType); !ok || x.Name != "ExtensionType(42000)" || x.Package != "" {
		t.Fatalf("it is listed: %+v", x)
	}
	client := v.Client()
	h, release, err := raw.AcquireClient(client)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	v.client = h

	b, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	scaled, done, err := scale.Buffer(ctx, b, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := done.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if got := scaled.Shape().String(); got != "f32[2,3]" {
		t.Fatal(got)
	}
	values, err := pjrt.ToSlice[float32](ctx, scaled)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(values, []float32{10, 20, 30, 40, 50, 60}) {
		t.Fatal(values)
	}

	_, _, err = scale.Buffer(ctx, b, 0)
	if !errors.Is(err, pjrt.ErrInvalidArgument) || err.Error() != "Example_Scale: INVALID_ARGUMENT: the factor is 0" {
		t.Fatalf("what the plugin says: %v", err)
	}
	for _, c := range []interface{ Close() error }{b, scaled, done} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := scale.Buffer(ctx, b, 2); !errors.Is(err, pjrt.ErrClosed) {
		t.Fatal(err)
	}
}

func TestAPluginWithoutTheExtension(t *testing.T) {
	ctx := context.Background()
	p := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
	if extensions.Supported(p.Plugin(), scaleraw.ExtensionType) {
		t.Fatal("it has the extension")
	}
	b, err := pjrt.FromSlice(ctx, p.Client(), []float32{1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, _, err := scale.Buffer(ctx, b, 2); !errors.Is(err, pjrt.ErrUnimplemented) {
		t.Fatal(err)
	}
	if _, _, err := scale.Buffer(ctx, nil, 2); !errors.Is(err, pjrt.ErrInvalidArgument) {
		t.Fatal(err)
	}
}
