// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package worker

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"sync"
)

// Variable is the environment variable that makes a process a worker. Its
// value says which, for programs that have several.
const Variable = "PJRT_CONFORMANCE_WORKER"

// variables is what the names of the variables of package subprocess begin with.
const variables = "PJRT_CONFORMANCE"

// request is one line from the driver.
type request struct {
	Task   string          `json:"task"`
	Params json.RawMessage `json:"params,omitempty"`
}

// answer is one line from the worker, after the key.
type answer struct {
	Task   string          `json:"task"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// helloTask is the task of the answer that a worker gives unasked when it is
// ready.
const helloTask = "hello"

// Stray is what a worker's pipe for answers carried besides answers.
type Stray struct {
	Bytes int64
	Head  []byte // the first of them
}

const strayHead = 200 // bytes

// reader reads answers and collects bytes that belong to none.
type reader struct {
	in  *bufio.Reader
	key []byte

	mu    sync.Mutex
	stray Stray // guarded by mu
}

// next returns the text of the next answer.
func (r *reader) next() ([]byte, error) {
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		line = append(line, part...)
		at := bytes.Index(line, r.key)
		if at < 0 && len(line) > len(r.key) {
			// The key may begin at the end of what has arrived.
			at = len(line) - len(r.key)
			if err == nil {
				at = len(line)
			}
			r.discard(line[:at])
			line = line[at:]
		} else if at >= 0 && err == nil {
			r.discard(line[:at])
			return line[at+len(r.key):], nil
		}
		if err != nil && err != bufio.ErrBufferFull {
			r.discard(line)
			return nil, io.EOF
		}
	}
}

// answer returns the next answer.
func (r *reader) answer() (a answer, err error) {
	text, err := r.next()
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	return a, err
}

func (r *reader) discard(b []byte) {
	if len(b) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stray.Bytes += int64(len(b))
	r.stray.Head = append(r.stray.Head, b[:min(len(b), strayHead-len(r.stray.Head))]...)
}

// taken returns what was not an answer since the last call.
func (r *reader) taken() Stray {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.stray
	r.stray = Stray{}
	return s
}
