// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command server serves a model over HTTP:
//
//	server -listen localhost:8080
//	curl -d '[1, 2]' localhost:8080/predict
//	curl localhost:8080/healthz
//	curl localhost:8080/metrics
//
// Requests that arrive at about the same time run as one batch. The weights stay on the
// device. When too many requests wait, others are refused with status 503. Prometheus reads
// metrics of requests, batches and the device. On an interrupt the server answers the requests
// that it has accepted, and ends.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/params"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// program takes the weights, which are bound, and a batch.
const program = `module @model {
  func.func @main(%w: tensor<2xf32>, %b: tensor<f32>, %x: tensor<8x2xf32>) -> tensor<8xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2xf32>) -> tensor<8xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.add %0, %1 : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}`

// patience is how long a request may wait, and how long a shutdown may take.
const patience = 10 * time.Second

func main() {
	listen := flag.String("listen", "localhost:8080", "address to listen on")
	plugin := flag.String("plugin", "cpu", "name or path of the plugin")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *plugin, *listen); err != nil {
		log.Fatal(err)
	}
}

// run serves until the context ends.
func run(ctx context.Context, plugin, address string) error {
	// The metrics start before the client, so that they cover its compilations.
	m, err := newMetrics()
	if err != nil {
		return err
	}
	defer m.stop()
	client, err := plugins.Open(ctx, plugin, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	exe, weights, err := load(ctx, client)
	if err != nil {
		return err
	}
	defer exe.Close()
	defer weights.Close()
	b, err := newBatcher(exe, weights, m.meter())
	if err != nil {
		return err
	}

	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	if err := serve(ctx, listener, b, m.around(handler(b))); err != nil {
		return err
	}
	fmt.Println("stopped")
	return nil
}

// serve lets h answer requests until the context ends, and then finish those under way. When it
// returns, the batcher no longer uses the device.
func serve(ctx context.Context, listener net.Listener, b *batcher, h http.Handler) error {
	batches, stop := context.WithCancel(context.WithoutCancel(ctx)) // the batcher outlives ctx
	go b.run(batches)
	defer func() {
		stop()
		<-b.stopped
	}()
	server := &http.Server{Handler: h, ReadHeaderTimeout: patience}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(batches, patience)
	defer cancel()
	return server.Shutdown(last)
}

// load compiles the program and binds its weights; package safetensors reads weights from a file.
func load(ctx context.Context, client *pjrt.Client) (*pjrt.LoadedExecutable, *pjrt.Bound, error) {
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(program)}, nil)
	if err != nil {
		return nil, nil, err
	}
	bound, err := bind(ctx, exe)
	if err != nil {
		exe.Close()
		return nil, nil, err
	}
	return exe, bound, nil
}

func bind(ctx context.Context, exe *pjrt.LoadedExecutable) (*pjrt.Bound, error) {
	var model struct{ Weights, Bias *pjrt.Buffer }
	var err error
	if model.Weights, err = pjrt.FromSlice(ctx, exe.Client(), []float32{2, -3}, inputs); err != nil {
		return nil, err
	}
	defer model.Weights.Close() // Bound keeps what it needs
	if model.Bias, err = pjrt.FromScalar(ctx, exe.Client(), float32(1)); err != nil {
		return nil, err
	}
	defer model.Bias.Close()
	args, err := params.Arguments(model)
	if err != nil {
		return nil, err
	}
	return exe.Bind(ctx, args...)
}

// handler serves predictions and the health of the server.
func handler(b *batcher) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /predict", func(w http.ResponseWriter, r *http.Request) {
		var row []float32
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&row); err != nil {
			http.Error(w, "the body is not a JSON array of numbers: "+err.Error(), http.StatusBadRequest)
			return
		}
		if len(row) != inputs {
			http.Error(w, fmt.Sprintf("there are %d numbers, not %d", len(row), inputs), http.StatusBadRequest)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		value, err := b.predict(ctx, [inputs]float32(row))
		if err != nil {
			fail(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(value) // the client is gone if this fails
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		// A prediction shows that the device still works, and that the queue has room.
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		if _, err := b.predict(ctx, [inputs]float32{}); err != nil {
			fail(w, err)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}

// fail answers with the status that suits an error.
func fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, errBusy), errors.Is(err, errStopped), errors.Is(err, pjrt.ErrResourceExhausted):
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "1")
	case errors.Is(err, context.DeadlineExceeded):
		status = http.StatusGatewayTimeout
	}
	http.Error(w, err.Error(), status)
}
