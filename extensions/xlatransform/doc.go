// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package xlatransform runs passes written in Go in the middle of a plugin's compilations.
// It uses the extension XlaTransform, which came with API 0.110; libtpu and XLA's plugins for
// GPUs have it, for compilations ahead of time too.
//
//	pass, err := xlatransform.Register(plugin, "no-f64", func(m *hlo.Module) (bool, error) {
//		for _, i := range m.All() {
//			if i.Shape.Type == dtype.F64 {
//				return false, fmt.Errorf("%s computes in f64: %s", i.Name, i.Source.Op)
//			}
//		}
//		return false, nil
//	}, nil)
//	...
//	defer pass.Close()
//	exe, err := client.Compile(ctx, program, nil) // fails if the program has an f64
//
// A pass sees the program late, when the compiler has optimized it, and looks at it or
// rewrites it; package pjrt/hlo has the module. [Trace] tells what the compiler's own passes
// did.
//
// Programs that a cache has, or that another process compiles, do not come past the passes of
// this process.
package xlatransform
