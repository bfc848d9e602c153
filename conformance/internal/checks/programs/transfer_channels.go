// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// firstChannel is the channel on which a program of channelsProgram sends its first argument. Each
// operation has a channel of its own: 11, 13, 15 and so on send, 12, 14, 16 and so on receive.
const firstChannel = 11

// channelsProgram is a program that sends each of its arguments to the host and returns arrays of
// the same types and dimensions, which it receives from there.
func channelsProgram(list []check.HostArray) string {
	var parameters, results, names, lines []string
	token := "%t"
	for i, a := range list {
		tensor := check.Tensor(a.Type, a.Dims)
		parameters, results = append(parameters, fmt.Sprintf("%%a%d: %s", i, tensor)), append(results, tensor)
		lines = append(lines, fmt.Sprintf(`%%s%[1]d = "stablehlo.send"(%%a%[1]d, %[2]s) <{channel_handle = #stablehlo.channel_handle<handle = %[3]d, type = 2>, is_host_transfer = true}> {mhlo.frontend_attributes = {_xla_host_transfer_rendezvous = "suite_send_%[1]d"}} : (%[4]s, !stablehlo.token) -> !stablehlo.token`,
			i, token, firstChannel+2*i, tensor))
		token = fmt.Sprintf("%%s%d", i)
	}
	for i, tensor := range results {
		names = append(names, fmt.Sprintf("%%r%d#0", i))
		lines = append(lines, fmt.Sprintf(`%%r%[1]d:2 = "stablehlo.recv"(%[2]s) <{channel_handle = #stablehlo.channel_handle<handle = %[3]d, type = 3>, is_host_transfer = true}> {mhlo.frontend_attributes = {_xla_host_transfer_rendezvous = "suite_recv_%[1]d"}} : (!stablehlo.token) -> (%[4]s, !stablehlo.token)`,
			i, token, firstChannel+2*i+1, tensor))
		token = fmt.Sprintf("%%r%d#1", i)
	}
	types := strings.Join(results, ", ")
	lines = slices.Insert(lines, 0, "%t = stablehlo.create_token : !stablehlo.token")
	return program("channels", "("+strings.Join(parameters, ", ")+") -> ("+types+")",
		append(lines, "return "+strings.Join(names, ", ")+" : "+types)...)
}

// someArrays returns arrays with elements, of different ranks and of types of different widths.
func someArrays() []check.HostArray {
	var list []check.HostArray
	for i, dims := range check.Shapes[:5] {
		list = append(list, check.HostArrayOf([]dtype.Type{dtype.F32, dtype.S16, dtype.U8, dtype.S64, dtype.C64}[i], uint64(i), dims...))
	}
	return list
}

// talks executes a program three times that sends arrays and receives others, each on a channel
// of its own. Each execution has other data, other callbacks and another order of these. If the
// plugin takes no such program with these types, they are all of f32.
func talks(t *check.T, list []check.HostArray) {
	exe, err := tryCompile(t, t.Client(), channelsProgram(list), options{})
	if err != nil {
		list = slices.Clone(list)
		for i, a := range list {
			list[i].Type = dtype.F32
			list[i].Data = make([]byte, 4*check.Elements(a.Dims...))
		}
		if exe, err = tryCompile(t, t.Client(), channelsProgram(list), options{}); err != nil {
			t.Notef("a program that sends and receives on several channels is refused: %s", firstLine(err.Error()))
			return
		}
	}
	for run := range check.Each(t, make([]int, 3)) {
		talk(t, exe, list, run)
	}
}

// talk is one execution of talks.
func talk(t *check.T, exe *capi.LoadedExecutable, list []check.HostArray, run int) {
	var arguments []*capi.Buffer
	var sends []sender
	var recvs []receiver
	n := len(list)
	got, out, in := make([]sent, n), make([][]byte, n), make([][]byte, n)
	var undivided atomic.Int64 // granule that does not divide an array
	for i, a := range list {
		elements := check.Elements(a.Dims...)
		out[i], in[i] = check.Plain(a.Type, elements, uint64(100*run+i)), check.Plain(a.Type, elements, uint64(100*run+50+i))
		args := check.HostArgs(t.Client(), out[i], a.Dims...)
		args.Type = capi.BufferType(a.Type)
		arguments = append(arguments, t.UploadArgs(args))
		sends = append(sends, sender{firstChannel + 2*int64(i), got[i].take})
		recvs = append(recvs, receiver{firstChannel + 2*int64(i) + 1, func(h *capi.CopyToDeviceStream) {
			s := &stream{t: t, h: h}
			if g := s.granule(); g > 0 && int64(len(in[i]))%g != 0 {
				undivided.Store(g)
			} else {
				s.feed(in[i], (i+run)%3)
			}
			s.destroy()
		}})
	}
	switch run {
	case 1:
		slices.Reverse(sends)
		slices.Reverse(recvs)
	case 2:
		sends, recvs = slices.Concat(sends[n/2:], sends[:n/2]), slices.Concat(recvs[1:], recvs[:1])
	}
	x := newTransfer(t, exe, n, sends, recvs, arguments)
	err := x.begin()()
	if g := undivided.Load(); g > 0 {
		t.Notef("the granule of %d bytes does not divide all of the arrays, so not all could be sent", g)
		return
	}
	if !t.NoError(err, "execution %d of a program that sends and receives on several channels", run+1) {
		return
	}
	for i, a := range list {
		what := fmt.Sprintf("channel %d of %d, execution %d", i+1, n, run+1)
		got[i].has(t, out[i], fmt.Sprintf("%v, sent on %s", a, what))
		if at := check.DiffersAt(in[i], t.Download(x.Outputs[0][i])); at >= 0 {
			t.Errorf("%v, received on %s: byte %d of %d is another than what the host sent", a, what, at, len(in[i]))
		}
	}
}

// feed adds data to the stream, and fails the check unless the stream counts as many bytes. The way
// says in which chunks: all in one, in about seven of one size with a rest, or in ones that grow.
func (s *stream) feed(data []byte, way int) {
	total, g := len(data), int(max(s.granule(), 1))
	check.Equal(s.t, int64(total), s.total(), "PJRT_CopyToDeviceStream_TotalBytes of a recv of %d bytes", total)
	step := total
	if way > 0 {
		step = max(total/7/g, 1) * g
	}
	for at := 0; at < total; {
		end := min(at+step, total)
		s.add(data[at:end])
		if at = end; s.t.Failed() {
			return
		}
		check.Equal(s.t, int64(at), s.current(), "PJRT_CopyToDeviceStream_CurrentBytes after %d of %d bytes", at, total)
		if way == 2 {
			step += g
		}
	}
}
