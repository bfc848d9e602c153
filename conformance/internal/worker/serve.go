// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package worker

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// Handler does a task and returns what the driver gets as JSON.
type Handler func(task string, params json.RawMessage) (any, error)

// Asked returns the value of Variable, and whether this process was started as
// a worker.
func Asked() (string, bool) {
	v := os.Getenv(Variable)
	return v, v != ""
}

// Exit statuses of a worker that ends because it has no driver.
const (
	exitOrphaned = 86 // the driver has ended, or the pipes were closed
	exitNoPipes  = 87 // the pipes are missing or cannot be used
)

// pipes is how many pipes a worker has: requests, answers, the runtime's last words.
const pipes = 3

// Serve answers requests until the driver has no more, and ends the process.
func Serve(handle Handler) {
	files, err := inherited(os.Getenv(pipesVariable))
	if err != nil {
		fmt.Fprintf(os.Stderr, "worker: %v\n", err)
		os.Exit(exitNoPipes)
	}
	requests, answers, crash := files[0], files[1], files[2]
	if len(files) > 3 {
		openNotebook(files[3])
	}
	// A copy of what the runtime says about a crash: by then standard error may be
	// closed, or full of the plugin's words.
	if err := debug.SetCrashOutput(crash, debug.CrashOptions{}); err != nil {
		fmt.Fprintf(os.Stderr, "worker: %v\n", err)
		os.Exit(exitNoPipes)
	}
	// Processes that the plugin starts are not workers.
	_ = os.Unsetenv(Variable)
	_ = os.Unsetenv(pipesVariable)
	key := os.Getenv(keyVariable)
	_ = os.Unsetenv(keyVariable)

	send := func(a answer) {
		text, err := json.Marshal(a)
		if err != nil {
			panic(err) // its parts are already JSON
		}
		if _, err := answers.Write(append(append([]byte(key), text...), '\n')); err != nil {
			os.Exit(exitOrphaned)
		}
	}
	queue := make(chan request)
	go func() {
		defer close(queue)
		in := json.NewDecoder(bufio.NewReader(requests))
		busy := false
		for {
			var r request
			switch err := in.Decode(&r); {
			case err == io.EOF && !busy:
				return
			case err != nil:
				os.Exit(exitOrphaned)
			}
			busy = r.Task != ""
			if busy {
				queue <- r
			}
		}
	}()
	send(answer{Task: helloTask})
	for r := range queue {
		send(do(handle, r))
	}
	os.Exit(0)
}

func do(handle Handler, r request) answer {
	a := answer{Task: r.Task}
	result, err := handle(r.Task, r.Params)
	if err != nil {
		a.Error = err.Error()
		return a
	}
	if a.Result, err = json.Marshal(result); err != nil {
		a.Error = fmt.Sprintf("its result has no JSON form: %v", err)
	}
	return a
}

// inherited opens the pipes that the environment names, and the notebook if there is
// one.
func inherited(list string) ([]*os.File, error) {
	parts := strings.Split(list, ",")
	files := make([]*os.File, len(parts))
	if len(parts) < pipes || len(parts) > pipes+1 {
		return nil, fmt.Errorf("%s is %q, which names no pipes: only the conformance suite starts workers", pipesVariable, list)
	}
	for i, part := range parts {
		fd, err := strconv.ParseUint(part, 10, 63)
		if err != nil {
			return nil, fmt.Errorf("%s is %q: %w", pipesVariable, list, err)
		}
		files[i] = os.NewFile(uintptr(fd), "pipe "+part)
		private(uintptr(fd))
	}
	return files, nil
}
