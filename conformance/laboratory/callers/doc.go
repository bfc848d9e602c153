// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package callers predicts what a client of PJRT, such as a version of JAX, will do
// with a plugin that lacks functions, or whose functions fail.
//
// XLA's C++ client, which JAX uses, ends the process when one of many functions returns an error,
// raises an exception for others, and does without the rest. Which ones differs from version to
// version. A [Profile] has what was measured: JAX took the actions that users take, such as running
// a program over four devices, with a plugin in which each function in turn had a null slot,
// returned UNIMPLEMENTED, or failed. What a client calls depends on whether the plugin says that
// its buffers are in the host's memory, so both were measured. GoMLX, whose XLA backend calls the C
// API itself, was measured in the same way. `make callers` measures. [Profile.Predict] says for a
// [Plugin] what becomes of each action.
package callers
