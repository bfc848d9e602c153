// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package xlatransform runs passes written in Go in the middle of a plugin's compilations. It
// uses the extension XlaTransform, which came with API 0.110; libtpu and XLA's plugins for
// GPUs have it, also for compilations ahead of time.
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
// A pass sees the program late, when the compiler has optimized it, and can inspect or rewrite
// it; package pjrt/hlo has the module. The compiler trusts what a pass makes of it: a wrong
// module can end the process. [Trace] reports what the compiler's own passes did.
//
// Programs from a cache, or compiled by another process, do not go through the passes of this
// process.
package xlatransform
