// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package profiler_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/purepjrt/purepjrt/extensions/profiler"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// A profile shows what the process did in a step, for ui.perfetto.dev and
// TensorBoard.
func ExampleRecord() {
	ctx := context.Background()
	plugin, err := plugins.Load(ctx, "cpu")
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	r, err := profiler.Record(plugin)
	if err != nil {
		log.Fatal(err)
	}
	end := r.Region("step 1")
	b, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	if err := b.Close(); err != nil {
		log.Fatal(err)
	}
	end()
	profile, err := r.Stop()
	if err != nil {
		log.Fatal(err)
	}

	dir, err := os.MkdirTemp("", "logs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	folder, err := profile.WriteFiles(dir)
	if err != nil {
		log.Fatal(err)
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range profile.Spans {
		fmt.Println(s.Kind, s.Program, s.Bytes)
	}
	for _, f := range files {
		fmt.Println(filepath.Base(f.Name()))
	}
	// Output:
	// region step 1 0
	// upload  12
	// host.xplane.pb
	// trace.json
}
