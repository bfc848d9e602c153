// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi/describe"
)

// tracer logs calls. Each line goes to the file at once.
type tracer struct {
	out     *writer
	format  TraceFormat
	started time.Time
	text    int
	begins  bool
	pid     int
}

func newTracer(c *Config, started time.Time) (*tracer, error) {
	out, err := c.openOutput("Trace", c.Trace)
	if err != nil {
		return nil, err
	}
	t := &tracer{out: out, format: c.TraceFormat, started: started, text: c.TraceText, begins: c.TraceBegin, pid: os.Getpid()}
	if t.format == "" {
		t.format = formatOf(c.Trace)
	}
	if t.format == FormatChrome {
		t.line(func(b []byte) []byte {
			b = append(b, `[{"name":"process_name","ph":"M","pid":`...)
			b = strconv.AppendInt(b, int64(t.pid), 10)
			b = append(b, `,"tid":0,"args":{"name":`...)
			b = describe.AppendJSONString(b, "PJRT calls of "+filepath.Base(os.Args[0]))
			return append(b, "}}"...)
		})
	}
	return t, nil
}

// formatOf returns the format for the name of a file.
func formatOf(name string) TraceFormat {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".jsonl", ".ndjson":
		return FormatJSON
	case ".json", ".perfetto", ".chrome":
		return FormatChrome
	}
	return FormatText
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// line writes the text that fill appends in one piece.
func (t *tracer) line(fill func(b []byte) []byte) {
	p := buffers.Get().(*[]byte)
	b := append(fill((*p)[:0]), '\n')
	t.out.write(b)
	*p = b
	buffers.Put(p)
}

// event writes an event of a Chrome trace. If the process is killed, the closing bracket is
// missing, but the file is still a valid trace.
func (t *tracer) event(fill func(b []byte) []byte) {
	t.line(func(b []byte) []byte { return fill(append(b, ',')) })
}

// begin formats the arguments of a call before the plugin can change them and, if asked for, writes
// that the call begins.
func (t *tracer) begin(k *call) {
	if k.view.Struct != nil {
		p := buffers.Get().(*[]byte)
		k.arguments = p
		*p = t.form(k, t.format != FormatText).Append((*p)[:0], k.view, describe.In)
	}
	if !t.begins {
		return
	}
	at := time.Since(t.started)
	switch t.format {
	case FormatChrome:
		t.event(func(b []byte) []byte { return append(t.chrome(b, k, "B", at), '}') })
	case FormatJSON:
		t.line(func(b []byte) []byte {
			b = append(b, `{"begin":`...)
			b = strconv.AppendUint(b, k.number, 10)
			b = t.head(b, k, at)
			return append(t.in(b, k), '}')
		})
	default:
		t.line(func(b []byte) []byte { return append(t.signature(b, k, at), " ..."...) })
	}
}

// end writes a call with its results.
func (t *tracer) end(k *call) {
	at := k.started.Sub(t.started)
	switch {
	case t.format == FormatChrome && t.begins:
		t.event(func(b []byte) []byte { return t.arguments(t.chrome(b, k, "E", at+k.duration), k) })
	case t.format == FormatChrome:
		t.event(func(b []byte) []byte {
			b = t.chrome(b, k, "X", at)
			b = append(b, `,"dur":`...)
			return t.arguments(micros(b, k.duration), k)
		})
	case t.format == FormatJSON:
		t.line(func(b []byte) []byte {
			b = append(b, `{"call":`...)
			b = strconv.AppendUint(b, k.number, 10)
			b = t.head(b, k, at)
			b = t.in(b, k)
			b = t.outcome(b, k)
			b = append(b, `,"duration_ns":`...)
			b = strconv.AppendInt(b, int64(k.duration), 10)
			return append(b, '}')
		})
	default:
		t.line(func(b []byte) []byte {
			b = append(t.signature(b, k, at), " -> "...)
			switch {
			case k.err != nil:
				b = append(b, k.err.code.String()...)
				b = append(b, ' ')
				b = describe.AppendJSONString(b, k.err.message)
			default:
				n := len(b)
				if k.view.Struct != nil {
					b = t.form(k, false).Append(b, k.view, describe.Out)
				}
				if len(b) == n {
					b = append(b, "ok"...)
				}
			}
			b = append(b, "  "...)
			return append(b, short(int64(k.duration))...)
		})
	}
	if k.arguments != nil {
		buffers.Put(k.arguments)
	}
}

func (t *tracer) form(k *call, json bool) *describe.Format {
	return &describe.Format{JSON: json, MaxText: t.text, Inner: k.inner}
}

// signature appends the start of a text line: seconds since the start, the numbers of the call and
// the thread, the function and its arguments.
func (t *tracer) signature(b []byte, k *call, at time.Duration) []byte {
	b = strconv.AppendFloat(b, at.Seconds(), 'f', 6, 64)
	b = append(b, " #"...)
	b = strconv.AppendUint(b, k.number, 10)
	b = append(b, " ["...)
	b = strconv.AppendUint(b, k.thread, 10)
	b = append(b, "] "...)
	b = append(b, k.function.Name...)
	b = append(b, '(')
	if k.arguments != nil {
		b = append(b, *k.arguments...)
	} else {
		b = append(b, "null"...)
	}
	return append(b, ')')
}

// head appends the members of a JSON object that all lines have.
func (t *tracer) head(b []byte, k *call, at time.Duration) []byte {
	b = append(b, `,"function":"`...)
	b = append(b, k.function.Name...)
	b = append(b, `","thread":`...)
	b = strconv.AppendUint(b, k.thread, 10)
	b = append(b, `,"time":"`...)
	b = t.started.Add(at).UTC().AppendFormat(b, time.RFC3339Nano)
	return append(b, '"')
}

// in appends the arguments as a member.
func (t *tracer) in(b []byte, k *call) []byte {
	if k.arguments == nil {
		return append(b, `,"args":null`...)
	}
	b = append(b, `,"args":{`...)
	return append(append(b, *k.arguments...), '}')
}

// outcome appends the results, or the error, as a member.
func (t *tracer) outcome(b []byte, k *call) []byte {
	switch {
	case k.err == nil && k.view.Struct == nil:
		return append(b, `,"results":null`...)
	case k.err == nil:
		b = append(b, `,"results":{`...)
		return append(t.form(k, true).Append(b, k.view, describe.Out), '}')
	}
	b = append(b, `,"error":{"code":"`...)
	b = append(b, k.err.code.String()...)
	b = append(b, `","message":`...)
	b = describe.AppendJSONString(b, k.err.message)
	return append(b, '}')
}

// chrome appends the beginning of an event.
func (t *tracer) chrome(b []byte, k *call, phase string, at time.Duration) []byte {
	b = append(b, `{"name":"`...)
	b = append(b, k.function.Name...)
	b = append(b, `","cat":"`...)
	b = append(b, k.function.Section.String()...)
	b = append(b, `","ph":"`...)
	b = append(b, phase...)
	b = append(b, `","pid":`...)
	b = strconv.AppendInt(b, int64(t.pid), 10)
	b = append(b, `,"tid":`...)
	b = strconv.AppendUint(b, k.thread, 10)
	b = append(b, `,"ts":`...)
	return micros(b, at)
}

// arguments appends the details that Perfetto shows for an event, and ends the event.
func (t *tracer) arguments(b []byte, k *call) []byte {
	b = append(b, `,"args":{"call":`...)
	b = strconv.AppendUint(b, k.number, 10)
	b = t.in(b, k)
	return append(t.outcome(b, k), "}}"...)
}

func micros(b []byte, d time.Duration) []byte {
	return strconv.AppendFloat(b, float64(d)/1e3, 'f', 3, 64)
}

// summary writes the summary of all calls.
func (t *tracer) summary(list []*stats) {
	switch t.format {
	case FormatChrome:
		t.event(func(b []byte) []byte {
			b = append(b, `{"name":"summary","ph":"i","s":"p","pid":`...)
			b = strconv.AppendInt(b, int64(t.pid), 10)
			b = append(b, `,"tid":0,"ts":`...)
			b = micros(b, time.Since(t.started))
			b = append(b, `,"args":`...)
			return append(summaryJSON(b, list), '}')
		})
	case FormatJSON:
		t.line(func(b []byte) []byte { return append(summaryJSON(append(b, `{"summary":`...), list), '}') })
	default:
		t.out.write(appendSummary(nil, list, "# "))
	}
}

// finish ends the file.
func (t *tracer) finish() error {
	if t.format == FormatChrome {
		t.out.write([]byte("]\n"))
	}
	return t.out.finish()
}

// summaryJSON appends an object with a member for each function.
func summaryJSON(b []byte, list []*stats) []byte {
	b = append(b, '{')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, s.name...)
		b = append(b, `":{"calls":`...)
		b = strconv.AppendInt(b, s.calls.Load(), 10)
		b = append(b, `,"errors":`...)
		b = strconv.AppendInt(b, s.errors.Load(), 10)
		b = append(b, `,"total_ns":`...)
		b = strconv.AppendInt(b, s.nanos.Load(), 10)
		b = append(b, `,"longest_ns":`...)
		b = strconv.AppendInt(b, s.worst.Load(), 10)
		b = append(b, '}')
	}
	return append(b, '}')
}
