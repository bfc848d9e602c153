// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package recording

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/outside"
)

// Session is a recorded session.
type Session struct {
	Major, Minor int // API version of the plugin
	Steps        []Step
	// Begun has the calls that did not return, in their order, if the recorder wrote them:
	// [Recorder.RecordBegun].
	Begun []*Call
	// Complete says that the recording has an end. Otherwise the process was killed, or is still
	// running.
	Complete bool

	room room
}

// room counts what the lines of a session take in memory. A value of three bytes becomes a map.
type room struct{ values, size int }

// Any session may have smallRoom values, and otherwise one for each valueSize bytes. What recorders
// write has fewer: each value has a name or belongs to a list of handles.
const (
	smallRoom = 1 << 18
	valueSize = 4
)

// take counts the values in a line.
func (r *room) take(text []byte) error {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case !quoted && (c == ',' || c == '[' || c == '{'):
			r.values++
		}
	}
	if r.size += len(text); r.values > smallRoom+r.size/valueSize {
		return errors.New("it has so many small values that they would take many times its size in memory")
	}
	return nil
}

// Step is a call, or the result of a transfer.
type Step struct {
	Line int // in the file
	Call *Call
	Data *Data
}

// Call is a recorded call.
type Call struct {
	Number   uint64
	Function *describe.Function
	Size     uintptr        // struct_size
	In, Out  map[string]any // by the C names of fields, with values as in encoding/json
	Error    *Error         // nil if the call succeeded
	Took     time.Duration
}

// Error is the error of a call.
type Error struct {
	Code    capi.ErrorCode
	Message string
	Handle  string // name of the PJRT_Error; "" for other kinds of errors
}

// Data is the result of a transfer.
type Data struct {
	Call  uint64 // the number of the call that began the transfer
	Type  capi.BufferType
	Bytes []byte
}

// ErrDamaged is the error of a file that is not a session, or not a complete one.
var ErrDamaged = errors.New("the recording is damaged")

// Open reads a session from a file. The error names the line with the mistake.
func Open(path string) (*Session, error) {
	f, err := outside.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", path, ErrDamaged, err)
		}
		r = z
	}
	s, err := Read(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// line is any line of a session.
type line struct {
	Format  string         `json:"format"`
	Version int            `json:"version"`
	API     []int          `json:"api"`
	Call    *uint64        `json:"call"`
	Func    string         `json:"function"`
	Size    uintptr        `json:"size"`
	In      map[string]any `json:"in"`
	Out     map[string]any `json:"out"`
	Error   *errorLine     `json:"error"`
	Begun   bool           `json:"begun"`
	NS      int64          `json:"ns"`
	Data    *uint64        `json:"data"`
	Type    int32          `json:"type"`
	Bytes   any            `json:"bytes"`
	End     *int           `json:"end"`
}

type errorLine struct {
	Code    int32  `json:"code"`
	Message string `json:"message"`
	Handle  string `json:"handle"`
}

// Read reads a session.
func Read(r io.Reader) (*Session, error) {
	s := &Session{}
	in := bufio.NewReaderSize(outside.Reader(r), 1<<16)
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%w: line %d: %w", ErrDamaged, n, err)
		}
		if err == io.EOF {
			switch {
			case n == 1 && len(text) == 0:
				return nil, fmt.Errorf("%w: it is empty", ErrDamaged)
			case len(text) > 0 && n > 1:
				return nil, fmt.Errorf("%w: it ends in the middle of line %d: the process that was recorded was killed while it wrote, or the file was cut off; without that line it can be replayed", ErrDamaged, n)
			case len(text) > 0:
				return nil, fmt.Errorf("%w: line 1 does not belong to a recorded session", ErrDamaged)
			}
			return s, nil
		}
		if s.Complete {
			return nil, fmt.Errorf("%w: line %d: there is more after the end", ErrDamaged, n)
		}
		if err := s.add(n, text); err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrDamaged, n, err)
		}
	}
}

// add parses a line and adds it to the session.
func (s *Session) add(n int, text []byte) error {
	if err := s.room.take(text); err != nil {
		return err
	}
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&l); err != nil {
		if n == 1 {
			return errors.New("it does not belong to a recorded session")
		}
		return err
	}
	if n == 1 {
		switch {
		case l.Format != formatName:
			return errors.New("it does not belong to a recorded session")
		case l.Version != formatVersion:
			return fmt.Errorf("the session has version %d of the format, but this program reads only version %d", l.Version, formatVersion)
		case len(l.API) != 2:
			return errors.New("the API version is missing")
		}
		s.Major, s.Minor = l.API[0], l.API[1]
		return nil
	}
	switch {
	case l.End != nil:
		if *l.End != n-1 {
			return fmt.Errorf("there should be %d lines before it, but there are %d", *l.End, n-1)
		}
		s.Complete = true
		return nil
	case l.Data != nil:
		data, err := bytesOf(l.Bytes)
		if err != nil {
			return err
		}
		s.Steps = append(s.Steps, Step{Line: n, Data: &Data{*l.Data, capi.BufferType(l.Type), data}})
		return nil
	case l.Call == nil:
		return errors.New("it is neither a call nor data")
	}
	f := describe.ByName(l.Func)
	if f == nil {
		return fmt.Errorf("there is no function %q", excerpt.Of(l.Func))
	}
	for _, fields := range []map[string]any{l.In, l.Out} {
		if err := checkBytes(fields); err != nil {
			return err
		}
	}
	c := &Call{Number: *l.Call, Function: f, Size: l.Size, In: l.In, Out: l.Out, Took: time.Duration(l.NS)}
	if l.Error != nil {
		c.Error = &Error{capi.ErrorCode(l.Error.Code), l.Error.Message, l.Error.Handle}
	}
	if l.In != nil && f.Args.Sized && (l.Size < 8 || l.Size > 1<<16) {
		return fmt.Errorf("%d is not a valid size of arguments", l.Size)
	}
	if l.Begun {
		s.Begun = append(s.Begun, c)
		return nil
	}
	if i := slices.IndexFunc(s.Begun, func(b *Call) bool { return b.Number == c.Number }); i >= 0 {
		s.Begun = slices.Delete(s.Begun, i, i+1)
	}
	s.Steps = append(s.Steps, Step{Line: n, Call: c})
	return nil
}

// checkBytes checks the checksums of recorded bytes.
func checkBytes(v any) error {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if err := checkBytes(x); err != nil {
				return err
			}
		}
	case map[string]any:
		if _, ok := v["base64"]; ok {
			_, err := bytesOf(v)
			return err
		}
		for name, x := range v {
			if err := checkBytes(x); err != nil {
				return fmt.Errorf("%s: %w", excerpt.Of(name), err)
			}
		}
	}
	return nil
}

// bytesOf parses bytes that appendBytes wrote.
func bytesOf(v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		return []byte(v), nil
	case map[string]any:
		text, ok1 := v["base64"].(string)
		sum, ok2 := v["crc"].(string)
		if !ok1 || !ok2 {
			return nil, errors.New("bytes without base64 and crc")
		}
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, err
		}
		if have := fmt.Sprintf("%08x", crc32.ChecksumIEEE(data)); have != sum {
			return nil, fmt.Errorf("%d bytes have the checksum %s, but had %s when they were recorded", len(data), have, excerpt.Of(sum))
		}
		return data, nil
	}
	return nil, fmt.Errorf("%s cannot be bytes", shown(v))
}

// shown returns a value of a session for an error.
func shown(v any) string { return excerpt.Of(fmt.Sprint(v)) }
