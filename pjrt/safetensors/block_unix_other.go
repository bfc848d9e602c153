// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix && !linux

package safetensors

func inHugePages([]byte) {}

func (b *block) discard(int, int) {}
