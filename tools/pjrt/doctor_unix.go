// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package main

import "golang.org/x/sys/unix"

// mayWrite asks the system whether this process may make files in dir.
func mayWrite(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

// freeBytes returns the space that this user may fill on the disk of dir.
func freeBytes(dir string) (int64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}

// smallest has the limits below which plugins have trouble.
var smallest = []struct {
	name     string
	resource int
	bytes    bool
	least    uint64
	why      string
}{
	{"stack", unix.RLIMIT_STACK, true, 8 << 20, "XLA's compilers need deep stacks"},
	{"open files", unix.RLIMIT_NOFILE, false, 1024, "collective operations open many connections"},
	{"locked memory", unix.RLIMIT_MEMLOCK, true, 64 << 10, "devices need locked memory"},
	{"address space", unix.RLIMIT_AS, true, 64 << 30, "plugins reserve much more than they use"},
}

func (d *doctor) limits() {
	for _, s := range smallest {
		var r unix.Rlimit
		if err := unix.Getrlimit(s.resource, &r); err != nil || r.Cur >= s.least {
			continue
		}
		value := size(int64(r.Cur))
		if !s.bytes {
			value = value[:len(value)-2]
		}
		d.add("limit", warning, "raise it with ulimit, or in the settings of the container", "%s: %s; %s", s.name, value, s.why)
	}
	if n, ok := freeBytes("/dev/shm"); ok && n < 256<<20 {
		d.add("/dev/shm", warning, "give the container more shared memory (--shm-size)",
			"%s free; GPUs communicate through it", size(n))
	}
}
