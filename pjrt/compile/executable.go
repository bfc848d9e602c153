// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package compile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// Executable is what pjrt's Executable.Serialize writes: a compiled program, and where it belongs.
// Client.DeserializeAndLoad compares that with the client before the plugin gets the program,
// because plugins do not notice every executable that is damaged or made for something else, and
// end the process or compute nonsense.
//
// The bytes begin with the 8 bytes "PJRTSAV\x01". A 32-bit length follows, and a protobuf message
// of that length with the fields of Executable except Code; then a 64-bit length and Code; then the
// SHA-256 of all that. Numbers are little-endian.
type Executable struct {
	Plugin Plugin
	System System
	// ABI is what the program needs of the runtime; nil if the plugin lacks the extension
	// AbiVersion.
	ABI *ABIVersion
	// Devices is how many devices execute the program together, and Partitions how many of them
	// share the work of each replica.
	Devices, Partitions int
	// Code is the program as the plugin wrote it (PJRT_Executable_Serialize).
	Code []byte
}

// Plugin is the plugin that compiled the program.
type Plugin struct {
	// Digest identifies the plugin's file and what the plugin says about itself. Plugins with the
	// same digest are the same.
	Digest [sha256.Size]byte
	// File identifies the same file at less cost: by its path, size, time and samples of its
	// contents. On one machine, plugins with the same File are the same; another File says nothing.
	// It is zero if it is not known.
	File [sha256.Size]byte
	// Major and Minor are the version of the PJRT API.
	Major, Minor int
}

// System is where a compiled program runs.
type System struct {
	// Platform is the name of the platform, such as cuda.
	Platform string
	// PlatformVersion is a text of the plugin's choice.
	PlatformVersion string
	// Kinds has the kinds of its devices, or their compute capabilities if they have them: sorted,
	// each once.
	Kinds []string
	// Devices is the number of devices.
	Devices int
	// Bounds are the extents of the grid of devices; nil if they have no coordinates.
	Bounds []int64
	// CPUFeatures are the instruction sets of the host, under LLVM's names, if the program runs
	// there: sorted.
	CPUFeatures []string
}

// ABIVersion is the version of the binary interface between programs and runtimes.
type ABIVersion struct {
	Platform uint64 // the number of the platform
	Proto    []byte // a message, whose type the platform defines
}

var (
	// ErrFormat means that the bytes do not begin as Encode's do.
	ErrFormat = errors.New("the bytes are not a saved executable")
	// ErrDamaged means that bytes are missing or were changed after Encode wrote them.
	ErrDamaged = errors.New("the saved executable is damaged")
)

const magic = "PJRTSAV\x01"

// The numbers of the fields in the message.
const (
	fieldDigest wire.Number = iota + 1
	fieldPlatform
	fieldPlatformVersion
	fieldMajor
	fieldMinor
	fieldKind
	fieldSystemDevices
	fieldBounds
	fieldCPUFeature
	fieldABIPlatform
	fieldABIProto
	fieldDevices
	fieldFile
	fieldPartitions
)

// Encode returns the bytes of e.
func (e *Executable) Encode() []byte {
	if e == nil {
		return nil
	}
	var m []byte
	m = wire.AppendBytes(m, fieldDigest, e.Plugin.Digest[:])
	m = wire.AppendNonempty(m, fieldPlatform, e.System.Platform)
	m = wire.AppendNonempty(m, fieldPlatformVersion, e.System.PlatformVersion)
	m = wire.AppendNonzero(m, fieldMajor, e.Plugin.Major)
	m = wire.AppendNonzero(m, fieldMinor, e.Plugin.Minor)
	for _, kind := range e.System.Kinds {
		m = wire.AppendBytes(m, fieldKind, kind)
	}
	m = wire.AppendNonzero(m, fieldSystemDevices, e.System.Devices)
	m = wire.AppendInts(m, fieldBounds, e.System.Bounds)
	for _, feature := range e.System.CPUFeatures {
		m = wire.AppendBytes(m, fieldCPUFeature, feature)
	}
	if e.ABI != nil {
		m = wire.AppendFixed64(m, fieldABIPlatform, e.ABI.Platform)
		m = wire.AppendBytes(m, fieldABIProto, e.ABI.Proto)
	}
	m = wire.AppendNonzero(m, fieldDevices, e.Devices)
	m = wire.AppendNonzero(m, fieldPartitions, e.Partitions)
	if e.Plugin.File != ([sha256.Size]byte{}) {
		m = wire.AppendBytes(m, fieldFile, e.Plugin.File[:])
	}

	b := make([]byte, 0, len(magic)+4+len(m)+8+len(e.Code)+sha256.Size)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m)))
	b = append(b, m...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(e.Code)))
	b = append(b, e.Code...)
	sum := checksum(b)
	return append(b, sum[:]...)
}

func checksum(b []byte) (sum [sha256.Size]byte) {
	h := sha256.New()
	_ = preempt.Write(h, b) // a hash never returns an error
	h.Sum(sum[:0])
	return sum
}

// IsExecutable reports whether data begins as the bytes of Encode do.
func IsExecutable(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// Decode returns the executable in data; its Code is a part of data. The errors wrap ErrFormat or
// ErrDamaged.
func Decode(data []byte) (*Executable, error) {
	if !IsExecutable(data) {
		return nil, ErrFormat
	}
	if len(data) < len(magic)+4+8+sha256.Size {
		return nil, fmt.Errorf("%w: it has only %d bytes", ErrDamaged, len(data))
	}
	content, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if found := checksum(content); !bytes.Equal(found[:], sum) {
		return nil, fmt.Errorf("%w: the checksum of its %d bytes is wrong", ErrDamaged, len(data))
	}
	rest := content[len(magic):]
	n := uint64(binary.LittleEndian.Uint32(rest))
	rest = rest[4:]
	if n > uint64(len(rest)-8) {
		return nil, fmt.Errorf("%w: its header has %d bytes, of which %d are there", ErrDamaged, n, len(rest)-8)
	}
	message, rest := rest[:n], rest[n:]
	size, code := binary.LittleEndian.Uint64(rest), rest[8:]
	if size != uint64(len(code)) {
		return nil, fmt.Errorf("%w: its program has %d bytes, of which %d are there", ErrDamaged, size, len(code))
	}
	e := &Executable{Code: code[:len(code):len(code)]}
	if err := e.decodeHeader(message); err != nil {
		return nil, fmt.Errorf("%w: its header cannot be read: %v", ErrDamaged, err)
	}
	return e, nil
}

// decodeHeader reads the message. Unknown fields are those of later versions.
func (e *Executable) decodeHeader(message []byte) error {
	p, t := &e.Plugin, &e.System
	abi := func() *ABIVersion {
		if e.ABI == nil {
			e.ABI = new(ABIVersion)
		}
		return e.ABI
	}
	return wire.Visit(message, func(f wire.Field) error {
		switch {
		case f.Is(fieldDigest, wire.Bytes):
			if len(f.Bytes) != len(p.Digest) {
				return fmt.Errorf("the digest has %d bytes", len(f.Bytes))
			}
			p.Digest = [sha256.Size]byte(f.Bytes)
		case f.Is(fieldFile, wire.Bytes):
			if len(f.Bytes) != len(p.File) {
				return fmt.Errorf("what identifies the file has %d bytes", len(f.Bytes))
			}
			p.File = [sha256.Size]byte(f.Bytes)
		case f.Is(fieldPlatform, wire.Bytes):
			t.Platform = string(f.Bytes)
		case f.Is(fieldPlatformVersion, wire.Bytes):
			t.PlatformVersion = string(f.Bytes)
		case f.Is(fieldMajor, wire.Varint):
			return number(&p.Major, f)
		case f.Is(fieldMinor, wire.Varint):
			return number(&p.Minor, f)
		case f.Is(fieldKind, wire.Bytes):
			t.Kinds = append(t.Kinds, string(f.Bytes))
		case f.Is(fieldSystemDevices, wire.Varint):
			return number(&t.Devices, f)
		case f.IsList(fieldBounds):
			return wire.Ints(&t.Bounds, f)
		case f.Is(fieldCPUFeature, wire.Bytes):
			t.CPUFeatures = append(t.CPUFeatures, string(f.Bytes))
		case f.Is(fieldABIPlatform, wire.Fixed64):
			abi().Platform = f.Int
		case f.Is(fieldABIProto, wire.Bytes):
			abi().Proto = bytes.Clone(f.Bytes)
		case f.Is(fieldDevices, wire.Varint):
			return number(&e.Devices, f)
		case f.Is(fieldPartitions, wire.Varint):
			return number(&e.Partitions, f)
		}
		return nil
	})
}

// number reads a count.
func number(n *int, f wire.Field) error {
	if f.Int > math.MaxInt32 {
		return fmt.Errorf("field %d has the number %d", f.Number, f.Int)
	}
	*n = int(f.Int)
	return nil
}
