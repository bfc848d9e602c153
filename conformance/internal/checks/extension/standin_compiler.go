// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// flaws are faults of the stand-in that no hook in front of it can make.
type flaws struct {
	keepsProgram    bool // what a transformation changed is not compiled
	ignoresErrors   bool // of transformations and partitioners
	cleansUp        int  // extra cleanups of each call, or -1 for none
	namesToNUL      bool // names are read to their end, not to their size
	borrowsNames    bool // the memory of a name is read again later
	partitionsOther bool // what a partitioner made is not compiled
	takesItself     bool // a transfer to oneself is not refused
	losesSendErrors bool // a receiver does not learn that the source failed
	forgetsFailure  bool // on_done is told that what failed was sent
	losesEmpty      bool // arrays without elements are never delivered
	cancelsAll      bool // all buffers of a receive are cancelled at once
	deafCancel      bool // a cancelled receive stays as it was
	destroys        int  // extra calls of a descriptor's destructor, or -1 for none
}

// frontEnd precedes the real plugin's compiler: it applies transformations to programs, and
// partitioners to custom calls.
type frontEnd struct {
	flaws
	mu           sync.Mutex
	transforms   []registeredTransform // guarded by mu
	partitioners []registeredSplitter  // guarded by mu
}

// registeredName is a name as the stand-in keeps it.
type registeredName struct {
	text string
	at   *byte // the caller's memory, for a plugin that reads it again
}

type registeredTransform struct {
	name      registeredName
	stage     capi.XLATransformPipelineStage
	callbacks *capi.XLATransformCallbacks
}

// registeredSplitter is a partitioner or, when callbacks is nil, a call that is known to
// treat rows separately.
type registeredSplitter struct {
	name      registeredName
	callbacks *capi.JAXCustomCallPartitionerCallbacks
}

func (f *frontEnd) keep(p *byte, n uintptr) registeredName {
	if f.namesToNUL {
		return registeredName{text: capi.String(p, n+1), at: p}
	}
	return registeredName{text: capi.String(p, n), at: p}
}

// now returns the name as the plugin sees it later.
func (f *frontEnd) now(n registeredName) string {
	if f.borrowsNames {
		return capi.String(n.at, uintptr(len(n.text)))
	}
	return n.text
}

func (f *frontEnd) hooks() []serve.Hook {
	return []serve.Hook{
		mutant.Instead(func(a *capi.RegisterXLATransformArgs) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.transforms = append(f.transforms, registeredTransform{f.keep(a.Name, a.NameSize), a.Stage, a.Callbacks})
		}),
		mutant.Instead(func(a *capi.ClearXLATransformArgs) {
			f.mu.Lock()
			defer f.mu.Unlock()
			name := capi.String(a.Name, a.NameSize)
			i := slices.IndexFunc(f.transforms, func(x registeredTransform) bool { return f.now(x.name) == name && x.stage == a.Stage })
			if a.Cleared = i >= 0; a.Cleared {
				x := f.transforms[i]
				f.transforms = slices.Delete(slices.Clone(f.transforms), i, i+1)
				x.callbacks.Dtor.Call(x.callbacks)
			}
		}),
		mutant.Instead(func(a *capi.XLATransformGetHLOPassPipelineTraceArgs) {
			trace := &trace{text: []byte("\x12\x05split")}
			a.Trace.SerializedTrace, a.Trace.SerializedTraceSize = capi.BytesData(trace.text)
			traces.Store(a.Trace.SerializedTrace, trace)
		}),
		mutant.Instead(func(a *capi.XLATransformDestroyHLOPassPipelineTraceArgs) {
			traces.Delete(a.Trace.SerializedTrace)
		}),
		mutant.Instead(func(a *capi.RegisterCustomPartitionerArgs) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.partitioners = append(f.partitioners, registeredSplitter{f.keep(a.Name, a.NameSize), a.Callbacks})
		}),
		mutant.Instead(func(a *capi.RegisterBatchPartitionableArgs) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.partitioners = append(f.partitioners, registeredSplitter{f.keep(a.Name, a.NameSize), nil})
		}),
		serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) {
			text, err := f.rewrite(capi.String(a.Program.Code, a.Program.CodeSize))
			if err != nil {
				c.FailWith(err)
				return
			}
			program, changed := a.Program, *a.Program
			changed.Code, changed.CodeSize = capi.CString(text), uintptr(len(text))
			a.Program = &changed
			c.Forward()
			a.Program = program
		}),
	}
}

// traces holds those that have not been destroyed.
var traces sync.Map

type trace struct{ text []byte }

// rewrite returns a program after partitioners and transformations.
func (f *frontEnd) rewrite(text string) (string, error) {
	f.mu.Lock()
	transforms, splitters := f.transforms, slices.Clone(f.partitioners)
	f.mu.Unlock()
	for _, s := range splitters {
		var err error
		if text, err = f.split(text, s); err != nil {
			return "", err
		}
	}
	for _, stage := range []capi.XLATransformPipelineStage{preScheduler, postScheduler} {
		for _, x := range transforms {
			if x.stage != stage {
				continue
			}
			changed, err := f.transform(text, x)
			if err != nil && !f.ignoresErrors {
				return "", err
			}
			if err == nil && !f.keepsProgram {
				text = changed
			}
		}
	}
	return text, nil
}

// clean calls the cleanup function of a callback.
func (f *frontEnd) clean(call func()) {
	for range f.cleansUp + 1 {
		call()
	}
}

// transform passes a program to a transformation: as a message with the program's text in
// field 1, without its floats, which are in field 2.
func (f *frontEnd) transform(text string, x registeredTransform) (string, error) {
	module := toModule(text)
	args := &capi.XLATransformArgs{StructSize: capi.XLATransformArgsSize}
	args.HLOModule.Data, args.HLOModule.Size = capi.BytesData(module)
	x.callbacks.TransformHLOModule.Call(x.callbacks, args)
	h := &args.Header
	var err error
	switch {
	case h.HasError:
		err = &capi.Error{Code: h.Code, Message: capi.String(h.ErrorMsg.Data, h.ErrorMsg.Size)}
	case args.Changed:
		text = fromModule(capi.Bytes(args.TransformedHLOModule.Data, args.TransformedHLOModule.Size))
	}
	if h.CleanupFn != 0 {
		f.clean(func() { h.CleanupFn.Call(h.Data) })
	}
	return text, err
}

var denseFloat = regexp.MustCompile(`dense<(-?[0-9.]+(?:e[+-][0-9]+)?)> : tensor<([0-9]+x)*f32>`)

func toModule(text string) []byte {
	var floats []byte
	text = denseFloat.ReplaceAllStringFunc(text, func(s string) string {
		number := denseFloat.FindStringSubmatch(s)[1]
		x, _ := strconv.ParseFloat(number, 32)
		floats = binary.LittleEndian.AppendUint32(floats, math.Float32bits(float32(x)))
		return strings.Replace(s, number, "?", 1)
	})
	return wire.AppendBytes(wire.AppendBytes(nil, 1, text), 2, floats)
}

func fromModule(b []byte) string {
	text, floats := "", []byte(nil)
	for f, err := range wire.Fields(b) {
		switch {
		case err != nil: // the rest is not a message
		case f.Number == 1:
			text = string(f.Bytes)
		default:
			floats = f.Bytes
		}
	}
	for ; len(floats) >= 4; floats = floats[4:] {
		x := math.Float32frombits(binary.LittleEndian.Uint32(floats))
		text = strings.Replace(text, "dense<?>", fmt.Sprintf("dense<%e>", x), 1)
	}
	return text
}

// customCall matches an operation that a splitter may know: the result, the name, the
// operand, the attributes and the type of both.
var customCall = regexp.MustCompile(`(?m)^ *(%\w+) = stablehlo\.custom_call @(\w+)\((%\w+)\) \{(.*)\} : \((tensor<[0-9x]*f32>)\) -> tensor<[0-9x]*f32>$`)

// split makes each device work on its own rows.
func (f *frontEnd) split(text string, s registeredSplitter) (string, error) {
	call := customCall.FindStringSubmatch(text)
	if call == nil || call[2] != f.now(s.name) || !strings.Contains(text, "num_partitions = 2") {
		return text, nil
	}
	whole := call[5]
	rows, rest, _ := strings.Cut(strings.TrimPrefix(whole, "tensor<"), "x")
	n, _ := strconv.Atoi(rows)
	part := fmt.Sprintf("tensor<%dx%s", n/2, rest)
	tiled := "{devices=[2]0,1}"
	if strings.Count(whole, "x") > 1 {
		tiled = "{devices=[2,1]0,1}"
	}
	inner := strings.ReplaceAll(strings.Replace(strings.TrimSpace(call[0]), call[1]+" = ", "", 1), whole, part)
	inner = strings.Replace(inner, "("+call[3]+")", "(%part)", 1)
	function := ""
	if s.callbacks != nil {
		module, err := f.partition(call, s.callbacks)
		if err != nil && !f.ignoresErrors {
			return "", err
		}
		if err != nil || f.partitionsOther {
			module = strings.Replace(half, "stablehlo.add %a, %a", "stablehlo.subtract %a, %a", 1)
		}
		body := module[strings.Index(module, "{")+1 : strings.LastIndex(module, "}")]
		function = strings.Replace(body, "func.func @main", "func.func private @part", 1)
		inner = fmt.Sprintf("func.call @part(%%part) : (%s) -> %s", part, part)
	}
	lines := []string{
		fmt.Sprintf(`%%whole = stablehlo.custom_call @Sharding(%s) {mhlo.sharding = "%s"} : (%s) -> %s`, call[3], tiled, whole, whole),
		fmt.Sprintf(`%%part = stablehlo.custom_call @SPMDFullToShardShape(%%whole) {mhlo.sharding = "{manual}"} : (%s) -> %s`, whole, part),
		"%did = " + inner,
		fmt.Sprintf(`%%done = stablehlo.custom_call @Sharding(%%did) {mhlo.sharding = "{manual}"} : (%s) -> %s`, part, part),
		fmt.Sprintf(`%s = stablehlo.custom_call @SPMDShardToFullShape(%%done) {mhlo.sharding = "%s"} : (%s) -> %s`, call[1], tiled, part, whole),
	}
	text = strings.Replace(text, call[0], strings.Join(lines, "\n"), 1)
	return text[:strings.LastIndex(text, "}")] + function + "}", nil
}

// partition asks a partitioner for the program of one partition.
func (f *frontEnd) partition(call []string, callbacks *capi.JAXCustomCallPartitionerCallbacks) (string, error) {
	operand := make([]capi.JAXCustomCallPartitionerAval, 1)
	text := func(s string) (x capi.JAXCustomCallPartitionerString) {
		x.Data, x.Size = capi.StringData(s)
		return x
	}
	operand[0] = capi.JAXCustomCallPartitionerAval{Shape: text("\x10\x0b\x1a\x01\x08"), HasSharding: true, Sharding: text(string(halved))}
	args := &capi.JAXCustomCallPartitionerPartitionArgs{NumArgs: 1, OpArgs: &operand[0], OpResult: operand[0]}
	args.Header.APIVersion = capi.CustomPartitionerExtensionVersion
	if _, config, ok := strings.Cut(call[4], `backend_config = "`); ok {
		config, _, _ = strings.Cut(config, `"`)
		args.BackendConfig = text(config)
	}
	callbacks.Partition.Call(callbacks, args)
	h := &args.Header
	module, err := capi.String(args.MLIRModule.Data, args.MLIRModule.Size), error(nil)
	if h.HasError {
		err = &capi.Error{Code: h.Code, Message: capi.String(h.ErrorMsg.Data, h.ErrorMsg.Size)}
	}
	if h.CleanupFn != 0 {
		f.clean(func() { h.CleanupFn.Call(h.Data) })
	}
	return module, err
}
