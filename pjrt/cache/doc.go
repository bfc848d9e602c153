// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package cache stores compiled executables on disk, so that a program is compiled once and loaded
// after that.
//
//	c, err := cache.Open("", cache.Options{MaxBytes: 1 << 30})
//	exe, hit, err := c.Compile(ctx, client, program, nil)
//
// The key of an entry is [pjrt.Client.CompileKey]: it covers the program, the options, the plugin
// and its version, the devices and the flags in the environment. An entry ends with a checksum of
// its contents, because plugins do not notice that an executable is damaged, and says where the
// executable belongs, as package compile describes. The cache removes an entry that is damaged,
// truncated, written by something else or does not belong to the client, and compiles the program
// again.
//
// # Trust
//
// An executable is machine code, so whoever can write to the directory decides what runs. The cache
// creates the directory for its owner only, and does not use one that others can write to. The
// checksum detects damage, not malice.
//
// # Failures
//
// A cache never prevents a compilation. If the directory cannot be read or written, if the disk is
// full, or if the plugin cannot serialize, programs are compiled as they would be without a cache.
// The cache logs its first failure, and [Stats] has it.
//
// # Sharing
//
// Many goroutines and processes may use a directory at once. If several of them ask for the same
// program, one compiles it and the others wait; if that one dies, the others go on. An entry that
// exists is read without waiting for anybody. Network file systems work if they rename atomically
// and lock files. Without locks, a program may be compiled more than once.
//
// No wait is endless, because a process may be stopped while others wait for it. After 10 seconds
// the cache logs which process it waits for, and after 10 minutes it compiles the program too:
// hardly a compilation takes longer, and until then compiling twice would gain nothing. Storing an
// executable takes a moment, so after waiting 5 seconds for others that store or remove some, the
// cache does not store its own. The context of a call ends these waits earlier.
//
// # Other files
//
// The cache removes nothing but its entries, and what killed processes left of entries that they
// were writing, which it knows by their names. It does so when it stores an entry and in
// [Cache.Prune]. Reading changes nothing but the times of entries.
package cache
