// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlirtest

import (
	"archive/zip"
	"bytes"
	_ "embed" // for forms.zip
	"io"
	"strings"
	"sync"
)

//go:embed forms.zip
var forms []byte

var archive = sync.OnceValues(func() (*zip.Reader, error) {
	return zip.NewReader(bytes.NewReader(forms), int64(len(forms)))
})

// The forms of Forms besides text.
const (
	FormBytecode = ".mlirbc"        // of the dialects func and stablehlo
	FormOldest   = "-0.9.0.mlirbc"  // a portable artifact, without properties
	FormPortable = "-1.13.3.mlirbc" // a portable artifact with properties
	FormHLO      = ".hlo.pb"        // a HloModuleProto
)

// Forms returns a program of Dangers in the other formats that plugins read, by form, and its text
// when they were made. forms.py says how to make them again after a change to Dangers.
func Forms(name string) (list map[string][]byte, text string, err error) {
	archive, err := archive()
	if err != nil {
		return nil, "", err
	}
	list = make(map[string][]byte)
	for _, f := range archive.File {
		form, ok := strings.CutPrefix(f.Name, name)
		if !ok || !strings.ContainsAny(form[:1], ".-") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, "", err
		}
		code, err := io.ReadAll(r)
		if err != nil {
			return nil, "", err
		}
		if form == ".mlir" {
			text = string(code)
		} else {
			list[form] = code
		}
	}
	return list, text, nil
}
