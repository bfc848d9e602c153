// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
)

// CompileKey returns a key for a cache of executables, in this or another process: compilations
// with equal keys make executables that can replace each other. The key covers the program, the
// options, the plugin's file, attributes and API version, the devices and their topology, and the
// flags in XLA_FLAGS, XLA_DEBUG_OPTIONS and LIBTPU_INIT_ARGS, but not the contents of files that
// flags name. A wrong program or option is an error as in Compile.
func (c *Client) CompileKey(program Program, opts *CompileOptions) ([sha256.Size]byte, error) {
	target, err := c.checkedTarget()
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	src, err := program.parse()
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	if opts, err = opts.forProgram(src, target); err != nil {
		return [sha256.Size]byte{}, err
	}
	options, err := opts.encodeFor(src, target)
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	h := keyHash{sha256.New()}
	h.text("purepjrt compile key 2")
	h.text(src.Format())
	h.bytes(program.Code)
	h.bytes(options)
	h.text(c.plugin.identity())
	h.text(c.platformName)
	h.text(c.platformVersion)
	h.number(c.processIndex)
	devices, err := c.describeDevices()
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	h.bytes(devices)
	if err := h.flags(os.Getenv("XLA_FLAGS")); err != nil {
		return [sha256.Size]byte{}, err
	}
	h.text(os.Getenv("LIBTPU_INIT_ARGS"))
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// describeDevices returns what tells the client's devices from others: their order, and their
// topology, or their attributes if the plugin cannot serialize a topology. XLA's plugin for
// CUDA serializes one differently each time, because it contains maps.
func (c *Client) describeDevices() ([]byte, error) {
	if known := c.devicesKey.Load(); known != nil {
		return *known, nil
	}
	h := keyHash{sha256.New()}
	topology, err := c.serializedTopology()
	if err != nil && c.ref.Closed() {
		return nil, err
	}
	if sorted, err := wire.Canonical(topology); err == nil {
		topology = sorted
	}
	h.bytes(topology)
	h.number(len(c.devices))
	for _, d := range c.devices {
		h.text(fmt.Sprint(d.ID(), d.ProcessIndex(), d.Kind()))
		if len(topology) == 0 {
			h.text(fmt.Sprint(d.Description().Attributes()))
		}
	}
	key := h.Sum(nil)
	c.devicesKey.Store(&key)
	return key, nil
}

func (c *Client) serializedTopology() ([]byte, error) {
	t, err := c.Topology()
	if err != nil {
		return nil, err
	}
	return t.Serialize()
}

// keyHash hashes values with their lengths, so that different lists of values do not hash
// the same bytes.
type keyHash struct{ hash.Hash }

func (h keyHash) number(n int) { h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))) }

func (h keyHash) bytes(b []byte) {
	h.number(len(b))
	_ = preempt.Write(h, b) // a hash never returns an error
}

func (h keyHash) text(s string) {
	h.number(len(s))
	_, _ = io.WriteString(h, s) // a hash never returns an error
}

// flags adds the value of XLA_FLAGS, and the flags in the file that it may name.
func (h keyHash) flags(value string) error {
	h.text(value)
	if !xlaflags.IsFile(value) {
		return nil
	}
	words, err := xlaflags.Read(value)
	if err != nil {
		return invalid("environment variable XLA_FLAGS: %v", err)
	}
	h.number(len(words))
	for _, w := range words {
		h.text(w.Text)
	}
	return nil
}

// identity returns a text that differs between plugins and between their versions.
func (p *Plugin) identity() string {
	p.readIdentity.Do(func() {
		major, minor := p.Version()
		p.identityText = fmt.Sprintf("%d.%d %v %q %s", major, minor, p.attributes, p.opened.path, p.opened.identity())
	})
	return p.identityText
}
