// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package subprocess

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// What follows the name of a child's environment variables.
const (
	pipesSuffix = "_PIPES" // its ends of the pipes, and further files
	keySuffix   = "_KEY"
)

// Exit statuses of a child that has no parent.
const (
	ExitOrphaned = 86 // the parent has ended, or the pipes were closed
	ExitNoPipes  = 87 // the pipes are missing or cannot be used
)

// Pipes are what a child has of its parent.
type Pipes struct {
	Requests, Answers *os.File
	Key               []byte
	Files             []*os.File // the further files
}

// Inherit returns what the parent gave to this process under a name. From then on Go's runtime
// tells the parent about a crash, even if standard error is closed or full, and processes that
// this one starts are not taken for children.
func Inherit(name string) (*Pipes, error) {
	list, key := os.Getenv(name+pipesSuffix), os.Getenv(name+keySuffix)
	_ = os.Unsetenv(name + pipesSuffix)
	_ = os.Unsetenv(name + keySuffix)
	parts := strings.Split(list, ",")
	if len(parts) < pipes || key == "" {
		return nil, fmt.Errorf("%s is %q and %s is %q: this process has no parent that waits for it",
			name+pipesSuffix, list, name+keySuffix, key)
	}
	files := make([]*os.File, len(parts))
	for i, part := range parts {
		fd, err := strconv.ParseUint(part, 10, 63)
		if err != nil {
			return nil, fmt.Errorf("%s is %q: %w", name+pipesSuffix, list, err)
		}
		files[i] = os.NewFile(uintptr(fd), "pipe "+part)
		private(uintptr(fd))
	}
	if err := debug.SetCrashOutput(files[2], debug.CrashOptions{}); err != nil {
		return nil, err
	}
	return &Pipes{Requests: files[0], Answers: files[1], Key: []byte(key), Files: files[pipes:]}, nil
}
