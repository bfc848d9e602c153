// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package vote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// patience is how long a program may take.
const patience = time.Minute

// juror runs programs in a child process, because a program may end it.
type juror struct {
	python, folder string

	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	printed *bytes.Buffer
}

// death is the error that the child process ended.
type death struct{ words string }

func (d *death) Error() string { return "the process ended: " + d.words }

// errNoProcess says that there is no process to ask.
var errNoProcess = errors.New("there is no process to ask")

func (j *juror) start() error {
	j.cmd = exec.Command(j.python, j.folder+"/evaluate.py")
	j.cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "PYTHONDONTWRITEBYTECODE=1")
	j.printed = &bytes.Buffer{}
	j.cmd.Stderr = j.printed
	var err error
	if j.in, err = j.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := j.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	j.out = bufio.NewReaderSize(out, 1<<20)
	return j.cmd.Start()
}

// stop kills the process.
func (j *juror) stop() {
	if j.cmd == nil {
		return
	}
	j.in.Close()
	_ = j.cmd.Process.Kill()
	_ = j.cmd.Wait()
	j.cmd = nil
}

// ask returns the results of a program. A *death says that the program ended the process,
// errNoProcess that nothing could be asked, and any other error that the program has no
// results.
func (j *juror) ask(ctx context.Context, by, text string) ([][]byte, error) {
	if j.cmd == nil {
		if err := j.start(); err != nil {
			return nil, fmt.Errorf("%w: start %s: %v", errNoProcess, j.python, err)
		}
	}
	j.printed.Reset()
	question, err := json.Marshal(map[string]string{"by": by, "text": text})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoProcess, err)
	}
	type line struct {
		text []byte
		err  error
	}
	lines := make(chan line, 1)
	go func() {
		_, err := j.in.Write(append(question, '\n'))
		var l line
		if err == nil {
			l.text, err = j.out.ReadBytes('\n')
		}
		l.err = err
		lines <- l
	}()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-ctx.Done():
		j.stop()
		return nil, fmt.Errorf("%w: %w", errNoProcess, ctx.Err())
	case <-limit.C:
		j.stop()
		return nil, &death{fmt.Sprintf("no answer within %v", patience)}
	case l := <-lines:
		if l.err != nil {
			_ = j.cmd.Wait()
			words := terse(j.printed.String())
			if words == "" {
				words = j.cmd.ProcessState.String()
			}
			j.cmd = nil
			return nil, &death{words}
		}
		var answer struct {
			Results [][]byte `json:"results"`
			Error   string   `json:"error"`
		}
		if err := json.Unmarshal(l.text, &answer); err != nil {
			return nil, fmt.Errorf("the answer is not JSON: %w", err)
		}
		if answer.Error != "" {
			return nil, errors.New(terse(answer.Error))
		}
		return answer.Results, nil
	}
}
