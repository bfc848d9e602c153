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
	"os"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
)

// Session is what was recorded.
type Session struct {
	Major, Minor int // API version of the plugin
	Steps        []Step
	// Complete says that the recording was ended; without it the process was
	// killed, or still runs.
	Complete bool
}

// Step is a call, or what a transfer brought.
type Step struct {
	Line int // in the file
	Call *Call
	Data *Data
}

// Call is a call that was recorded.
type Call struct {
	Number   uint64
	Function *describe.Function
	Size     uintptr        // struct_size
	In, Out  map[string]any // by the C names of fields, as encoding/json gives them
	Error    *Error         // nil when the call succeeded
	Took     time.Duration
}

// Error is the error that a call gave.
type Error struct {
	Code    capi.ErrorCode
	Message string
	Handle  string // name of the PJRT_Error; "" for errors of another kind
}

// Data is what a transfer brought.
type Data struct {
	Call  uint64 // that began it
	Type  capi.BufferType
	Bytes []byte
}

// ErrDamaged is the error of a file that is no session, or not a whole one.
var ErrDamaged = errors.New("the recording is damaged")

// Open reads a session from a file. The error names the line in which something
// is wrong.
func Open(path string) (*Session, error) {
	f, err := os.Open(path)
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
	in := bufio.NewReaderSize(r, 1<<16)
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
				return nil, fmt.Errorf("%w: line 1 is not that of a recorded session", ErrDamaged)
			}
			return s, nil
		}
		if s.Complete {
			return nil, fmt.Errorf("%w: line %d: there is more behind the end", ErrDamaged, n)
		}
		if err := s.add(n, text); err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrDamaged, n, err)
		}
	}
}

// add takes in a line.
func (s *Session) add(n int, text []byte) error {
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&l); err != nil {
		if n == 1 {
			return errors.New("it is not that of a recorded session")
		}
		return err
	}
	if n == 1 {
		switch {
		case l.Format != formatName:
			return errors.New("it is not that of a recorded session")
		case l.Version != formatVersion:
			return fmt.Errorf("the session has version %d of the format, and this program reads version %d", l.Version, formatVersion)
		case len(l.API) != 2:
			return errors.New("the API version is missing")
		}
		s.Major, s.Minor = l.API[0], l.API[1]
		return nil
	}
	switch {
	case l.End != nil:
		if *l.End != n-1 {
			return fmt.Errorf("there should be %d lines before it, and there are %d", *l.End, n-1)
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
		return fmt.Errorf("there is no function %q", l.Func)
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
		return fmt.Errorf("the size %d is none of arguments", l.Size)
	}
	s.Steps = append(s.Steps, Step{Line: n, Call: c})
	return nil
}

// checkBytes looks for bytes that are not what was recorded.
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
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// bytesOf reads bytes as appendBytes writes them.
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
			return nil, fmt.Errorf("%d bytes have the checksum %s, and had %s when they were recorded", len(data), have, sum)
		}
		return data, nil
	}
	return nil, fmt.Errorf("%v is no form of bytes", v)
}
