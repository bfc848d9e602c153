// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"syscall"
)

func threadID() int { return syscall.Gettid() }

// asleep returns the sleep of a thread of the process, and whether the system tells. A thread that
// sleeps in Go, to wait for a processor of Go's for instance, has not reached C yet, unless the
// plugin may be written in Go.
func asleep(id int, inGo bool) (now sleep, known bool) {
	// The thread may go to sleep, wake and go to sleep again between two files.
	before, err := switches(id)
	if err != nil {
		return sleep{}, false
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/syscall", id))
	if err != nil {
		return sleep{}, false
	}
	after, err := switches(id)
	if err != nil {
		return sleep{}, false
	}
	// The number of the call, its arguments, and the addresses of the stack and of the code; only
	// "running", or -1 as the number, outside calls.
	fields := strings.Fields(string(text))
	if len(fields) < 9 || fields[0] == "-1" || before != after {
		return sleep{}, true
	}
	code, err := strconv.ParseUint(fields[len(fields)-1], 0, 64)
	if err != nil || !inGo && isGo(uintptr(code)) {
		return sleep{}, true
	}
	return sleep{string(text), after}, true
}

// switches returns how many times a thread has gone to sleep.
func switches(id int) (string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/status", id))
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(string(text), "\nvoluntary_ctxt_switches:")
	if !ok {
		return "", os.ErrNotExist
	}
	n, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(n), nil
}

// isGo reports whether an address is in the code of this program, not of a library.
func isGo(address uintptr) bool {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return false
	}
	here := reflect.ValueOf(isGo).Pointer()
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var begin, end uintptr
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x ", &begin, &end); err == nil && begin <= here && here < end {
			return begin <= address && address < end
		}
	}
	return false
}
