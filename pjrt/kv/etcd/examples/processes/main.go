// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command processes fits a linear function in several processes, each of which has a part of the
// data. They find each other, and exchange what they computed, through etcd:
//
//	processes -processes 3                   starts three processes, and ends with them
//	processes -processes 3 -run 7 -rank 1    is the second of three, which may be on other machines
//
// What goes through etcd here is small. Large arrays go from GPU to GPU, or from TPU to TPU: their
// plugins find each other by the same store, and run one program over the devices of all processes:
//
//	plugin.NewClient(ctx, &pjrt.ClientOptions{KeyValueStore: store, NodeID: rank, NumNodes: processes})
//
// XLA's plugin for CPUs knows only the devices of its own process.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/kv"
	"github.com/purepjrt/purepjrt/pjrt/kv/etcd"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

const (
	rows  = 64 // of each process
	steps = 60
	rate  = 0.5
	// patience is how long a process waits for the others, and how long its keys outlast it.
	patience = time.Minute
)

// program computes by how much the error on a part of the data grows with each weight.
const program = `func.func @main(%w: tensor<3xf32>, %x: tensor<64x3xf32>, %y: tensor<64xf32>) -> tensor<3xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x3xf32>, tensor<3xf32>) -> tensor<64xf32>
  %1 = stablehlo.subtract %0, %y : tensor<64xf32>
  %2 = stablehlo.dot_general %1, %x, contracting_dims = [0] x [0] : (tensor<64xf32>, tensor<64x3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}`

type options struct {
	endpoints string
	run       string
	processes int
	rank      int
}

func main() {
	var o options
	flag.StringVar(&o.endpoints, "etcd", "localhost:2379", "addresses of etcd, separated by commas")
	flag.StringVar(&o.run, "run", "", "a name for this run, the same in all its processes, and new for each run")
	flag.IntVar(&o.processes, "processes", 2, "how many processes there are")
	flag.IntVar(&o.rank, "rank", -1, "which of the processes this is, from 0; without it, all are started here")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := start(ctx, o); err != nil {
		log.Fatal(err)
	}
}

func start(ctx context.Context, o options) error {
	switch {
	case o.processes < 1 || o.rank >= o.processes:
		return fmt.Errorf("there is no process %d of %d", o.rank, o.processes)
	case o.rank < 0:
		return startAll(ctx, o)
	case o.run == "":
		return fmt.Errorf("process %d needs the name of the run that it takes part in: give it with -run", o.rank)
	}
	if err := takePart(ctx, o); err != nil {
		return fmt.Errorf("process %d: %w", o.rank, err)
	}
	return nil
}

// startAll runs all processes. When one fails, the others are ended, since they would wait for it.
func startAll(ctx context.Context, o options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if o.run == "" {
		o.run = fmt.Sprintf("%d-%d", time.Now().UnixNano(), os.Getpid())
	}
	ended := make(chan error, o.processes)
	for rank := range o.processes {
		cmd := exec.CommandContext(ctx, self, "-etcd", o.endpoints, "-run", o.run,
			"-processes", strconv.Itoa(o.processes), "-rank", strconv.Itoa(rank))
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		go func() { ended <- cmd.Run() }()
	}
	var first error
	for range o.processes {
		if err := <-ended; err != nil && first == nil {
			first = fmt.Errorf("a process failed: %w", err)
			cancel()
		}
	}
	return first
}

// takePart is what each process does.
func takePart(ctx context.Context, o options) error {
	connection, err := clientv3.New(clientv3.Config{
		Endpoints: strings.Split(o.endpoints, ","), Context: ctx, DialTimeout: patience, Logger: zap.NewNop(),
	})
	if err != nil {
		return err
	}
	defer connection.Close()
	// Keys of another run must not be found; those of this one are removed some time after it.
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	store, err := etcd.New(waiting, connection, &etcd.Options{Prefix: "examples/processes/" + o.run + "/", TTL: patience})
	if err != nil {
		return err
	}
	defer store.Close()

	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		return err
	}
	defer client.Close()
	weights, err := fit(ctx, client, store, o)
	if err != nil {
		return err
	}
	if o.rank == 0 { // all have the same
		fmt.Printf("%d processes found y = %.2f*a %+.2f*b %+.2f\n", o.processes, weights[0], weights[1], weights[2])
	}
	return nil
}

func fit(ctx context.Context, client *pjrt.Client, store kv.Store, o options) (weights []float32, err error) {
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(program)}, nil)
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	// Each process has its own data, made with y = 2a - 3b + 1.
	random := rand.New(rand.NewPCG(1, uint64(o.rank)))
	var data, want []float32
	for range rows {
		a, b := 2*random.Float32()-1, 2*random.Float32()-1
		data, want = append(data, a, b, 1), append(want, 2*a-3*b+1)
	}
	x, err := pjrt.FromSlice(ctx, client, data, rows, 3)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	y, err := pjrt.FromSlice(ctx, client, want, rows)
	if err != nil {
		return nil, err
	}
	defer y.Close()

	weights = make([]float32, 3)
	for step := range steps {
		slope, err := slopeAt(ctx, exe, weights, x, y)
		if err != nil {
			return nil, err
		}
		slopes, err := exchange(ctx, store, fmt.Sprintf("step %d", step), slope, o)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", step, err)
		}
		// All add the slopes in the same order, so they go on with the same weights.
		for _, slope := range slopes {
			for i := range weights {
				weights[i] -= rate * slope[i] / float32(rows*o.processes)
			}
		}
	}
	return weights, nil
}

func slopeAt(ctx context.Context, exe *pjrt.LoadedExecutable, weights []float32, x, y *pjrt.Buffer) ([]float32, error) {
	w, err := pjrt.FromSlice(ctx, exe.Client(), weights, int64(len(weights)))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{w, x, y}, nil)
	if err != nil {
		return nil, err
	}
	defer outs[0].Close()
	return pjrt.ToSlice[float32](ctx, outs[0])
}

// exchange gives a value to the other processes, and returns the values of all, in the order of the
// processes. It waits for those that are late.
func exchange(ctx context.Context, store kv.Store, name string, value []float32, o options) ([][]float32, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	key := func(rank int) string { return fmt.Sprintf("%s/process %d", name, rank) }
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if err := store.Put(ctx, key(o.rank), text); err != nil {
		return nil, err
	}
	all := make([][]float32, o.processes)
	for rank := range all {
		text, err := store.Get(ctx, key(rank))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &all[rank]); err != nil {
			return nil, fmt.Errorf("what process %d wrote: %w", rank, err)
		}
		if len(all[rank]) != len(value) {
			return nil, fmt.Errorf("process %d wrote %d numbers, and this one %d", rank, len(all[rank]), len(value))
		}
	}
	return all, nil
}
