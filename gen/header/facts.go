// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"encoding/json"
	"io"
)

// Facts writes the model of the header in the file at path to w as one JSON
// document. On an error nothing is written.
func Facts(w io.Writer, path string, opts Options) error {
	h, err := Parse(path, opts)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(h, "", " ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
