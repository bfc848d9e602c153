// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package docs has no code. Its folder has documents, and tests that run what they say:
//
//   - from-jax.md: programs that JAX exports, versions of StableHLO, platforms, custom calls
//   - gpu.md: NVIDIA GPUs, and other vendors' plugins
//   - tpu.md: TPUs, and compiling for them on a machine without one
//   - containers.md: base images, what to mount, limits
//   - several-processes.md: several devices, several processes, several machines
//   - from-gopjrt.md: moving from gopjrt and go-xla, name by name
//   - serving.md: answering requests with a model
//   - testing.md: tests without hardware
//   - writing-a-plugin.md: plugins in Go, and checking a plugin in any language
//   - capabilities.md: what bindings of PJRT can do, and the names for it here
package docs
