// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package conformance checks any PJRT plugin against every rule of the contract whose
// violation a client can see (see package rules). The checks run in processes of their
// own, since a faulty plugin may crash them.
//
// A test only has to name the plugin:
//
//	func TestConformance(t *testing.T) {
//		conformance.TestPlugin(t, "build/my_plugin.so")
//	}
//
// Each check is a subtest. If the plugin crashes, hangs or calls exit, the check under
// way fails and the others still run: the test binary starts itself again, and only
// those processes load the plugin. Test does the same for a table that the program makes
// itself, for instance with capi/serve.
//
// Outside tests, use Run or the command pjrt-conformance. Both return a Report; package
// report describes it and turns it into pages.
//
// A waiver file lists failures that cannot be fixed now, each with what was found and the
// reason; package waivers has those of public plugins. The README in this folder tells plugin
// authors how to begin.
package conformance
