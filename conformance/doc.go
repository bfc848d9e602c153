// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package conformance checks PJRT plugins: any plugin, against every rule of the
// contract that a client can see (see package rules), in processes that may die
// of it.
//
// In a test, the plugin is named and that is all:
//
//	func TestConformance(t *testing.T) {
//		conformance.TestPlugin(t, "build/my_plugin.so")
//	}
//
// Each check is a subtest. A plugin that crashes, hangs or calls exit fails the
// check under way, and the others go on: the test binary starts itself again,
// and only those processes load the plugin. Test does the same for a table that
// the program makes itself, such as one of capi/serve.
//
// Outside tests there is Run, and the command pjrt conformance. What they find
// is a Report: package report says what is in it and makes pages of it.
//
// A rule that a plugin breaks and cannot mend now goes into a waiver file, with
// the reason. The README of this folder tells plugin authors how to begin.
package conformance
