// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package safetensors_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
)

// Copy the weights of a model from a file to a device.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "weights")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "model.safetensors")
	weights := map[string]pjrt.HostArray{"bias": pjrt.ArrayOf([]float32{0.5, 1.5}, 2)}
	if err := safetensors.WriteFile(name, weights, nil); err != nil {
		log.Fatal(err)
	}

	path, err := plugins.Install(ctx, "cpu", plugins.InstallOptions{})
	if err != nil {
		log.Fatal(err)
	}
	plugin, err := pjrt.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	f, err := safetensors.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	var layer struct{ Bias *pjrt.Buffer }
	if err := f.LoadInto(ctx, client, &layer, nil); err != nil {
		log.Fatal(err)
	}
	defer layer.Bias.Close()
	values, err := pjrt.ToSlice[float32](ctx, layer.Bias)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(layer.Bias.Shape(), values)
	// Output: f32[2] [0.5 1.5]
}
