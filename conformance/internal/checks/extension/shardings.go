// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// sharded splits its argument over two partitions, replicated does not.
const (
	sharded = `module @long attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<8x128xf32> {mhlo.sharding = "{devices=[2,1]0,1}"}) -> (tensor<8x128xf32> {mhlo.sharding = "{devices=[2,1]0,1}"}) {
    %0 = stablehlo.add %a, %a : tensor<8x128xf32>
    return %0 : tensor<8x128xf32>
  }
}`
	replicated = `module @long attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<8x128xf32> {mhlo.sharding = "{replicated}"}, %b: tensor<8x128xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<8x128xf32> {mhlo.sharding = "{replicated}"}, tensor<8x128xf32> {mhlo.sharding = "{replicated}"}) {
    return %a, %b : tensor<8x128xf32>, tensor<8x128xf32>
  }
}`
)

// parameterShardings returns the serialized OpShardings, nil when the plugin says that it
// does not know them.
func parameterShardings(t *check.T, e *capi.Executable) []string {
	out := check.Call(t, capi.ShardingsExecutableParameterShardingsArgs{Executable: e})
	return shardings(t, out.Shardings, out.ShardingSizes, out.NumParameters, "parameter")
}

func outputShardings(t *check.T, e *capi.Executable) []string {
	out := check.Call(t, capi.ShardingsExecutableOutputShardingsArgs{Executable: e})
	return shardings(t, out.Shardings, out.ShardingSizes, out.NumOutputs, "output")
}

func shardings(t *check.T, p **byte, sizes *uintptr, n uintptr, what string) []string {
	if p == nil {
		return nil
	}
	if n > 1<<16 || n > 0 && sizes == nil {
		t.Fatalf("%s shardings: %d at %v with sizes at %v", what, n, p, sizes)
	}
	list := check.Texts(p, sizes, n)
	for i, s := range list {
		if s == "" { // an OpSharding of type REPLICATED has no fields
			continue
		}
		if err := malformed([]byte(s)); err != nil {
			t.Errorf("%s sharding %d: %d bytes are not an OpSharding: %v", what, i, len(s), err)
		}
	}
	return list
}

// kind returns the type of a serialized OpSharding: 0 is replicated, 3 tiled.
func kind(sharding string) uint64 {
	for f, err := range wire.Fields([]byte(sharding)) {
		if err == nil && f.Is(1, wire.Varint) {
			return f.Int
		}
	}
	return 0
}

// partitioned compiles for two partitions.
func partitioned(t *check.T, text string) *capi.Executable {
	if !noClient(t) && len(t.Client().Devices) < 2 {
		t.SkipEnvf("needs two devices")
	}
	return compiled(t, text, check.Devices(1, 2))
}

// ofLength fails the check if shardings are given and their number is wrong.
func ofLength(t *check.T, want int, list []string, what string) {
	if list != nil {
		check.Equal(t, want, len(list), "number of %s shardings", what)
	}
}

var shardingChecks = []check.Check{
	{Rule: "XSH-01", Library: true, Run: func(t *check.T) {
		one := parameterShardings(t, compiled(t, check.AddOne, check.Devices(1, 1)))
		sum := parameterShardings(t, compiled(t, check.Add, check.Devices(1, 1)))
		ofLength(t, 2, sum, "parameter")
		two := parameterShardings(t, partitioned(t, replicated))
		ofLength(t, 1, one, "parameter")
		ofLength(t, 2, two, "parameter")
		if one == nil && two == nil {
			t.SkipUnimplf("the plugin does not tell shardings")
		}
	}},
	{Rule: "XSH-02", Library: true, Run: func(t *check.T) {
		one := outputShardings(t, compiled(t, check.Add, check.Devices(1, 1))) // of two parameters
		ofLength(t, 1, one, "output")
		list := outputShardings(t, partitioned(t, replicated))
		ofLength(t, 2, list, "output")
		for _, s := range list {
			if k := kind(s); k == 3 {
				t.Errorf("the sharding of a replicated result: expected replicated, got the type %d", k)
			}
		}
		if one == nil && list == nil {
			t.SkipUnimplf("the plugin does not tell shardings")
		}
	}},
	{Rule: "XSH-03", Library: true, Run: func(t *check.T) {
		e := partitioned(t, sharded)
		out := check.Call(t, capi.ShardingsExecutableOutputShardingsArgs{Executable: e})
		if out.Shardings == nil {
			t.SkipUnimplf("the plugin does not tell shardings")
		}
		first := fmt.Sprintf("%x", check.Texts(out.Shardings, out.ShardingSizes, out.NumOutputs))
		other := compiled(t, check.AddOne, check.Devices(1, 1))
		check.Steady(t, "executable", []*capi.Executable{e, other}, func(out capi.ShardingsExecutableParameterShardingsArgs) any {
			return check.Texts(out.Shardings, out.ShardingSizes, out.NumParameters)
		})
		for range 10 {
			outputShardings(t, other)
			parameterShardings(t, e)
			check.Equal(t, first, fmt.Sprintf("%x", outputShardings(t, e)), "shardings that are asked for again")
		}
		outputShardings(t, other)
		check.Equal(t, first, fmt.Sprintf("%x", check.Texts(out.Shardings, out.ShardingSizes, out.NumOutputs)),
			"shardings of an earlier call")
	}},
	{Rule: "XSH-04", Library: true, Run: func(t *check.T) {
		e := partitioned(t, sharded)
		in, out := parameterShardings(t, e), outputShardings(t, e)
		if in == nil && out == nil {
			t.SkipUnimplf("the plugin does not tell shardings")
		}
		for what, list := range map[string][]string{"parameter": in, "output": out} {
			if len(list) != 1 {
				t.Errorf("%s of a program with a sharded argument and result: expected one sharding, got %d", what, len(list))
			} else if k := kind(list[0]); k != 3 {
				t.Errorf("%s: expected a tiled sharding, type 3, got the type %d", what, k)
			}
		}
	}},
}

var metadataChecks = []check.Check{
	{Rule: "XXMD-01", Library: true, Run: func(t *check.T) {
		e := compiled(t, check.AddOne, check.Devices(1, 1))
		for range 2 {
			m := check.Call(t, capi.ExecutableMetadataGetExecutableMetadataArgs{Executable: e}).Metadata
			if m == nil {
				t.Fatalf("get_executable_metadata: success without metadata")
			}
			isMessage(t, capi.Bytes(m.SerializedMetadata, m.SerializedMetadataSize), "the metadata")
			check.Call(t, capi.ExecutableMetadataDestroySerializedMetadataArgs{Metadata: m})
		}
		// Several are there at a time, of two executables.
		two := []*capi.Executable{e, compiled(t, check.Pair, check.Devices(1, 1))}
		var list []*capi.ExecutableMetadata
		var was []string
		expect := func(when string) {
			for i, m := range list {
				if m != nil {
					check.Equal(t, fmt.Sprintf("%x", was[i]), fmt.Sprintf("%x", capi.Bytes(m.SerializedMetadata, m.SerializedMetadataSize)),
						"the metadata of call %d of 4, %s", i+1, when)
				}
			}
		}
		for i := range 4 {
			m := check.Call(t, capi.ExecutableMetadataGetExecutableMetadataArgs{Executable: two[i%2]}).Metadata
			if m == nil {
				t.Fatalf("get_executable_metadata, call %d: success without metadata", i+1)
			}
			list, was = append(list, m), append(was, capi.String(m.SerializedMetadata, m.SerializedMetadataSize))
			expect("after a later call")
		}
		for _, i := range []int{2, 0, 3, 1} {
			check.Call(t, capi.ExecutableMetadataDestroySerializedMetadataArgs{Metadata: list[i]})
			list[i] = nil
			expect(fmt.Sprintf("after that of call %d was destroyed", i+1))
		}
	}},
}

var unregisteredChecks = []check.Check{
	{Rule: "XSPEC-01", Library: true, Run: func(t *check.T) {
		n := 0
		for _, x := range t.Table().Extensions() {
			if x.Type == capi.ExtensionTypeUnknown || x.Type > capi.ExtensionTypeXLATransform || x.Type < 0 {
				n++
				t.Notef("an extension of the type %d, of %d bytes, is not of this interface", x.Type, x.Size)
			}
		}
		if n == 0 {
			t.SkipUnimplf("the plugin has no extensions of its own")
		}
		if noClient(t) {
			compiled(t, check.AddOne, check.Devices(1, 1))
			return
		}
		survived(t)
	}},
}
