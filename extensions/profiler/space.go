// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package profiler

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Space is a decoded profile: an XSpace message.
type Space struct {
	Planes           []Plane
	Errors, Warnings []string // what the plugin could not record, and why
	Hosts            []string
}

// Plane is one source of events, such as /device:TPU:0 or /host:CPU.
type Plane struct {
	ID    int64
	Name  string
	Lines []Line
	Stats map[string]any // int64, uint64, float64, string or []byte
}

// Line is a sequence of events, such as those of a thread or of a stream.
type Line struct {
	ID     int64
	Name   string
	Start  int64 // nanoseconds, usually since 1970
	Events []Event
}

// Event is something that happened on a line.
type Event struct {
	Name     string
	Offset   int64 // picoseconds since the Start of the line
	Duration int64 // picoseconds
	// Occurrences is not 0 if the event stands for several whose times are not known.
	Occurrences int64
	Stats       map[string]any // int64, uint64, float64, string or []byte
}

// Field numbers of tsl/profiler/protobuf/xplane.proto.
const (
	spacePlanes   = 1 // XSpace
	spaceErrors   = 2
	spaceWarnings = 3
	spaceHosts    = 4

	planeID     = 1 // XPlane
	planeName   = 2
	planeLines  = 3
	planeEvents = 4
	planeStats  = 5
	planeOwn    = 6

	lineID          = 1 // XLine
	lineName        = 2
	lineTimestamp   = 3
	lineEvents      = 4
	lineDisplayName = 11

	eventKind        = 1 // XEvent
	eventOffset      = 2
	eventDuration    = 3
	eventStats       = 4
	eventOccurrences = 5

	statKind   = 1 // XStat
	statDouble = 2
	statUint   = 3
	statInt    = 4
	statString = 5
	statBytes  = 6
	statRef    = 7

	kindID      = 1 // XEventMetadata, XStatMetadata
	kindName    = 2
	kindDisplay = 4

	entryKey   = 1 // an entry of a map
	entryValue = 2
)

// Decode reads a profile: what [Profiler.Data] and [Profile.XSpace] return, and .xplane.pb
// files contain.
func Decode(data []byte) (*Space, error) {
	s := new(Space)
	err := visit(data, func(f field) error {
		switch f.number {
		case spacePlanes:
			p, err := decodePlane(f.bytes)
			s.Planes = append(s.Planes, p)
			return err
		case spaceErrors:
			s.Errors = append(s.Errors, string(f.bytes))
		case spaceWarnings:
			s.Warnings = append(s.Warnings, string(f.bytes))
		case spaceHosts:
			s.Hosts = append(s.Hosts, string(f.bytes))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("profiler: the bytes are not an XSpace: %w", err)
	}
	return s, nil
}

// names are the names of the kinds of events and of statistics of a plane.
type names struct{ events, stats map[int64]string }

func decodePlane(b []byte) (Plane, error) {
	var p Plane
	kinds := names{make(map[int64]string), make(map[int64]string)}
	// The names come after the things they name.
	err := visit(b, func(f field) error {
		switch f.number {
		case planeID:
			p.ID = int64(f.word)
		case planeName:
			p.Name = string(f.bytes)
		case planeEvents:
			return decodeKind(f.bytes, kinds.events)
		case planeStats:
			return decodeKind(f.bytes, kinds.stats)
		}
		return nil
	})
	if err != nil {
		return p, err
	}
	err = visit(b, func(f field) (err error) {
		switch f.number {
		case planeLines:
			l, err := kinds.line(f.bytes)
			p.Lines = append(p.Lines, l)
			return err
		case planeOwn:
			p.Stats, err = kinds.stat(p.Stats, f.bytes)
		}
		return err
	})
	return p, err
}

// decodeKind reads an entry of the map from numbers to names.
func decodeKind(entry []byte, into map[int64]string) error {
	var key int64
	var name, display string
	err := visit(entry, func(f field) error {
		switch f.number {
		case entryKey:
			key = int64(f.word)
		case entryValue:
			return visit(f.bytes, func(f field) error {
				switch f.number {
				case kindName:
					name = string(f.bytes)
				case kindDisplay:
					display = string(f.bytes)
				}
				return nil
			})
		}
		return nil
	})
	if name == "" {
		name = display
	}
	into[key] = name
	return err
}

func (n names) line(b []byte) (Line, error) {
	var l Line
	display := ""
	err := visit(b, func(f field) error {
		switch f.number {
		case lineID:
			l.ID = int64(f.word)
		case lineName:
			l.Name = string(f.bytes)
		case lineDisplayName:
			display = string(f.bytes)
		case lineTimestamp:
			l.Start = int64(f.word)
		case lineEvents:
			e, err := n.event(f.bytes)
			l.Events = append(l.Events, e)
			return err
		}
		return nil
	})
	if display != "" {
		l.Name = display
	}
	return l, err
}

func (n names) event(b []byte) (Event, error) {
	var e Event
	err := visit(b, func(f field) (err error) {
		switch f.number {
		case eventKind:
			e.Name = n.events[int64(f.word)]
		case eventOffset:
			e.Offset = int64(f.word)
		case eventDuration:
			e.Duration = int64(f.word)
		case eventOccurrences:
			e.Occurrences = int64(f.word)
		case eventStats:
			e.Stats, err = n.stat(e.Stats, f.bytes)
		}
		return err
	})
	return e, err
}

// stat adds a statistic to a map.
func (n names) stat(to map[string]any, b []byte) (map[string]any, error) {
	var name string
	var value any
	err := visit(b, func(f field) error {
		switch f.number {
		case statKind:
			name = n.stats[int64(f.word)]
		case statDouble:
			value = math.Float64frombits(f.word)
		case statUint:
			value = f.word
		case statInt:
			value = int64(f.word)
		case statString:
			value = string(f.bytes)
		case statBytes:
			value = append([]byte{}, f.bytes...)
		case statRef:
			value = n.stats[int64(f.word)]
		}
		return nil
	})
	if to == nil {
		to = make(map[string]any)
	}
	to[name] = value
	return to, err
}

// field is a field of a message.
type field struct {
	number protowire.Number
	bytes  []byte // of a field that has a length
	word   uint64 // of other fields
	raw    []byte // with its tag
}

// visit calls each with the fields of a message.
func visit(b []byte, each func(field) error) error {
	for len(b) > 0 {
		n, t, tag := protowire.ConsumeTag(b)
		if tag < 0 {
			return protowire.ParseError(tag)
		}
		f := field{number: n}
		length := 0
		switch value := b[tag:]; t {
		case protowire.BytesType:
			f.bytes, length = protowire.ConsumeBytes(value)
		case protowire.VarintType:
			f.word, length = protowire.ConsumeVarint(value)
		case protowire.Fixed64Type:
			f.word, length = protowire.ConsumeFixed64(value)
		default:
			length = protowire.ConsumeFieldValue(n, t, value)
		}
		if length < 0 {
			return protowire.ParseError(length)
		}
		f.raw = b[:tag+length]
		if err := each(f); err != nil {
			return err
		}
		b = b[tag+length:]
	}
	return nil
}
