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

// header has the fields of the message. Unknown fields are those of later versions.
var header = wire.NewTable(nil,
	wire.Part[Executable]{Number: 1, Type: wire.Bytes,
		Read:  func(e *Executable, f wire.Field) error { return readDigest(&e.Plugin.Digest, "the digest", f) },
		Write: func(b []byte, e *Executable) []byte { return wire.AppendBytes(b, 1, e.Plugin.Digest[:]) },
	},
	wire.Text(2, func(e *Executable) *string { return &e.System.Platform }),
	wire.Text(3, func(e *Executable) *string { return &e.System.PlatformVersion }),
	count(4, func(e *Executable) *int { return &e.Plugin.Major }),
	count(5, func(e *Executable) *int { return &e.Plugin.Minor }),
	wire.Texts(6, func(e *Executable) *[]string { return &e.System.Kinds }),
	count(7, func(e *Executable) *int { return &e.System.Devices }),
	wire.IntList(8, func(e *Executable) *[]int64 { return &e.System.Bounds }),
	wire.Texts(9, func(e *Executable) *[]string { return &e.System.CPUFeatures }),
	wire.Part[Executable]{Number: 10, Type: wire.Fixed64,
		Read: func(e *Executable, f wire.Field) error { e.abi().Platform = f.Int; return nil },
		Write: func(b []byte, e *Executable) []byte {
			if e.ABI == nil {
				return b
			}
			return wire.AppendFixed64(b, 10, e.ABI.Platform)
		},
	},
	wire.Part[Executable]{Number: 11, Type: wire.Bytes,
		Read: func(e *Executable, f wire.Field) error { e.abi().Proto = bytes.Clone(f.Bytes); return nil },
		Write: func(b []byte, e *Executable) []byte {
			if e.ABI == nil {
				return b
			}
			return wire.AppendBytes(b, 11, e.ABI.Proto)
		},
	},
	count(12, func(e *Executable) *int { return &e.Devices }),
	count(14, func(e *Executable) *int { return &e.Partitions }),
	wire.Part[Executable]{Number: 13, Type: wire.Bytes,
		Read: func(e *Executable, f wire.Field) error {
			return readDigest(&e.Plugin.File, "what identifies the file", f)
		},
		Write: func(b []byte, e *Executable) []byte {
			if e.Plugin.File == ([sha256.Size]byte{}) {
				return b
			}
			return wire.AppendBytes(b, 13, e.Plugin.File[:])
		},
	},
)

// abi returns the version that the header is about to describe.
func (e *Executable) abi() *ABIVersion {
	if e.ABI == nil {
		e.ABI = new(ABIVersion)
	}
	return e.ABI
}

func readDigest(to *[sha256.Size]byte, what string, f wire.Field) error {
	if len(f.Bytes) != len(to) {
		return fmt.Errorf("%s has %d bytes", what, len(f.Bytes))
	}
	*to = [sha256.Size]byte(f.Bytes)
	return nil
}

// count is a field that holds a count.
func count(n wire.Number, at func(*Executable) *int) wire.Part[Executable] {
	p := wire.Int(n, at)
	p.Read = func(e *Executable, f wire.Field) error {
		if f.Int > math.MaxInt32 {
			return fmt.Errorf("field %d has the number %d", n, f.Int)
		}
		*at(e) = int(f.Int)
		return nil
	}
	return p
}

// Encode returns the bytes of e.
func (e *Executable) Encode() []byte {
	if e == nil {
		return nil
	}
	m := header.Append(nil, e)
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
	if err := header.Read(message, e); err != nil {
		return nil, fmt.Errorf("%w: its header cannot be read: %v", ErrDamaged, err)
	}
	return e, nil
}
