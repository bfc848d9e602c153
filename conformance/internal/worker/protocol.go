// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package worker

import "encoding/json"

// Variable is the environment variable that makes a process a worker. Its
// value says which, for programs that have several.
const Variable = "PJRT_CONFORMANCE_WORKER"

// pipesVariable names the worker's ends of its pipes: requests, answers, and
// the Go runtime's last words.
const pipesVariable = "PJRT_CONFORMANCE_PIPES"

// request is one line from the driver.
type request struct {
	Task   string          `json:"task"`
	Params json.RawMessage `json:"params,omitempty"`
}

// answer is one line from the worker.
type answer struct {
	Task   string          `json:"task"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// helloTask is the task of the answer that a worker gives unasked when it is
// ready.
const helloTask = "hello"
