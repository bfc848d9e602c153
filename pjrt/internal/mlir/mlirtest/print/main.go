// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Print writes the programs of mlirtest.Dangers as JSON, for forms.py.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/purepjrt/purepjrt/pjrt/internal/mlir/mlirtest"
)

func main() {
	programs := make(map[string]string)
	for _, d := range mlirtest.Dangers() {
		programs[d.Name] = d.Code
	}
	if err := json.NewEncoder(os.Stdout).Encode(programs); err != nil {
		log.Fatal(err)
	}
}
