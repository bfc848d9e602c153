// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package attack has tests that attack the command pjrt: with plugins that hurt the process which
// loads them, and with folders and files that make programs wait, fill memory or run what lies
// there. Each command runs in a child with a limit of its memory and a deadline. None may be ended
// by a signal, by Go's runtime or by the deadline, and none may print without an end.
//
// The plugins need a C compiler, and the build tag cc: make attack runs everything.
package attack
