// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package profiler

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/pjrt"
)

// Profile is a finished recording.
type Profile struct {
	Begin, End time.Time
	Spans      []Span   // ordered by start
	Samples    []Sample // ordered by time

	plugins [][]byte // an XSpace from each plugin that has a profiler
}

// hostPlane is the name of the plane in which TensorBoard and xprof show the host's threads.
const hostPlane = "/host:CPU"

// track is a row of spans that lie beside or within each other.
type track struct {
	of    string // what the spans belong to, such as goroutine 1
	name  string // of, or of followed by a number
	spans []Span
}

// lay puts spans on tracks. A track takes the spans of one name that fit; spans that overlap,
// such as those of executions under way at the same time, get more tracks of that name.
func lay(spans []Span, names func(*Span) []string) []*track {
	spans = slices.Clone(spans)
	slices.SortStableFunc(spans, func(a, b Span) int {
		// Of spans that begin together, the longer one encloses the other.
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(b.Duration, a.Duration))
	})
	type tracks struct {
		rows rows
		list []*track
	}
	byName := make(map[string]*tracks)
	var all []*track
	for _, s := range spans {
		start, end := int64(s.Start.Sub(spans[0].Start)), int64(s.Start.Add(s.Duration).Sub(spans[0].Start))
		for _, name := range names(&s) {
			of := byName[name]
			if of == nil {
				of = new(tracks)
				byName[name] = of
			}
			n := of.rows.place(start, end)
			if n == len(of.list) {
				t := &track{of: name, name: name}
				if n > 0 {
					t.name = fmt.Sprintf("%s (%d)", name, n+1)
				}
				of.list, all = append(of.list, t), append(all, t)
			}
			of.list[n].spans = append(of.list[n].spans, s)
		}
	}
	return all
}

// byGoroutine returns what each goroutine did.
func (p *Profile) byGoroutine() []*track {
	return lay(p.Spans, func(s *Span) []string { return []string{fmt.Sprintf("goroutine %d", s.Goroutine)} })
}

// errNothing is the error of writing nothing, or to nowhere.
var errNothing = errors.New("profiler: the profile or its destination is nil")

// byDevice returns what each device did, as Go sees it.
func (p *Profile) byDevice() []*track { return lay(p.Spans, (*Span).on) }

// on returns the devices that a span keeps busy.
func (s *Span) on() []string {
	if s.Kind == pjrt.OperationClient || s.Kind == pjrt.OperationCompile {
		return nil
	}
	return s.Devices
}

// title returns the name of a span on its track.
func (s *Span) title() string {
	if s.Program == "" {
		return string(s.Kind)
	}
	if s.Kind == Region {
		return s.Program
	}
	return string(s.Kind) + " " + s.Program
}

// XSpace returns the profile as a serialized XSpace message, which TensorBoard and xprof read
// from a file whose name ends in .xplane.pb: the planes of the plugins, with the goroutines
// among the host's threads.
func (p *Profile) XSpace() []byte {
	if p == nil {
		return nil
	}
	var space []byte
	added := false
	for _, data := range p.plugins {
		err := visit(data, func(f field) error {
			if f.number == spacePlanes && !added && isHost(f.bytes) {
				added = true
				space = appendMessage(space, spacePlanes, p.appendHost(slices.Clone(f.bytes)))
				return nil
			}
			space = append(space, f.raw...)
			return nil
		})
		if err != nil {
			continue // keep what can be read
		}
	}
	if !added {
		plane := appendMessage(nil, planeName, []byte(hostPlane))
		space = appendMessage(space, spacePlanes, p.appendHost(plane))
	}
	return space
}

func isHost(plane []byte) bool {
	host := false
	_ = visit(plane, func(f field) error { // as far as it can be read
		if f.number == planeName {
			host = string(f.bytes) == hostPlane
		}
		return nil
	})
	return host
}

// appendHost appends the goroutines to the plane of the host.
func (p *Profile) appendHost(plane []byte) []byte {
	// Do not reuse numbers that the plugin has used.
	line, event, stat := uint64(0), uint64(0), uint64(0)
	_ = visit(plane, func(f field) error { // as far as it can be read
		highest := map[protowire.Number]*uint64{planeLines: &line, planeEvents: &event, planeStats: &stat}[f.number]
		if highest == nil {
			return nil
		}
		return visit(f.bytes, func(inner field) error {
			if inner.number == 1 { // the id of a line, and the key of an entry
				*highest = max(*highest, inner.word)
			}
			return nil
		})
	})
	stats := map[string]uint64{"bytes": stat + 1, "error": stat + 2, "devices": stat + 3}
	kinds := make(map[string]uint64)
	for _, t := range p.byGoroutine() {
		line++
		l := appendVarint(nil, lineID, line)
		l = appendMessage(l, lineName, []byte(t.name))
		l = appendVarint(l, lineTimestamp, uint64(p.Begin.UnixNano()))
		for _, s := range t.spans {
			title := s.title()
			if kinds[title] == 0 {
				event++
				kinds[title] = event
			}
			e := appendVarint(nil, eventKind, kinds[title])
			e = appendVarint(e, eventOffset, uint64(max(s.Start.Sub(p.Begin), 0))*1000)
			e = appendVarint(e, eventDuration, uint64(max(s.Duration, 0))*1000)
			if s.Bytes != 0 {
				e = appendMessage(e, eventStats, appendVarint(appendVarint(nil, statKind, stats["bytes"]), statInt, uint64(s.Bytes)))
			}
			if s.Err != nil {
				e = appendMessage(e, eventStats, appendText(stats["error"], s.Err.Error()))
			}
			if len(s.Devices) > 0 {
				e = appendMessage(e, eventStats, appendText(stats["devices"], strings.Join(s.Devices, ", ")))
			}
			l = appendMessage(l, lineEvents, e)
		}
		plane = appendMessage(plane, planeLines, l)
	}
	for _, list := range []struct {
		field protowire.Number
		ids   map[string]uint64
	}{{planeEvents, kinds}, {planeStats, stats}} {
		for _, name := range slices.Sorted(maps.Keys(list.ids)) {
			id := list.ids[name]
			kind := appendMessage(appendVarint(nil, kindID, id), kindName, []byte(name))
			plane = appendMessage(plane, list.field, appendMessage(appendVarint(nil, entryKey, id), entryValue, kind))
		}
	}
	return plane
}

func appendText(kind uint64, text string) []byte {
	return appendMessage(appendVarint(nil, statKind, kind), statString, []byte(strings.ToValidUTF8(text, "?")))
}

func appendVarint(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

func appendMessage(b []byte, n protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), message)
}

// traceEvent is an element of traceEvents in the Trace Event Format. Times are in
// microseconds.
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	Time     float64        `json:"ts"`
	Duration *float64       `json:"dur,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	ID       int            `json:"id,omitempty"`
	Bind     string         `json:"bp,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// The processes of a trace.
const (
	goProcess     = 1
	deviceProcess = 2
	firstPlane    = 3
)

// WriteTrace writes the profile as JSON in the Trace Event Format, which ui.perfetto.dev and
// chrome://tracing open: the goroutines, the devices as Go sees them, the planes of the
// plugins, and the memory in use, all on one clock. An arrow leads from a goroutine's span to
// the device that it keeps busy. Times count from Begin.
func (p *Profile) WriteTrace(w io.Writer) error {
	if p == nil || w == nil {
		return errNothing
	}
	t := &tracer{begin: p.Begin, w: w}
	t.text(`{"displayTimeUnit":"ms","otherData":{"begin":%q},"traceEvents":[`, p.Begin.Format(time.RFC3339Nano))
	arrows := make(map[arrow]int)
	t.process(goProcess, "Go: "+filepath.Base(os.Args[0]), 0)
	for n, track := range p.byGoroutine() {
		t.thread(goProcess, n+1, track.name)
		for _, s := range track.spans {
			t.span(goProcess, n+1, s)
			for _, device := range s.on() {
				id := len(arrows) + 1
				arrows[arrow{s.Start, s.Goroutine, s.Kind, device}] = id
				t.event(traceEvent{Name: "on", Category: "on", Phase: "s", Time: t.at(s.Start), Process: goProcess, Thread: n + 1, ID: id})
			}
		}
	}
	t.process(deviceProcess, "Devices, as Go sees them", 1)
	for n, track := range p.byDevice() {
		t.thread(deviceProcess, n+1, track.name)
		for _, s := range track.spans {
			t.span(deviceProcess, n+1, s)
			if id := arrows[arrow{s.Start, s.Goroutine, s.Kind, track.of}]; id != 0 {
				t.event(traceEvent{
					Name: "on", Category: "on", Phase: "f", Bind: "e", Time: t.at(s.Start), Process: deviceProcess, Thread: n + 1, ID: id,
				})
			}
		}
	}
	for _, s := range p.Samples {
		t.counter(s.Time, "Go heap", map[string]any{"bytes": s.HeapBytes})
		if len(s.Live) > 0 {
			live := make(map[string]any)
			for kind, n := range s.Live {
				live[kind] = n
			}
			t.counter(s.Time, "open objects", live)
		}
		for _, d := range slices.Sorted(maps.Keys(s.DeviceBytes)) {
			t.counter(s.Time, "memory of "+d, map[string]any{"bytes": s.DeviceBytes[d]})
		}
	}
	t.plugins(p.plugins)
	t.text("\n]}\n")
	return t.err
}

// arrow is one end of an arrow between tracks.
type arrow struct {
	start     time.Time
	goroutine uint64
	kind      pjrt.OperationKind
	device    string
}

// tracer writes a trace. After an error it writes nothing more.
type tracer struct {
	begin time.Time
	w     io.Writer
	comma string
	err   error
}

func (t *tracer) text(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

func (t *tracer) event(e traceEvent) {
	b, err := json.Marshal(e)
	if err != nil && t.err == nil {
		t.err = err
	}
	t.text("%s\n%s", t.comma, b)
	t.comma = ","
}

func (t *tracer) at(x time.Time) float64 { return float64(x.Sub(t.begin).Nanoseconds()) / 1000 }

func (t *tracer) process(pid int, name string, order int) {
	t.event(traceEvent{Name: "process_name", Phase: "M", Process: pid, Args: map[string]any{"name": name}})
	t.event(traceEvent{Name: "process_sort_index", Phase: "M", Process: pid, Args: map[string]any{"sort_index": order}})
}

func (t *tracer) thread(pid, tid int, name string) {
	t.event(traceEvent{Name: "thread_name", Phase: "M", Process: pid, Thread: tid, Args: map[string]any{"name": name}})
	t.event(traceEvent{Name: "thread_sort_index", Phase: "M", Process: pid, Thread: tid, Args: map[string]any{"sort_index": tid}})
}

func (t *tracer) span(pid, tid int, s Span) {
	args := make(map[string]any)
	if s.Bytes != 0 {
		args["bytes"] = s.Bytes
	}
	if s.Err != nil {
		args["error"] = s.Err.Error()
	}
	if len(s.Devices) > 0 {
		args["devices"] = s.Devices
	}
	d := float64(s.Duration.Nanoseconds()) / 1000
	t.event(traceEvent{
		Name: s.title(), Category: string(s.Kind), Phase: "X", Time: t.at(s.Start), Duration: &d, Process: pid, Thread: tid, Args: args,
	})
}

func (t *tracer) counter(at time.Time, name string, values map[string]any) {
	t.event(traceEvent{Name: name, Category: "memory", Phase: "C", Time: t.at(at), Process: goProcess, Args: values})
}

// longAgo is earlier than every absolute time in a profile, and later than every time that
// counts from its beginning: the nanoseconds from 1970 to 1973.
const longAgo = 1e17

// plugins writes the planes of the plugins' profiles.
func (t *tracer) plugins(spaces [][]byte) {
	pid := firstPlane
	for _, data := range spaces {
		s, err := Decode(data)
		if err != nil {
			t.event(traceEvent{Name: "a plugin's profile cannot be read: " + err.Error(), Phase: "i", Process: goProcess})
			continue
		}
		for _, plane := range s.Planes {
			if len(plane.Lines) == 0 {
				continue
			}
			t.process(pid, plane.Name, pid)
			tid := 0
			for _, l := range plane.Lines {
				start := float64(l.Start) / 1000
				if l.Start > longAgo {
					start = float64(l.Start-t.begin.UnixNano()) / 1000
				}
				for n, row := range l.rows() {
					tid++
					name := cmp.Or(l.Name, fmt.Sprintf("line %d", l.ID))
					if n > 0 {
						name = fmt.Sprintf("%s (%d)", name, n+1)
					}
					t.thread(pid, tid, name)
					for _, e := range row {
						d := float64(e.Duration) / 1e6
						t.event(traceEvent{
							Name: cmp.Or(e.Name, "?"), Category: "plugin", Phase: "X", Time: start + float64(e.Offset)/1e6, Duration: &d,
							Process: pid, Thread: tid, Args: printable(e.Stats),
						})
					}
				}
			}
			pid++
		}
	}
}

// rows returns the events whose times are known in rows, at least one, within each of which
// they lie beside or within each other. On a thread of a plugin the ends of events may be
// interleaved, by a microsecond.
func (l *Line) rows() [][]Event {
	events := slices.DeleteFunc(slices.Clone(l.Events), func(e Event) bool { return e.Occurrences > 0 })
	slices.SortStableFunc(events, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(b.Duration, a.Duration))
	})
	list := make([][]Event, 1)
	var places rows
	for _, e := range events {
		n := places.place(e.Offset, e.Offset+e.Duration)
		if n == len(list) {
			list = append(list, nil)
		}
		list[n] = append(list[n], e)
	}
	return list
}

// printable returns the statistics that JSON can hold.
func printable(stats map[string]any) map[string]any {
	out := make(map[string]any, len(stats))
	for name, v := range stats {
		switch v := v.(type) {
		case nil, []byte: // bytes are a message that only its writer understands
		case float64:
			if v-v == 0 {
				out[name] = v
			} else {
				out[name] = fmt.Sprint(v)
			}
		default:
			out[name] = v
		}
	}
	return out
}

// WriteFiles writes the profile into a new folder below dir: plugins/profile followed by the
// time, where TensorBoard and xprof look for the profiles in a log directory. The folder has
// host.xplane.pb for them and trace.json for ui.perfetto.dev. WriteFiles returns the path of
// the folder.
func (p *Profile) WriteFiles(dir string) (folder string, err error) {
	if p == nil {
		return "", errNothing
	}
	base := filepath.Join(dir, "plugins", "profile")
	if err := os.MkdirAll(base, 0o777); err != nil {
		return "", err
	}
	name := p.Begin.Format("2006_01_02_15_04_05")
	for n := 2; ; n++ {
		folder = filepath.Join(base, name)
		err := os.Mkdir(folder, 0o777)
		if err == nil {
			break
		}
		if !os.IsExist(err) {
			return "", err
		}
		name = fmt.Sprintf("%s_%d", p.Begin.Format("2006_01_02_15_04_05"), n)
	}
	made := folder
	defer func() {
		if err != nil {
			_ = os.RemoveAll(made) // half a profile is of no use; the disk is probably full
		}
	}()
	if err := os.WriteFile(filepath.Join(folder, "host.xplane.pb"), p.XSpace(), 0o666); err != nil {
		return "", err
	}
	f, err := os.Create(filepath.Join(folder, "trace.json"))
	if err != nil {
		return "", err
	}
	b := bufio.NewWriter(f)
	err = p.WriteTrace(b)
	if err == nil {
		err = b.Flush()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return "", err
	}
	return folder, nil
}
