// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package scale is the Go interface of a vendor's own extension, Example_Scale, which
// multiplies the elements of a buffer by a number. It shows that such a package needs
// nothing but the packages pjrt, pjrt/raw and capi, and package scaleraw, which pjrtgen
// extension made from the vendor's header.
package scale

import (
	"context"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"

	"example.com/outside/scaleraw"
)

// Buffer returns a buffer with the elements of b multiplied by factor, and an event
// that is ready when the plugin has read b. It waits until b has its contents. The
// caller closes both.
func Buffer(ctx context.Context, b *pjrt.Buffer, factor float32) (*pjrt.Buffer, *pjrt.Event, error) {
	h, release, err := raw.AcquireContents(ctx, b)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	table, err := scaleraw.Table(raw.TableOf(b))
	if err != nil {
		return nil, nil, err
	}
	c := capi.Call[scaleraw.ExampleScaleArgs]{Args: scaleraw.ExampleScaleArgs{Buffer: h, Factor: factor}}
	if err := c.Do(table); err != nil {
		return nil, nil, err
	}
	scaled, err := raw.AdoptBufferOf(b.Client(), c.Args.Scaled, b.Shape())
	if err != nil {
		return nil, nil, err
	}
	return scaled, raw.AdoptEvent(b.Client(), c.Args.Done, nil), nil
}
