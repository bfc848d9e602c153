// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !unix

package ownership

import "io/fs"

func check(fs.FileInfo) error { return nil }

func checkFolder(fs.FileInfo) error { return nil }
