// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// Keep returns a table that writes each program which the plugin is asked to compile into a folder,
// once. The names of the files come from the programs. Workers may share the folder.
func Keep(table *capi.Table, dir string) (*capi.Table, error) {
	keep := func(c *serve.Invocation, p *capi.Program) {
		defer c.Forward()
		if p == nil {
			return
		}
		code := bytes.Clone(capi.Bytes(p.Code, p.CodeSize))
		sum := sha256.Sum256(code)
		name := filepath.Join(dir, "program-"+hex.EncodeToString(sum[:]))
		if _, err := os.Stat(name); err == nil {
			return
		}
		// Another process may read the folder when this one dies.
		f, err := os.CreateTemp(dir, "new-")
		if err != nil {
			return
		}
		_, err = f.Write(code)
		if closing := f.Close(); err == nil && closing == nil {
			_ = os.Rename(f.Name(), name)
		}
	}
	kept, err := serve.Wrap(table,
		serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) { keep(c, a.Program) }),
		serve.Around(func(c *serve.Invocation, a *capi.CompileArgs) { keep(c, a.Program) }))
	if err != nil {
		return nil, err
	}
	return kept.Capi(), nil
}
