// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cgo

// Command goxla does the jobs of the benchmark with github.com/gomlx/go-xla, a binding based
// on cgo.
//
//	goxla PLUGIN
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/go-xla/pjrt"

	"github.com/purepjrt/purepjrt/tools/bench/internal/child"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "goxla:", err)
		os.Exit(1)
	}
}

type jobs struct {
	plugin *pjrt.Plugin
	client *pjrt.Client
}

func run(path string) error {
	start := time.Now()
	plugin, err := pjrt.GetPlugin(path)
	if err != nil {
		return err
	}
	opened := time.Now()
	client, err := plugin.NewClient(createOptions())
	if err != nil {
		return err
	}
	ready := child.Ready{Open: opened.Sub(start), Client: time.Since(opened)}
	ready.Major, ready.Minor = plugin.Version()
	return child.Serve(os.Stdin, os.Stdout, ready, (&jobs{plugin, client}).prepare)
}

func (j *jobs) prepare(job string, param int) (*child.Job, error) {
	switch job {
	case "getter":
		d := j.client.AddressableDevices()[0]
		return child.Timed(func(n int) error {
			for range n {
				if _, err := d.IsAddressable(); err != nil {
					return err
				}
			}
			return nil
		}, nil), nil
	case "execute":
		return j.execute("add", 2, 1)
	case "many":
		return j.execute("many", 200, 1)
	case "arguments":
		return j.execute(fmt.Sprint("arguments-", param), param, 1)
	case "devices":
		return j.execute("add", 2, param)
	case "threads":
		return j.threads(param)
	case "create":
		data := []float32{1, 2, 3, 4}
		return child.Timed(func(n int) error {
			for range n {
				b, err := pjrt.ArrayToBuffer(j.client, data, 4)
				if err != nil {
					return err
				}
				if err := b.Destroy(); err != nil {
					return err
				}
			}
			return nil
		}, nil), nil
	case "upload":
		data := make([]byte, param)
		for i := range data {
			data[i] = 1
		}
		return child.Timed(func(n int) error {
			for range n {
				b, err := j.client.BufferFromHost().FromRawData(data, dtypes.Float32, []int{param / 4}).Done()
				if err != nil {
					return err
				}
				if err := b.Destroy(); err != nil {
					return err
				}
			}
			return nil
		}, nil), nil
	case "download":
		dst := make([]byte, param)
		b, err := j.client.BufferFromHost().FromRawData(dst, dtypes.Float32, []int{param / 4}).Done()
		if err != nil {
			return nil, err
		}
		return child.Loop(func() error { return b.ToHost(dst) }, b.Destroy), nil
	case "compile":
		return j.compileOften("add")
	case "constants":
		return j.compileOften(fmt.Sprint("constants-", param))
	case "client":
		return child.Loop(func() error {
			c, err := j.plugin.NewClient(createOptions())
			if err != nil {
				return err
			}
			return c.Destroy()
		}, nil), nil
	}
	return nil, nil
}

// createOptions are those of a client of the default number of devices. Clients that share a
// GPU must not take its memory at once.
func createOptions() pjrt.NamedValuesMap {
	if os.Getenv("BENCH_SHARED_GPU") != "" {
		return pjrt.NamedValuesMap{"preallocate": false}
	}
	return nil
}

func program(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(os.Getenv("BENCH_PROGRAMS"), name+".mlir"))
}

// load compiles a program and makes its arguments, all of them f32[4].
func (j *jobs) load(name string, args, devices int) (*pjrt.LoadedExecutable, []*pjrt.Buffer, func() error, error) {
	code, err := program(name)
	if err != nil {
		return nil, nil, nil, err
	}
	client := j.client
	if devices > 1 {
		if client, err = j.plugin.NewClient(pjrt.NamedValuesMap{"cpu_device_count": int64(devices)}); err != nil {
			return nil, nil, nil, err
		}
	}
	config := client.Compile().WithStableHLO(code)
	if devices > 1 {
		config = config.WithSPMD(devices)
	}
	exe, err := config.Done()
	if err != nil {
		return nil, nil, nil, err
	}
	in := make([]*pjrt.Buffer, devices*args)
	for i := range in {
		data := []float32{1, 2, 3, 4}
		config := client.BufferFromHost().FromFlatDataWithDimensions(data, []int{4}).ToDeviceNum(i / args)
		if in[i], err = config.Done(); err != nil {
			return nil, nil, nil, err
		}
	}
	closing := func() error {
		errs := []error{destroy(in), exe.Destroy()}
		if client != j.client {
			errs = append(errs, client.Destroy())
		}
		return errors.Join(errs...)
	}
	return exe, in, closing, nil
}

func destroy(buffers []*pjrt.Buffer) error {
	for _, b := range buffers {
		if err := b.Destroy(); err != nil {
			return err
		}
	}
	return nil
}

func (j *jobs) execute(name string, args, devices int) (*child.Job, error) {
	exe, in, closing, err := j.load(name, args, devices)
	if err != nil {
		return nil, err
	}
	return child.Timed(func(n int) error {
		for range n {
			outs, err := exe.Execute(in...).Done()
			if err != nil {
				return err
			}
			if err := destroy(outs); err != nil {
				return err
			}
		}
		return nil
	}, closing), nil
}

// threads divides executions among goroutines.
func (j *jobs) threads(goroutines int) (*child.Job, error) {
	exe, in, closing, err := j.load("add", 2, 1)
	if err != nil {
		return nil, err
	}
	return child.Divided(goroutines, func() func() error {
		mine := slices.Clone(in)
		return func() error {
			outs, err := exe.Execute(mine...).Done()
			if err != nil {
				return err
			}
			return destroy(outs)
		}
	}, closing), nil
}

func (j *jobs) compileOften(name string) (*child.Job, error) {
	code, err := program(name)
	if err != nil {
		return nil, err
	}
	return child.Loop(func() error {
		exe, err := j.client.Compile().WithStableHLO(code).Done()
		if err != nil {
			return err
		}
		return exe.Destroy()
	}, nil), nil
}
