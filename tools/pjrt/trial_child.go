// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"io"
	"os"

	"github.com/purepjrt/purepjrt/internal/subprocess"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/trace"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// trialVariable is the environment variable that makes a process a child, and what the names of its
// others begin with.
const trialVariable = "PJRT_TRIAL"

// trialMain does the task of the parent and ends the process, if this process is a child.
func trialMain() {
	if os.Getenv(trialVariable) == "" {
		return
	}
	pipes, err := subprocess.Inherit(trialVariable)
	_ = os.Unsetenv(trialVariable) // processes that the plugin starts are not children
	var what task
	if err == nil {
		err = receive(pipes.Requests, pipes.Key, &what)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "pjrt: this process cannot use a plugin for another one: %v\n", err)
		os.Exit(subprocess.ExitNoPipes)
	}
	go func() {
		// The parent may end while the plugin hangs.
		_, _ = io.Copy(io.Discard, pipes.Requests)
		os.Exit(subprocess.ExitOrphaned)
	}()
	send := func(p *progress) {
		b, err := message(pipes.Key, p)
		if err == nil {
			_, err = pipes.Answers.Write(b)
		}
		if err != nil {
			os.Exit(subprocess.ExitOrphaned)
		}
	}
	if what.Replay != nil {
		what.Replay.do(context.Background(), what.Plugin, send)
	} else {
		what.do(context.Background(), send)
	}
	if err := trace.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "pjrt: %s\n", cli.OneLine(err.Error()))
	}
	os.Exit(0)
}

// do does the task, and reports each step.
func (t *task) do(ctx context.Context, report func(*progress)) {
	report(&progress{Step: loading})
	plugin, err := loadPlugin(ctx, t.Plugin)
	if err != nil {
		report(&progress{Error: err.Error()})
		return
	}
	p := &progress{Step: creating, Loaded: true, Kind: plugin.Kind()}
	_, p.Minor = plugin.Version()
	if t.Explore {
		p.Report = describePlugin(plugin)
	}
	report(p)
	var opts pjrt.ClientOptions
	if t.Gently && (plugin.Kind() == "cuda" || plugin.Kind() == "rocm") {
		opts.Create = []pjrt.Attribute{{Name: "preallocate", Value: false}}
	}
	client, err := openClient(ctx, t.Plugin, &opts)
	if err != nil {
		p.Step, p.Error = "", err.Error()
		report(p)
		return
	}
	p.Kind = plugin.Kind() // the client may tell it
	if t.Explore {
		p.Step = describing
		report(p)
		p.Report.Client = describeClient(client)
	}
	p.Step = ""
	report(p)
	_ = client.Close()
}

// maxMessage bounds the length that a damaged message can claim.
const maxMessage = 1 << 30

// message returns the key, the length of what follows, and the value.
func message(key []byte, value any) ([]byte, error) {
	var b bytes.Buffer
	b.Write(key)
	b.Write(make([]byte, 8))
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		return nil, err
	}
	binary.LittleEndian.PutUint64(b.Bytes()[len(key):], uint64(b.Len()-len(key)-8))
	return b.Bytes(), nil
}

// receive reads a message. A plugin may write to files that are not its own, so anything may come.
func receive(r io.Reader, key []byte, value any) error {
	head := make([]byte, len(key)+8)
	if _, err := io.ReadFull(r, head); err != nil {
		return err
	}
	n := binary.LittleEndian.Uint64(head[len(key):])
	if !bytes.Equal(head[:len(key)], key) || n > maxMessage {
		return fmt.Errorf("this is not a message: %q", head)
	}
	return gob.NewDecoder(io.LimitReader(r, int64(n))).Decode(value)
}
