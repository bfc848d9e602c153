// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

// ForgetFailedPrograms makes the environment variable apply again, for tests that run after
// one that called SaveFailedPrograms.
func ForgetFailedPrograms() { failedPrograms.Store(nil) }
