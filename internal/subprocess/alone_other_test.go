// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !unix

package subprocess

// playAlone is for systems where a parent's children can be waited for by others.
func playAlone() {}
