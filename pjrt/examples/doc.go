// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package examples is empty: each folder below it is a complete program to start from.
//
//   - add adds two matrices; it is the program of the README.
//   - linear finds the weights of a linear function by gradient descent.
//   - mlp trains a network with a hidden layer, whose parameters stay on the device.
//   - spmd spreads a product of matrices over four devices.
//   - aot compiles for TPUs on a machine without one.
//   - customcall runs a program that calls a function of Go.
//   - weights loads a safetensors file by name into a struct, and binds it to a program.
//   - tested has tests that need no device, with a plugin in memory.
//   - server serves a model over HTTP, in batches, and refuses requests when too many wait.
package examples
