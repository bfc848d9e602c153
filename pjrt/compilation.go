// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
	"github.com/purepjrt/purepjrt/pjrt/internal/source"
)

// compilation is the checked input of PJRT_Client_Compile and PJRT_Compile.
type compilation struct {
	code       []byte
	format     string
	suffix     string // of a file with the program
	options    []byte
	parameters []Shape // from the text or the bytecode of the program; nil if not known
	results    int     // how many it has; 0 if that is not known
	arguments  []ShapeLayout
	result     *ShapeLayout // with arguments, the layouts that the caller asked for
}

// obeyed returns an error if the plugin says that the program which it compiled has fewer results
// than the caller's, or other layouts than the caller asked for.
func (c *compilation) obeyed(e *Executable) error {
	if e.numOutputs < c.results {
		return misbehaved((*capi.ExecutableNumOutputsArgs)(nil).Function(), "gave %d outputs for a program that has %d results",
			e.numOutputs, c.results)
	}
	check := func(what string, asked []ShapeLayout, read func() ([]DeviceLayout, error)) error {
		if len(asked) == 1 && asked[0].Tuple != nil {
			asked = asked[0].Tuple
		}
		if len(asked) == 0 {
			return nil
		}
		layouts, err := read()
		if err != nil || len(layouts) != len(asked) {
			return nil
		}
		for i := range asked {
			if got, want := layouts[i].Layout, asked[i].Layout; want != nil && got != nil && got.differs(want, asked[i].Shape) {
				return failed(ErrUnimplemented, "the plugin (%v) compiled the program for the layout %v of %s %d in place of %v: "+
					"leave the layout in the compile options unset", e.plugin, got, what, i, want)
			}
		}
		return nil
	}
	if err := check("argument", c.arguments, e.ParameterLayouts); err != nil || c.result == nil {
		return err
	}
	return check("result", []ShapeLayout{*c.result}, e.OutputLayouts)
}

// explain adds to the error of the plugin, or of a compiler in its place, what the program has to
// do with it.
func (c *compilation) explain(plugin *Plugin, err error) error {
	e := (*Error)(nil)
	if !errors.As(err, &e) {
		return err
	}
	known := explainPartitions(withHint(err))
	if k := (*Error)(nil); errors.As(known, &k) && k != e {
		return known
	}
	switch e.Code {
	case ErrUnknown, ErrInvalidArgument, ErrInternal: // those of parsers
		note := cmp.Or(unsizedNote(e.Message), versionNote(plugin, c.code), sizeNote(len(c.code)))
		if note == "" {
			note = c.textNote(plugin)
		}
		if note == "" {
			break
		}
		explained := *e
		explained.Message = strings.TrimRight(e.Message, "\n") + ": " + note
		return &explained
	}
	return err
}

// newCompilation checks a program and its options for the devices of the target. If ctx can
// end, the result has a copy of the code, which the plugin may still read when the caller has
// gone.
func newCompilation(
	ctx context.Context, plugin *Plugin, program Program, opts *CompileOptions, target optionsTarget,
) (*compilation, error) {
	src, err := program.parse()
	if err != nil {
		return nil, err
	}
	if err := plugin.readAll(ctx, src); err != nil {
		return nil, abandon.Explain(ctx, err, sizeOf(program))
	}
	if opts, err = opts.forProgram(src, target); err != nil {
		return nil, err
	}
	if err := checkDangers(src, opts.devices()); err != nil {
		return nil, err
	}
	options, err := opts.encodeFor(src, target)
	if err != nil {
		return nil, err
	}
	c := &compilation{code: src.Code(), format: src.Format(), suffix: src.Suffix(), options: options}
	c.arguments, c.result = opts.ArgumentLayouts, opts.ResultLayout
	if plugin.quirks().uncompiled {
		c.code = src.Uncompiled()
	}
	if ctx.Done() != nil || source.IsText(c.format, c.code) && !isTerminated(c.code) {
		c.code = terminated(c.code)
	}
	c.parameters = src.Parameters()
	if _, results, ok := src.Counts(); ok {
		c.results = results
	}
	return c, nil
}

// terminated returns a copy of code. Parsers of MLIR look for a NUL byte at the end of text: old
// plugins read up to it, and newer ones end the process over an error that they find behind the
// end. So one follows the copy, and its size does not count it.
func terminated(code []byte) []byte {
	size := len(code)
	out := make([]byte, size+1)
	preempt.Copy(out, code)
	return out[:size]
}

// isTerminated reports whether a NUL byte follows code in its own allocation, as where os.ReadFile
// has read it, or where it was a string. The allocation may be larger by as much as the runtime
// rounds sizes up. What lies further may belong to others, who may write there.
func isTerminated(code []byte) bool {
	const rounding = 8 << 10
	n := len(code)
	return n < cap(code) && cap(code)-n <= rounding && code[:n+1][n] == 0
}

// send calls compile, which gives the program to a compiler, and calls it once more if the compiler
// reads the program only when it is written in another way.
func (c *compilation) send(ctx context.Context, compile func() error) error {
	err := compile()
	e := (*Error)(nil)
	if !errors.As(err, &e) {
		return err
	}
	again := source.Rewritten(ctx, c.format, c.code, e.Message)
	if again == nil {
		return err
	}
	c.code = terminated(again)
	return compile()
}

// program returns the C struct of the program.
func (c *compilation) program() *capi.Program {
	p := &capi.Program{StructSize: capi.ProgramSize}
	p.Code, p.CodeSize = capi.BytesData(c.code)
	p.Format, p.FormatSize = capi.StringData(c.format)
	return p
}
