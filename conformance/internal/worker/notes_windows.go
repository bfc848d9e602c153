// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package worker

import "os"

// newNotebook returns no notebook here, where memory cannot be shared through a
// nameless file.
func newNotebook() *os.File { return nil }

func openNotebook(*os.File) {}
