// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package isolate

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"io"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/compile"
)

// protocol is the version of the messages. Programs of different builds may be parent and child.
const protocol = 2

// request is a program to compile or, if Executable is set, an executable to load.
type request struct {
	Plugin     string
	File       [sha256.Size]byte // of Plugin, as in compile.Target
	Client     bool              // compile for a client, otherwise for Topology
	Create     []capi.Attribute
	Topology   []byte
	Registered []registration

	Code    []byte
	Format  string
	Options []byte

	Executable []byte
	Origin     []int32
}

// registration is a capi.Registration.
type registration struct {
	Function, Name, Platform string
	Traits                   capi.FFIHandlerTraitsBits
	APIVersion               int32
}

// answer is the answer to a request, or the first message of a child.
type answer struct {
	Hello  int // the child's protocol, in its first message
	Result compile.Result
	// Gob sends empty lists as none.
	HasParameters, HasOutputs bool
	Error                     *capi.Error
}

// result returns the result as the child had it.
func (a *answer) result() *compile.Result {
	r := a.Result
	if r.Parameters == nil && a.HasParameters {
		r.Parameters = []array.Shape{}
	}
	if r.Outputs == nil && a.HasOutputs {
		r.Outputs = []array.Shape{}
	}
	return &r
}

// maxMessage bounds the length that a damaged message can claim.
const maxMessage = 64 << 30

// encodeMessage returns the key, the length of the message, and the message.
func encodeMessage(key []byte, message any) ([]byte, error) {
	var b bytes.Buffer
	b.Write(key)
	b.Write(make([]byte, 8))
	if err := gob.NewEncoder(&b).Encode(message); err != nil {
		return nil, err
	}
	binary.LittleEndian.PutUint64(b.Bytes()[len(key):], uint64(b.Len()-len(key)-8))
	return b.Bytes(), nil
}

func readMessage(r io.Reader, key []byte, message any) error {
	head := make([]byte, len(key)+8)
	if _, err := io.ReadFull(r, head); err != nil {
		return err
	}
	if !bytes.Equal(head[:len(key)], key) {
		return fmt.Errorf("this is not a message: %q", head)
	}
	n := binary.LittleEndian.Uint64(head[len(key):])
	if n > maxMessage {
		return fmt.Errorf("a message of %d bytes", n)
	}
	return gob.NewDecoder(io.LimitReader(r, int64(n))).Decode(message)
}
