// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package worker

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/purepjrt/purepjrt/internal/subprocess"
)

// Handler does a task and returns what the driver gets as JSON.
type Handler func(task string, params json.RawMessage) (any, error)

// Asked returns the value of Variable, and whether this process was started as
// a worker.
func Asked() (string, bool) {
	v := os.Getenv(Variable)
	return v, v != ""
}

// Serve answers requests until the driver has no more, and ends the process.
func Serve(handle Handler) {
	pipes, err := subprocess.Inherit(variables)
	if err != nil {
		fmt.Fprintf(os.Stderr, "worker: %v\n", err)
		os.Exit(subprocess.ExitNoPipes)
	}
	for _, f := range pipes.Files {
		openNotebook(f)
	}
	_ = os.Unsetenv(Variable) // processes that the plugin starts are not workers

	send := func(a answer) {
		text, err := json.Marshal(a)
		if err != nil {
			panic(err) // its parts are already JSON
		}
		if _, err := pipes.Answers.Write(slices.Concat(pipes.Key, text, []byte{'\n'})); err != nil {
			os.Exit(subprocess.ExitOrphaned)
		}
	}
	queue := make(chan request)
	go func() {
		defer close(queue)
		in := json.NewDecoder(bufio.NewReader(pipes.Requests))
		busy := false
		for {
			var r request
			switch err := in.Decode(&r); {
			case err == io.EOF && !busy:
				return
			case err != nil:
				os.Exit(subprocess.ExitOrphaned)
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
