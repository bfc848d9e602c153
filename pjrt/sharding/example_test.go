// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package sharding_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// The columns of a matrix are spread over the second axis. Devices that differ only
// along the first axis get the same part.
func ExampleMesh() {
	ctx := context.Background()
	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	mesh, err := sharding.NewMesh(client.AddressableDevices()[:4], sharding.Axis{Name: "x", Size: 2}, sharding.Axis{Name: "y", Size: 2})
	if err != nil {
		log.Fatal(err)
	}
	array := pjrt.ArrayOf([]int32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 4)
	scattered, err := mesh.Scatter(ctx, array, sharding.Partition{"", "y"})
	if err != nil {
		log.Fatal(err)
	}
	defer scattered.Close()
	for _, part := range scattered.Buffers() {
		s, err := pjrt.ToSlice[int32](ctx, part)
		fmt.Println(part.Shape(), s, err)
	}
	whole, err := scattered.Gather(ctx)
	fmt.Println(whole, err)
	// Output:
	// i32[2,2] [1 2 5 6] <nil>
	// i32[2,2] [3 4 7 8] <nil>
	// i32[2,2] [1 2 5 6] <nil>
	// i32[2,2] [3 4 7 8] <nil>
	// [[1 2 3 4]
	//  [5 6 7 8]] <nil>
}

// The program says how it is divided: the rows of x and of the result over two devices. Run
// cuts the argument and puts the result together.
func ExampleExecutable_Run() {
	const program = `module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<4x2xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"})
      -> (tensor<4x2xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}) {
    %y = stablehlo.add %x, %x : tensor<4x2xf32>
    return %y : tensor<4x2xf32>
  }
}`
	ctx := context.Background()
	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	compiled, err := client.Compile(ctx, pjrt.Program{Code: []byte(program)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer compiled.Close()
	exe, err := sharding.Of(compiled)
	if err != nil {
		log.Fatal(err)
	}
	results, err := exe.Run(ctx, pjrt.ArrayOf([]float32{1, 2, 3, 4, 5, 6, 7, 8}, 4, 2))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(exe.Results()[0], "of", exe.ResultShapes()[0])
	fmt.Println(results[0])
	// Output:
	// {devices=[2,1]0,1} of f32[4,2]
	// [[ 2.  4.]
	//  [ 6.  8.]
	//  [10. 12.]
	//  [14. 16.]]
}
