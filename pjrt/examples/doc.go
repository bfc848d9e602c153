// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package examples is empty: each folder below it is a complete program to start from.
//
//   - add adds two matrices; it is the program of the README.
//   - linear finds the weights of a linear function by gradient descent.
//   - mlp trains a network with a hidden layer, whose parameters stay on the device.
//   - spmd spreads a product of matrices over four devices.
//   - aot compiles for TPUs on a machine without one.
//   - customcall runs a program that calls a Go function.
//   - weights loads a safetensors file by name into a struct, and binds it to a program.
//   - transformer continues a text with a language model from JAX, whose weights are in two files.
//   - tested has tests that need no device, with a plugin in memory.
//   - gopjrt is no program: it lets one that was written for gopjrt, such as a backend of GX, keep
//     its code.
//   - server, in a separate module, serves a model over HTTP, in batches, refuses requests when
//     too many wait, and has metrics for Prometheus.
//
// Others are in separate modules too, with what they use:
//
//   - pjrt/gomlx/examples/builder makes its program with a builder of StableHLO.
//   - pjrt/gomlx/examples/linear trains with GoMLX.
//   - pjrt/kv/etcd/examples/processes runs several processes, which find each other through etcd.
package examples
