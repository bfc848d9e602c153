// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// A plugin without a table, which needs another library.
__declspec(dllimport) int needed(void);

__declspec(dllexport) const void *GetPjrtApi(void) { return needed() ? 0 : (const void *)1; }
