// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/purepjrt/purepjrt/capi"
)

// tritonCompile makes code that is the text of the module, behind a line that says what it
// was compiled for.
func (p *Plugin) tritonCompile(a *capi.TritonCompileArgs) error {
	module := capi.String(a.Module, a.ModuleSize)
	switch {
	case !utf8.ValidString(module) || !strings.Contains(module, "tt.func"):
		return invalid("the module of %d bytes is not MLIR text with a tt.func", len(module))
	case a.ArchName == nil || a.ArchNameSize == 0:
		return invalid("the name of the architecture is empty")
	case a.NumWarps < 1 || a.NumCtas < 1 || a.NumStages < 1:
		return invalid("%d warps, %d blocks and %d stages: each must be at least 1", a.NumWarps, a.NumCtas, a.NumStages)
	}
	code := fmt.Appendf(nil, "// %s: %d warps, %d blocks, %d stages\n%s", capi.String(a.ArchName, a.ArchNameSize),
		a.NumWarps, a.NumCtas, a.NumStages, module)
	// The header does not say how the caller frees the code, so the plugin keeps it.
	p.mu.Lock()
	p.kernels = append(p.kernels, code)
	p.mu.Unlock()
	a.OutAsm, a.OutAsmSize = list(code)
	a.OutSmemBytes, a.OutPath, a.OutPathSize = 0, nil, 0
	return nil
}
