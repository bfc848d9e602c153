// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package attack

import (
	"bytes"
	"io"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi/shim/recording"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
)

// stalled gives the data, and then again and again the same count without an error.
type stalled struct {
	data []byte
	then int
}

func (s *stalled) Read(p []byte) (int, error) {
	if len(s.data) > 0 {
		n := copy(p, s.data)
		s.data = s.data[n:]
		return n, nil
	}
	return s.count(p), nil
}

func (s *stalled) ReadAt(p []byte, offset int64) (int, error) {
	if offset+int64(len(p)) <= int64(len(s.data)) {
		return copy(p, s.data[offset:]), nil
	}
	return s.count(p), nil
}

// count is what the reader says that it read. One that always has a byte would never end.
func (s *stalled) count(p []byte) int {
	if s.then > 0 {
		return len(p) + s.then
	}
	return s.then
}

// somewhere are arrays, sessions and reports, with functions that read them.
func somewhere(t *testing.T) map[string]struct {
	valid []byte
	read  func(io.Reader) error
	at    func(io.ReaderAt, int64) error
} {
	a := array.Array{Type: dtype.F32, Dims: []int64{8}, Data: make([]byte, 32)}
	var numbers, tensors, session, judged, waived bytes.Buffer
	require.NoError(t, npy.Write(&numbers, a))
	require.NoError(t, safetensors.Write(&tensors, map[string]array.Array{"a": a, "b": a}, nil))
	recording.NewRecorder(&session, 0, 115)
	require.NoError(t, (&report.Report{Schema: report.SchemaVersion}).WriteJSON(&judged))
	require.NoError(t, (&report.Report{}).WriteWaivers(&waived))
	return map[string]struct {
		valid []byte
		read  func(io.Reader) error
		at    func(io.ReaderAt, int64) error
	}{
		"npy.Read":           {numbers.Bytes(), func(r io.Reader) error { _, err := npy.Read(r); return err }, nil},
		"npy.ReadAs":         {numbers.Bytes(), func(r io.Reader) error { _, err := npy.ReadAs(r, dtype.F32); return err }, nil},
		"npy.ReadHeader":     {numbers.Bytes()[:64], func(r io.Reader) error { _, err := npy.ReadHeader(r); return err }, nil},
		"npy.NewArchive":     {make([]byte, 100), nil, func(r io.ReaderAt, n int64) error { _, err := npy.NewArchive(r, n); return err }},
		"recording.Read":     {session.Bytes(), func(r io.Reader) error { _, err := recording.Read(r); return err }, nil},
		"report.Read":        {judged.Bytes(), func(r io.Reader) error { _, err := report.Read(r); return err }, nil},
		"report.ReadWaivers": {waived.Bytes(), func(r io.Reader) error { _, err := report.ReadWaivers("file", r); return err }, nil},
		"safetensors.New": {tensors.Bytes(), nil, func(r io.ReaderAt, n int64) error {
			f, err := safetensors.New(r, n)
			if err != nil {
				return err
			}
			for _, name := range f.Names() {
				if _, err = f.Read(name); err != nil {
					return err
				}
				data, _, err := f.Reader(name)
				if err != nil {
					return err
				}
				if _, err = io.Copy(io.Discard, data); err != nil {
					return err
				}
			}
			return nil
		}},
	}
}

// A reader that gives nothing, again and again, would keep whoever waits for more.
func TestReadersThatStallOrLieAreErrors(t *testing.T) {
	t.Parallel()
	for name, f := range somewhere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for from := range len(f.valid) - 1 {
				for _, then := range []int{0, -1, 1} {
					s := &stalled{f.valid[:from], then}
					if f.read != nil {
						require.Error(t, f.read(s), "after %d of %d bytes, %d more", from, len(f.valid), then)
					} else {
						require.Error(t, f.at(s, int64(len(f.valid))), "after %d of %d bytes, %d more", from, len(f.valid), then)
					}
				}
			}
			if f.read != nil {
				require.ErrorContains(t, f.read(nil), "the reader is nil")
			} else {
				require.ErrorContains(t, f.at(nil, int64(len(f.valid))), "the reader is nil")
			}
		})
	}
}

func TestWritersThatAreNilAreErrors(t *testing.T) {
	t.Parallel()
	a := array.Array{Type: dtype.F32, Dims: []int64{1}, Data: make([]byte, 4)}
	r := new(report.Report)
	writers := map[string]func(io.Writer) error{
		"npy.Write":             func(w io.Writer) error { return npy.Write(w, a) },
		"safetensors.Write":     func(w io.Writer) error { return safetensors.Write(w, map[string]array.Array{"a": a}, nil) },
		"array.Format":          func(w io.Writer) error { return a.Format(w, array.FormatOptions{}) },
		"report.WriteText":      func(w io.Writer) error { return r.WriteText(w, true) },
		"report.Text.Write":     func(w io.Writer) error { return report.Text{}.Write(r, w) },
		"report.WriteSummary":   func(w io.Writer) error { return report.Text{}.WriteSummary(r, w) },
		"report.WriteOverview":  func(w io.Writer) error { return report.WriteOverview(w, []*report.Report{r}) },
		"report.WriteChanges":   func(w io.Writer) error { return report.WriteChanges(w, nil) },
		"recording.NewRecorder": func(w io.Writer) error { return recording.NewRecorder(w, 0, 115).Close() },
	}
	maps.Copy(writers, map[string]func(io.Writer) error{
		"report.WriteJSON": r.WriteJSON, "report.WriteHTML": r.WriteHTML, "report.WriteJUnit": r.WriteJUnit, "report.WriteMarkdown": r.WriteMarkdown,
		"report.WriteBadge": r.WriteBadge, "report.WriteWaivers": r.WriteWaivers,
	})
	for name, write := range writers {
		require.NoError(t, write(io.Discard), name)
		assert.ErrorContains(t, write(nil), "nil", name)
	}
}
