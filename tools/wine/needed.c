// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// A library that needing.dll needs, and that lies beside it.
__declspec(dllexport) int needed(void) { return 1; }
