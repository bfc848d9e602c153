// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// Serialize returns the executable as bytes for [Client.DeserializeAndLoad]
// (PJRT_Executable_Serialize). They record where the executable belongs (see compile.Decode), and
// may differ from call to call. The first call reads the plugin's file, some tenths of a second if
// it is large. XLA's CPU plugin writes neither a program with a sort once it was executed, nor one
// that was loaded from bytes: serialize it before, and keep the bytes.
func (e *Executable) Serialize(ctx context.Context) ([]byte, error) {
	switch {
	case e.missing():
		return nil, errNilExecutable
	case e.ref != nil && e.ref.Closed():
		_, err := e.ref.Acquire()
		return nil, err
	case e.codeless && e.serialized == nil:
		return nil, failed(ErrFailedPrecondition, "the executable was loaded from bytes, and XLA's CPU plugin "+
			"would write it without its code: keep those bytes")
	}
	return abandon.CallOn(ctx, e.subject(), func() ([]byte, error) {
		s := compile.Executable{
			Plugin: e.plugin.saved(), System: e.system, ABI: e.abi,
			Devices: e.numReplicas * e.numPartitions, Partitions: e.numPartitions, Code: e.serialized,
		}
		if s.Code != nil {
			return s.Encode(), nil
		}
		h, err := e.acquire()
		if err != nil {
			return nil, err
		}
		defer e.ref.Release()
		if s.ABI, err = e.abiVersion(h); err != nil {
			return nil, err
		}
		var c capi.Call[capi.ExecutableSerializeArgs]
		c.Args.Executable = h
		if err := doLarge(e.plugin, &c); err != nil {
			return nil, ofExecutedSort(err)
		}
		defer c.Args.SerializedExecutableDeleter.Call(c.Args.SerializedExecutable)
		if c.Args.SerializedBytesSize == 0 {
			return nil, misbehaved(c.Function(), "reported success but gave no bytes")
		}
		s.Code = capi.Slice(c.Args.SerializedBytes, c.Args.SerializedBytesSize)
		return s.Encode(), nil
	}, func([]byte) error { return nil })
}

// ofExecutedSort adds to the error of XLA's CPU plugin, which replaces the name of a sort's
// comparator by its address when it runs, what to do instead.
func ofExecutedSort(err error) error {
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, "`LessThan` is not serializable") {
		return err
	}
	return advised(e, "the plugin cannot write a program with a sort once it was executed: serialize it before the first execution")
}

// abiVersion returns nil if the plugin has no versions.
func (e *Executable) abiVersion(h *capi.Executable) (*compile.ABIVersion, error) {
	platform, proto, err := e.table.ExecutableABIVersion(h)
	if err != nil {
		return nil, optional(err)
	}
	return &compile.ABIVersion{Platform: platform, Proto: proto}, nil
}

// toLoad returns what DeserializeAndLoad loads: a saved executable that belongs to the client, or
// one with foreign bytes as they are, about which nothing else is known.
func (c *Client) toLoad(data []byte, foreign bool) (*compile.Executable, error) {
	if foreign && !compile.IsExecutable(data) {
		return &compile.Executable{Code: data}, nil
	}
	s, err := compile.Decode(data)
	switch {
	case errors.Is(err, compile.ErrFormat):
		return nil, invalid("the bytes are not those that Serialize returned: set Foreign in the LoadOptions " +
			"if they are what the plugin itself wrote")
	case err != nil:
		return nil, failed(ErrDataLoss, "%v", err)
	case foreign:
		return &compile.Executable{Code: s.Code}, nil
	}
	if err := misplaced(s, c.plugin, c.system(), c.runs); err != nil {
		return nil, failed(ErrFailedPrecondition, "the saved executable does not belong here: %v: compile the program again, "+
			"or set Foreign in the LoadOptions to leave the decision to the plugin", err)
	}
	return s, nil
}

// ofCompiler returns the plugin's bytes of the executable that a compile.Compiler made, and
// its ABI version if known. A saved executable must belong to the client, unless that is nil.
func ofCompiler(r *compile.Result, c *Client) ([]byte, *compile.ABIVersion, error) {
	if r == nil || len(r.Executable) == 0 {
		return nil, nil, failed(ErrInternal, "the Compiler of the options reported success and gave no executable")
	}
	if !compile.IsExecutable(r.Executable) {
		return r.Executable, r.ABI, nil
	}
	s, err := compile.Decode(r.Executable)
	if err != nil {
		return nil, nil, failed(ErrDataLoss, "the Compiler of the options: %v", err)
	}
	if c != nil {
		if err := misplaced(s, c.plugin, c.system(), c.runs); err != nil {
			return nil, nil, failed(ErrFailedPrecondition, "what the Compiler of the options made does not belong here: %v", err)
		}
	}
	return s.Code, s.ABI, nil
}

// misplaced returns an error that says why an executable cannot run on a system with a
// plugin. runs reports whether the plugin's runtime can execute a program of another build
// of the plugin, and returns the plugin's error if not.
func misplaced(s *compile.Executable, p *Plugin, system compile.System, runs func(*compile.ABIVersion) (bool, error)) error {
	from, here := &s.System, &system
	if !strings.EqualFold(from.Platform, here.Platform) {
		return fmt.Errorf("it was compiled for the platform %q, not %q", from.Platform, here.Platform)
	}
	if !p.made(&s.Plugin) {
		own := p.saved()
		if ok, err := runs(s.ABI); !ok {
			const format = "it was compiled by another build of the plugin (API %d.%d, platform version %q), " +
				"and this one is API %d.%d, %q"
			why := fmt.Errorf(format, s.Plugin.Major, s.Plugin.Minor, from.PlatformVersion, own.Major, own.Minor, here.PlatformVersion)
			if err != nil {
				why = fmt.Errorf("%v, which cannot run it: %w", why, err)
			}
			return why
		}
	}
	if missing := slices.DeleteFunc(slices.Clone(from.CPUFeatures), func(f string) bool {
		_, found := slices.BinarySearch(here.CPUFeatures, f)
		return found
	}); len(missing) > 0 && len(here.CPUFeatures) > 0 {
		return fmt.Errorf("it was compiled for a CPU with %s, which this one lacks", strings.Join(missing, ", "))
	}
	if len(from.Kinds) > 0 && len(here.Kinds) > 0 && !slices.Equal(from.Kinds, here.Kinds) {
		return fmt.Errorf("it was compiled for devices of the kind %s, not %s",
			strings.Join(from.Kinds, ", "), strings.Join(here.Kinds, ", "))
	}
	// A program for one device needs no other, and a host's devices have no connections.
	if s.Devices > 1 && !isHost(from.Platform) && from.Devices > 0 &&
		(from.Devices != here.Devices || !slices.Equal(from.Bounds, here.Bounds)) {
		return fmt.Errorf("it was compiled for %s, not %s", size(from), size(here))
	}
	return nil
}

// size describes the devices of a system.
func size(t *compile.System) string {
	text := fmt.Sprintf("a system of %d devices", t.Devices)
	for i, n := range t.Bounds {
		sep := " x "
		if i == 0 {
			sep = " in "
		}
		text += fmt.Sprint(sep, n)
	}
	return text
}

// runs reports whether the client's runtime can execute programs of version v, and returns
// the plugin's error if not (PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable). v may be
// nil.
func (c *Client) runs(v *compile.ABIVersion) (bool, error) {
	if v == nil {
		return false, nil
	}
	h, err := c.acquire()
	if err != nil {
		return false, err
	}
	defer c.ref.Release()
	runtimeOf, err := capi.Do(c.table, capi.ClientRuntimeABIVersionArgs{Client: h})
	if err != nil {
		return false, optional(err)
	}
	defer func() {
		_, _ = capi.Do(c.table, capi.RuntimeABIVersionDestroyArgs{ABIVersion: runtimeOf.ABIVersion})
	}()
	var of capi.Call[capi.ExecutableABIVersionFromProtoArgs]
	of.Args.SerializedProto, of.Args.SerializedProtoSize = capi.BytesData(v.Proto)
	err = of.Do(c.table)
	runtime.KeepAlive(v)
	if err != nil {
		return false, err
	}
	defer func() {
		_, _ = capi.Do(c.table, capi.ExecutableABIVersionDestroyArgs{ABIVersion: of.Args.ABIVersion})
	}()
	var compatible capi.Call[capi.RuntimeABIVersionIsCompatibleWithExecutableArgs]
	compatible.Args.ABIVersion, compatible.Args.ExecutableABIVersion = runtimeOf.ABIVersion, of.Args.ABIVersion
	err = compatible.Do(c.table)
	return err == nil, err
}

// system describes the client's devices.
func (c *Client) system() compile.System {
	c.describeSystem.Do(func() {
		descriptions := make([]*DeviceDescription, len(c.devices))
		for i, d := range c.devices {
			descriptions[i] = d.Description()
		}
		c.described = newSystem(c.platformName, c.platformVersion, descriptions, c.serializedTopology)
	})
	return c.described
}

// system describes the devices of the topology.
func (t *Topology) system() compile.System {
	devices, _ := t.Devices()
	return newSystem(t.platformName, t.platformVersion, devices, t.Serialize)
}

func newSystem(platform, version string, devices []*DeviceDescription, topology func() ([]byte, error)) compile.System {
	t := compile.System{Platform: platform, PlatformVersion: version, Devices: len(devices)}
	var lowest, highest []int64
	for i, d := range devices {
		kind := d.Kind()
		var coords []int64
		for _, a := range d.attributes {
			switch v := a.Value.(type) {
			case string:
				if a.Name == "compute_capability" {
					kind = v
				}
			case []int64:
				if a.Name == "coords" {
					coords = v
				}
			}
		}
		t.Kinds = append(t.Kinds, kind)
		if i == 0 {
			lowest, highest = slices.Clone(coords), slices.Clone(coords)
		}
		for j := range min(len(coords), len(lowest)) {
			lowest[j], highest[j] = min(lowest[j], coords[j]), max(highest[j], coords[j])
		}
	}
	slices.Sort(t.Kinds)
	t.Kinds = slices.Compact(t.Kinds)
	for i := range lowest {
		t.Bounds = append(t.Bounds, highest[i]-lowest[i]+1)
	}
	if isHost(platform) {
		if b, err := topology(); err == nil {
			t.CPUFeatures = xlaproto.CPUFeatures(b)
		}
	}
	return t
}

// isHost reports whether the devices of a platform are the host's CPU.
func isHost(platform string) bool { return platform == kindCPU }

// made reports whether the plugin is the one that an executable is of. Only if its file is not
// where and what it was then does the first call read all of it.
func (p *Plugin) made(of *compile.Plugin) bool {
	if file := p.fileKey(); of.File == file && file != ([sha256.Size]byte{}) {
		return true
	}
	return of.Digest == p.saved().Digest
}

// fileKey identifies the plugin's file without reading all of it; it is zero if the file cannot be
// read.
func (p *Plugin) fileKey() [sha256.Size]byte {
	text := p.identity()
	if strings.HasSuffix(text, unreadable) {
		return [sha256.Size]byte{}
	}
	h := keyHash{sha256.New()}
	h.text(p.name)
	h.text(text)
	return [sha256.Size]byte(h.Sum(nil))
}

// saved identifies the plugin. The first call reads its file.
func (p *Plugin) saved() compile.Plugin {
	major, minor := p.Version()
	p.readDigest.Do(func() {
		// If the file cannot be read, what the plugin reports must suffice.
		sum, _ := fileDigest(p.opened.path)
		h := keyHash{sha256.New()}
		h.bytes(sum[:])
		if !p.opened.stays() {
			h.text(p.opened.identity()) // that was another file
		}
		h.number(major)
		h.number(minor)
		h.text(p.name)
		h.text(fmt.Sprint(p.attributes))
		p.digest = [sha256.Size]byte(h.Sum(nil))
	})
	return compile.Plugin{Digest: p.digest, File: p.fileKey(), Major: major, Minor: minor}
}

// fileDigest returns a digest of a file. Plugins have hundreds of megabytes, for which
// SHA-256 needs seconds on some machines. So this is the SHA-256 of the CRC-32C of each MiB.
// It tells builds apart, but does not protect against forgery.
func fileDigest(path string) ([sha256.Size]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	const piece = 1 << 20
	pieces := int((info.Size() + piece - 1) / piece)
	sums := make([]uint32, pieces)
	errs := make([]error, min(pieces, runtime.GOMAXPROCS(0)))
	table := crc32.MakeTable(crc32.Castagnoli)
	var readers sync.WaitGroup
	for r := range errs {
		readers.Go(func() {
			buffer := make([]byte, piece)
			for i := r; i < pieces; i += len(errs) {
				n, err := f.ReadAt(buffer, int64(i)*piece)
				if err != nil && err != io.EOF {
					errs[r] = err
					return
				}
				sums[i] = crc32.Checksum(buffer[:n], table)
			}
		})
	}
	readers.Wait()
	list := binary.LittleEndian.AppendUint64(nil, uint64(info.Size()))
	for _, sum := range sums {
		list = binary.LittleEndian.AppendUint32(list, sum)
	}
	return sha256.Sum256(list), errors.Join(errs...)
}

// newSerializedExecutable makes an executable from the result of a compile.Compiler.
func newSerializedExecutable(p *Plugin, system compile.System, r *compile.Result, parameters []Shape) (*Executable, error) {
	code, abi, err := ofCompiler(r, nil)
	if err != nil {
		return nil, err
	}
	known := func(list []Shape, what string) ([]Shape, error) {
		if list == nil {
			return nil, failed(ErrUnimplemented, "the %s of an executable that was compiled in another process are not known", what)
		}
		return list, nil
	}
	outputs, outputsErr := known(r.Outputs, "results")
	return &Executable{
		plugin: p, table: p.table, system: system, serialized: code, abi: abi, text: parameters,
		name: r.Name, numReplicas: r.Replicas, numPartitions: r.Partitions, numOutputs: len(outputs),
		entry: func() *entry {
			shapes, err := known(r.Parameters, "parameters")
			if err != nil && parameters != nil && r.Partitions == 1 {
				shapes, err = parameters, nil
			}
			return &entry{parameters: shapes, err: err, donates: true}
		},
		outputs: func() ([]Shape, error) { return outputs, outputsErr },
		layouts: func() []*Layout { return nil },
	}, nil
}
