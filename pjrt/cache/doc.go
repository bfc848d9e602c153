// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package cache keeps compiled executables on disk, so that a program is compiled
// once and loaded from then on.
//
//	c, err := cache.Open("", cache.Options{MaxBytes: 1 << 30})
//	exe, hit, err := c.Compile(ctx, client, program, nil)
//
// An entry is found by [pjrt.CompileKey]: the program, the options, the plugin and
// its version, the devices and the flags in the environment. It carries a checksum
// over all of it, since plugins take damaged executables for sound ones. An entry
// that is damaged, cut off or foreign is removed, and the program compiled anew.
//
// # Trust
//
// An executable is machine code, so whoever can write to the directory decides
// what runs. The directory is made for its owner only, and one that others can
// write to is not used. The checksum is against damage, not against malice.
//
// # Failures
//
// A cache never stands in the way of a compilation: when the directory cannot be
// read or written, when it is full, or when the plugin cannot serialize, programs
// are compiled as without a cache. The first failure of a cache is logged, and
// [Stats] has it.
//
// # Sharing
//
// A directory may be used by many goroutines and processes at once. A program that
// several of them ask for is compiled by one, for which the others wait; a process
// that dies meanwhile holds nobody up. Network file systems work as far as they
// rename atomically, and lock files: without locks, programs are compiled more than
// once.
package cache
