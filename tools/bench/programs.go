// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/purepjrt/purepjrt/internal/wire"
)

// writePrograms writes the programs that rows need, and the options to compile them, to the
// folder from which all children read them.
func writePrograms(at *place, rows []row) error {
	dir := at.programs
	if whole, _ := split(rows); len(whole) > 0 {
		if err := at.writeJobs(whole); err != nil {
			return err
		}
	}
	texts := map[string]string{"add.mlir": add(2)}
	devices := map[int]bool{1: true}
	for _, r := range rows {
		if strings.HasPrefix(r.job, "devices-") {
			devices[r.param] = true
		}
		switch r.job {
		case "many":
			texts["many.mlir"] = pairs(100)
		case "arguments":
			texts[fmt.Sprintf("arguments-%d.mlir", r.param)] = add(r.param)
		case "constants":
			texts[fmt.Sprintf("constants-%d.mlir", r.param)] = constants(r.param)
		case "devices":
			devices[r.param] = true
		}
	}
	for n := range devices {
		texts[fmt.Sprintf("replicas-%d.options", n)] = string(replicas(n))
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// replicas returns the bytes of a CompileOptionsProto for n devices that each run the whole
// program.
func replicas(n int) []byte {
	build := wire.AppendInt(wire.AppendInt(nil, 4, n), 5, 1) // num_replicas, num_partitions
	const executableBuildOptions = 3
	return wire.AppendBytes(nil, executableBuildOptions, build)
}

// function returns a program whose parameters and results are all f32[4].
func function(parameters, results int, body, returned string) string {
	var list []string
	for i := range parameters {
		list = append(list, fmt.Sprintf("%%a%d: tensor<4xf32>", i))
	}
	types := strings.TrimSuffix(strings.Repeat("tensor<4xf32>, ", results), ", ")
	return fmt.Sprintf("module @program {\n  func.func @main(%s) -> (%s) {\n%s    return %s : %s\n  }\n}\n",
		strings.Join(list, ", "), types, body, returned, types)
}

// add returns a program with some parameters that adds the first and the last.
func add(parameters int) string {
	return function(parameters, 1, fmt.Sprintf("    %%0 = stablehlo.add %%a0, %%a%d : tensor<4xf32>\n", parameters-1), "%0")
}

// pairs returns a program with n results, each the sum of two parameters.
func pairs(n int) string {
	var body strings.Builder
	var returned []string
	for i := range n {
		fmt.Fprintf(&body, "    %%%d = stablehlo.add %%a%d, %%a%d : tensor<4xf32>\n", i, 2*i, 2*i+1)
		returned = append(returned, fmt.Sprintf("%%%d", i))
	}
	return function(2*n, n, body.String(), strings.Join(returned, ", "))
}

// constants returns a program with some MiB of constants, no two of which are equal.
func constants(mib int) string {
	const digits = "0123456789ABCDEF"
	elements := mib << 20 / 4
	text := make([]byte, 0, 8*elements)
	var word [4]byte
	for i := range elements {
		binary.LittleEndian.PutUint32(word[:], uint32(i))
		for _, b := range word {
			text = append(text, digits[b>>4], digits[b&15])
		}
	}
	t := fmt.Sprintf("tensor<%dxi32>", elements)
	return fmt.Sprintf("module @program {\n  func.func @main(%%x: %s) -> %s {\n    %%0 = stablehlo.constant dense<\"0x%s\"> : %s\n"+
		"    %%1 = stablehlo.add %%x, %%0 : %s\n    return %%1 : %s\n  }\n}\n", t, t, text, t, t, t)
}
