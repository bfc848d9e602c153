// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"fmt"
	"iter"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Transfers of whole arrays with their shapes.
var literalChecks = []check.Check{
	{Rule: "AH2D-19", Run: func(t *check.T) {
		defer literalsOfAllShapes(t)
		dims := []int64{2, 3}
		data := dtype.Bytes(floats(6))
		b, err := sendLiteral(t, spec{dtype.F32, dims}, spec{dtype.F32, dims}, data, nil)
		if err != nil {
			check.Call(t, literalArgs(manager(t, spec{dtype.F32, dims}), spec{dtype.F32, dims}, data, nil))
		}
		expectBytes(t, data, t.Download(b), 0xff, "literal in row-major order")
		if b, err := sendLiteral(t, spec{dtype.F32, dims}, spec{dtype.F32, dims}, permute(data, 4, dims, []int64{0, 1}),
			check.StridedLayout([]int64{4, 8})); err == nil {
			expectBytes(t, data, t.Download(b), 0xff, "literal whose layout is strides, in column-major order")
		} else {
			t.Notef("a literal whose layout is strides is refused: %v", err)
		}
		columns := permute(data, 4, dims, []int64{0, 1})
		b, err = sendLiteral(t, spec{dtype.F32, dims}, spec{dtype.F32, dims}, columns, check.TiledLayout([]int64{0, 1}))
		if declined(err) {
			t.Notef("a literal in column-major order is refused: %v", err)
			return
		}
		if err != nil {
			t.Fatalf("literal in column-major order: expected success, INVALID_ARGUMENT or UNIMPLEMENTED, got %v", err)
		}
		expectBytes(t, data, t.Download(b), 0xff, "literal in column-major order")
	}},
	{Rule: "AH2D-20", Hostile: true, Run: func(t *check.T) {
		of := spec{dtype.F32, []int64{2, 3}}
		data := dtype.Bytes(floats(64))
		if _, err := sendLiteral(t, of, of, data, nil); err != nil {
			check.Call(t, literalArgs(manager(t, of), of, data, nil)) // skips if there is no such function
		}
		for _, wrong := range []spec{{dtype.F32, []int64{4, 4}}, {dtype.F32, []int64{3}}, {dtype.F32, []int64{6}},
			{dtype.F32, []int64{3, 2}}, {dtype.F64, []int64{2, 3}}, {dtype.S32, []int64{2, 3}}} {
			_, err := sendLiteral(t, of, wrong, data, nil)
			t.ErrorCode(err, "literal "+wrong.e.String()+show(wrong.dims)+" for a buffer f32[2 3]")
		}
	}},
	{Rule: "AH2D-21", Hostile: true, Run: func(t *check.T) {
		m := manager(t, spec{dtype.F32, []int64{1}})
		one := dtype.Bytes(floats(1))
		t.Keep(one)
		first := check.Call(t, literalArgs(m, spec{dtype.F32, []int64{1}}, one, nil)) // skips if there is no such function
		t.NoError(t.Wait(first.DoneWithH2dTransfer), "literal of f32[1]")
		refused := func(what string, err error) bool {
			code := capi.CodeOf(err)
			if code == capi.ErrorCodeUnimplemented || code == capi.ErrorCodeInvalidArgument {
				t.Notef("%s is refused: %v", what, err)
				return true
			}
			if err != nil {
				t.Errorf("%s: expected success, INVALID_ARGUMENT or UNIMPLEMENTED, got %v", what, err)
			}
			return err != nil
		}
		for _, e := range subByteTypes(t) {
			for _, n := range []int{8, 7} {
				of, data := spec{e, []int64{int64(n)}}, hostBytes(e, n)
				what := e.String() + show(of.dims)
				if out, err := check.Try(t, managerArgs(t, of)); !refused("a buffer "+what, err) {
					check.Own(t, out.TransferManager)
					if b, err := sendLiteral(t, of, of, data, nil); !refused("a literal "+what, err) {
						expectBytes(t, data, t.Download(b), mask(e), "literal "+what)
					}
				}
			}
		}
		token := spec{dtype.Token, nil}
		if out, err := check.Try(t, managerArgs(t, token)); !refused("a buffer that is a token", err) {
			check.Own(t, out.TransferManager)
			b, err := sendLiteral(t, token, token, nil, nil)
			if !refused("a literal that is a token", err) {
				check.Equal(t, capi.BufferTypeToken, t.ElementType(b), "type of a token")
			}
		}
	}},
}

// literalsOfAllShapes transfers arrays of all ranks, widths and sizes, and those of all ranks in
// other orders than row-major.
func literalsOfAllShapes(t *check.T) {
	if t.Failed() {
		return
	}
	literalsOfSeveral(t)
	for _, arrays := range []iter.Seq[check.HostArray]{t.Shaped(), t.Sized()} {
		for a := range arrays {
			if a.Type.IsSubByte() {
				continue // AH2D-21 is about these
			}
			s, size := spec{a.Type, a.Dims}, a.Type.Size()
			b, err := sendLiteral(t, s, s, a.Data, nil)
			if !t.NoError(err, "literal %v", a) || !expectAll(t, b, a, "that was transferred as a literal") {
				return
			}
			if len(a.Dims) < 2 {
				continue
			}
			for _, order := range check.Each(t, check.Orders(len(a.Dims))) {
				for how, layout := range map[string]*capi.BufferMemoryLayout{
					"minor_to_major": check.TiledLayout(order), "strides": check.StridedLayout(stridesOf(size, a.Dims, order)),
				} {
					what := fmt.Sprintf("literal %v whose layout is %s, in the order %v", a, how, order)
					b, err := sendLiteral(t, s, s, permute(a.Data, size, a.Dims, order), layout)
					if declined(err) {
						t.Notef("%s is refused: %v", what, err)
					} else if !t.NoError(err, what) || !expectArray(t, b, a, "as a "+what) {
						return
					}
				}
			}
		}
	}
}

// literalsOfSeveral transfers literals to the buffers of one manager, in another order.
func literalsOfSeveral(t *check.T) {
	t.Require(check.FunctionOf[literals]())
	arrays := []check.HostArray{
		check.HostArrayOf(dtype.F32, 1, 2, 3), check.HostArrayOf(dtype.F32, 2, 3, 2), check.HostArrayOf(dtype.F32, 3, 2, 3),
		check.HostArrayOf(dtype.S8, 4, 5),
	}
	var specs []spec
	for _, a := range arrays {
		specs = append(specs, spec{a.Type, a.Dims})
	}
	m := manager(t, specs...)
	for _, i := range []int{2, 0, 3, 1} {
		b := retrieve(t, m, i)
		args := literalArgs(m, specs[i], arrays[i].Data, nil)
		args.BufferIndex = int32(i)
		t.Keep(arrays[i].Data)
		out, err := check.Try(t, args)
		if !t.NoError(err, "literal %v for buffer %d of %d", arrays[i], i, len(arrays)) {
			return
		}
		t.NoError(t.Wait(out.DoneWithH2dTransfer), "done_with_h2d_transfer of a literal for buffer %d of %d", i, len(arrays))
		if !becomesReady(t, t.Ready(b), fmt.Sprintf("buffer %d of %d becomes ready after its literal", i, len(arrays))) {
			return
		}
		expectAll(t, b, arrays[i], fmt.Sprintf("that was transferred as a literal to buffer %d of %d", i, len(arrays)))
	}
}

// literalArgs returns the arguments for a literal. It is row-major if layout is nil: XLA's own
// client always says how a literal lies in memory.
func literalArgs(m *transferManager, s spec, data []byte,
	layout *capi.BufferMemoryLayout) literals {
	if layout == nil {
		layout = check.RowMajor(len(s.dims))
	}
	args := literals{
		TransferManager: m, Data: check.Pointer(data), ShapeElementType: capi.BufferType(s.e), ShapeLayout: layout,
	}
	args.ShapeDims, args.ShapeNumDims = check.First(s.dims)
	return args
}

// sendLiteral makes a buffer of shape of, transfers a literal of shape s to it, and
// returns the buffer when it is ready. Without the functions it skips the check.
func sendLiteral(t *check.T, of, s spec, data []byte, layout *capi.BufferMemoryLayout) (*capi.Buffer, error) {
	t.Require(check.FunctionOf[literals]())
	m := manager(t, of)
	b := retrieve(t, m, 0)
	t.Keep(data)
	out, err := check.Try(t, literalArgs(m, s, data, layout))
	if err != nil {
		return nil, err
	}
	if out.DoneWithH2dTransfer == nil {
		t.Fatalf("PJRT_AsyncHostToDeviceTransferManager_TransferLiteral: success without an event")
	}
	if err := t.Wait(out.DoneWithH2dTransfer); err != nil {
		return nil, err
	}
	return b, t.Await(t.Ready(b))
}
