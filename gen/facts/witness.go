// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package facts

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// witnessKey is the key of a document that names the compiler that confirmed it. A
// document without it was measured.
const witnessKey = "witness"

// NoWitness stands for the compiler of facts that no compiler has confirmed.
const NoWitness = "none"

// WithWitness returns the document with the name of the compiler that confirmed it.
func WithWitness(doc map[string]any, compiler string) map[string]any {
	out := map[string]any{witnessKey: compiler}
	for k, v := range doc {
		if k != witnessKey {
			out[k] = v
		}
	}
	return out
}

// Unwitnessed returns the files under dir, the folder of all versions, that hold facts
// without a witness, relative to dir and with slashes.
func Unwitnessed(dir string) ([]string, error) {
	files, err := fs.Glob(os.DirFS(dir), "0.*/*.json")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, file := range files {
		doc, err := ReadDocument(filepath.Join(dir, file))
		if err != nil {
			return nil, err
		}
		if doc[witnessKey] == NoWitness {
			out = append(out, file)
		}
	}
	slices.Sort(out)
	return out, nil
}
