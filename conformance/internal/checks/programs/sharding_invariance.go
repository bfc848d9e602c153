// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// invariant compares what the partitions of a model compute with what one device computes,
// on numbers whose sums round.
func (p *partitionedModel) invariant(t *check.T) {
	c := t.Client()
	var alone []*capi.Buffer
	for i := range p.arguments {
		alone = append(alone, p.fractions(t, c, c.Devices[0], whole(len(p.arguments[i].dims)), i, 0))
	}
	want := check.DownloadAs[float32](t, t.Run(t.Compile(c, p.text(nil)), 1, alone...)[0])
	for j := range notations {
		n := &notations[j]
		exe, order := p.compile(t, n)
		devices := devicesOf(t, exe)
		if !check.Equal(t, p.mesh.size(), len(devices), "number of addressable devices of %s in %d partitions", p.name, p.mesh.size()) {
			return
		}
		lists := make([][]*capi.Buffer, len(devices))
		for i, d := range devices {
			for k := range p.arguments {
				lists[i] = append(lists[i], p.fractions(t, c, d, p.arguments[k].by, k, slices.Index(order, d)))
			}
		}
		for i, out := range t.RunOn(exe, 1, lists...) {
			at := slices.Index(order, devices[i])
			p.close(t, want, check.DownloadAs[float32](t, out[0]), at,
				fmt.Sprintf("%s in %d partitions (%s), partition %d", p.name, p.mesh.size(), n.name, at))
		}
	}
}

// fractions uploads a partition's part of an argument, with each number divided by seven.
func (p *partitionedModel) fractions(t *check.T, c *check.Client, d *capi.Device, by sharding, argument, partition int) *capi.Buffer {
	part := by.part(p.mesh, partition, p.argument(argument))
	data := make([]float32, len(part.v))
	for i, x := range part.v {
		data[i] = float32(x) / 7
	}
	b := check.UploadTo(t, c, d, data, part.dims...)
	runtime.KeepAlive(data)
	return b
}

// close compares a part of the result with the same part of the whole: a sum in another
// order may differ by a few roundings of its largest terms.
func (p *partitionedModel) close(t *check.T, want, got []float32, partition int, what string) {
	index := numbers{dims: p.result.dims, v: make([]int64, len(want))}
	for i := range index.v {
		index.v[i] = int64(i)
	}
	from := p.result.by.part(p.mesh, partition, index).v
	if !check.Equal(t, len(from), len(got), "%s: number of elements", what) {
		return
	}
	for i, x := range got {
		if w := want[from[i]]; !(math.Abs(float64(x-w)) <= 1e-5*max(1, math.Abs(float64(w)))) {
			t.Errorf("%s: element %d of %d: expected %v within a hundred-thousandth of it, as on one device, got %v", what,
				i, len(got), w, x)
			return
		}
	}
}
