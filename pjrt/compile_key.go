// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"sync"

	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
)

// CompileKey identifies a compilation: the program, the options, and all else
// that decides what the compiler makes of them.
type CompileKey [sha256.Size]byte

// String returns the key in hexadecimal digits.
func (k CompileKey) String() string { return hex.EncodeToString(k[:]) }

// CompileKey returns the key of a compilation of a program, without compiling
// it. Equal keys mean that an executable of one may serve for the other, in
// another process too. The key covers the program, the options as they are sent,
// the plugin (its file, its attributes and its API version), the platform, the
// devices (the topology where the plugin can write it as bytes), and the flags
// in the environment variables XLA_FLAGS, XLA_DEBUG_OPTIONS and
// LIBTPU_INIT_ARGS. It does not cover the content of files that flags name.
//
// The error is what Compile would say of a program or options that are wrong.
func (c *Client) CompileKey(program Program, opts *CompileOptions) (CompileKey, error) {
	program, err := program.check(c.plugin)
	if err != nil {
		return CompileKey{}, err
	}
	options, err := opts.encodeFor(program, c.target())
	if err != nil {
		return CompileKey{}, err
	}
	h := keyHash{sha256.New()}
	h.text("purepjrt compile key 1")
	h.text(string(program.Format))
	h.bytes(program.Code)
	h.bytes(options)
	h.text(c.plugin.identity())
	h.text(c.platformName)
	h.text(c.platformVersion)
	h.number(c.processIndex)
	if err := c.hashDevices(h); err != nil {
		return CompileKey{}, err
	}
	if err := h.flags(os.Getenv("XLA_FLAGS")); err != nil {
		return CompileKey{}, err
	}
	h.text(os.Getenv("LIBTPU_INIT_ARGS"))
	return CompileKey(h.Sum(nil)), nil
}

// hashDevices adds the topology of the client, or what is known of the devices
// when the plugin cannot write it.
func (c *Client) hashDevices(h keyHash) error {
	topology, err := c.serializedTopology()
	if err != nil {
		if c.ref.Closed() {
			return err
		}
		h.number(len(c.devices))
		for _, d := range c.devices {
			h.text(fmt.Sprint(d.id, d.processIndex, d.Kind(), d.Attributes()))
		}
		return nil
	}
	h.bytes(topology)
	return nil
}

func (c *Client) serializedTopology() ([]byte, error) {
	t, err := c.Topology()
	if err != nil {
		return nil, err
	}
	return t.Serialize()
}

// keyHash writes values so that none runs into the next.
type keyHash struct{ hash.Hash }

func (h keyHash) number(n int) { h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))) }

func (h keyHash) bytes(b []byte) {
	h.number(len(b))
	h.Write(b)
}

func (h keyHash) text(s string) {
	h.number(len(s))
	_, _ = io.WriteString(h, s) // a hash takes everything
}

// flags adds the value of XLA_FLAGS, which may be the name of a file.
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

// identities are those of plugins, which never change: a *Plugin to a func() string.
var identities sync.Map

// identity returns a text that differs between plugins and between their
// versions.
func (p *Plugin) identity() string {
	f, _ := identities.LoadOrStore(p, sync.OnceValue(func() string {
		path := p.path
		if path == "" {
			// A plugin that was in the process already came with the program.
			path, _ = os.Executable()
		}
		major, minor := p.Version()
		return fmt.Sprintf("%d.%d %v %q %s", major, minor, p.attributes, path, fileIdentity(path))
	}))
	return f.(func() string)()
}

// fileIdentity tells versions of a file apart by its size, its time and samples
// of its content: plugins are hundreds of megabytes, and not all have a build ID.
func fileIdentity(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "unreadable" // the loader found it; its attributes must do
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "unreadable"
	}
	const samples, sampleSize = 128, 32 << 10
	h := sha256.New()
	size := info.Size()
	for i := range int64(samples) {
		at := int64(0)
		if size > sampleSize {
			at = (size - sampleSize) / (samples - 1) * i
		}
		_, _ = io.Copy(h, io.NewSectionReader(f, at, sampleSize))
	}
	_, _ = io.Copy(h, io.NewSectionReader(f, max(size-sampleSize, 0), sampleSize))
	return fmt.Sprintf("%d %d %x", size, info.ModTime().UnixNano(), h.Sum(nil))
}
