// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"slices"
	"sync"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// The plugins at hand have no transfers with the host and no control dependencies: the in-memory
// plugin has the faults here.

type (
	donation   = capi.BufferDonateWithControlDependencyArgs
	dependency = capi.BufferDonateWithControlDependencyCallbackArgs
)

func dependencyFaults() []mutant.Mutant {
	loses := func(check string) mutant.Mutant {
		return mutant.OfMade(check, "loses the contents", func(a *donation) []*capi.Buffer { return []*capi.Buffer{a.OutBuffer} },
			func(c *serve.Invocation, a *capi.BufferToHostBufferArgs) {
				if c.Forward(); c.Err() == nil && a.Dst != nil {
					mutant.Await(c.Table(), a.Event)
					clear(mutant.BytesAt(a.Dst, a.DstSize))
				}
			})
	}
	list := []mutant.Mutant{
		mutant.OnceAfter[donation]("DON-11", "leaves the source", func(a *capi.BufferIsDeletedArgs) { a.IsDeleted = false }),
		mutant.OnceAfter[donation]("DON-11", "is ready at once", func(a *capi.EventIsReadyArgs) { a.IsReady = true }),
		loses("DON-12"), loses("DON-14"),
		reported("DON-13", "forgets the error", func(a *dependency) { a.ErrorCode, a.ErrorMessageSize = capi.ErrorCodeOK, 0 }),
		reported("DON-13", "forgets the code of an error", func(a *dependency) { a.ErrorCode = capi.ErrorCodeInternal }),
		reported("DON-13", "forgets the text of an error", func(a *dependency) {
			a.ErrorMessage, a.ErrorMessageSize = capi.StringData("the dependency failed")
		}),
		mutant.Hooked("DON-14", "takes every dependency for the first", func() []serve.Hook {
			var first uintptr
			return []serve.Hook{
				mutant.Changed(func(a *donation, _ int64) { relay(a, func(d *dependency) { d.CallbackData = first }) }),
				mutant.Changed(func(a *donation, n int64) {
					if n == 1 {
						first = a.CallbackData
					}
				}),
			}
		}).Waiting(),
	}
	return inMemory(list)
}

// inMemory returns faults as ones of the in-memory plugin.
func inMemory(list []mutant.Mutant) []mutant.Mutant {
	for i, m := range list {
		list[i] = m.InMemory()
	}
	return list
}

// reported makes a fault of what the caller reports about a dependency.
func reported(check, words string, change func(d *dependency)) mutant.Mutant {
	return mutant.After(check, words, func(a *donation) { relay(a, change) })
}

// relay lets change see what the caller reports about a dependency before the plugin does.
func relay(a *donation, change func(d *dependency)) {
	data, callback := a.CallbackData, a.DependencyReadyCallback
	a.CallbackData = uintptr(capi.NewHandle(func(d *dependency) {
		d.CallbackData = data
		change(d)
		callback.Call(d)
	}))
	a.DependencyReadyCallback = relays()
}

// relays returns the callback of all dependencies that relay stands behind.
var relays = sync.OnceValue(func() capi.BufferDonateWithControlDependencyArgsDependencyReadyCallback {
	return capi.BufferDonateWithControlDependencyArgsDependencyReadyCallback(purego.NewCallback(func(d *dependency) (none uintptr) {
		h := capi.Handle(d.CallbackData)
		if v, ok := h.Value(); ok {
			h.Delete()
			v.(func(*dependency))(d)
		}
		return
	}))
})

type addition = capi.CopyToDeviceStreamAddChunkArgs

// granule divides the size of every chunk that a granular plugin takes.
const granule = 4

// granular puts faults in front of the in-memory plugin, which takes chunks of any size, as it
// would be if it had a granule.
func granular(memory *capi.Table, faults ...serve.Hook) (*serve.Table, error) {
	return serve.Wrap(memory, append(faults,
		mutant.Changed(func(a *capi.CopyToDeviceStreamGranuleSizeArgs, _ int64) { a.GranuleSizeInBytes = granule }),
		serve.Around(func(c *serve.Invocation, a *addition) {
			if bad := a.Chunk.Size%granule != 0; bad {
				deleteChunk(a.Chunk)
				c.Fail(capi.ErrorCodeInvalidArgument, "the chunk has %d bytes, which is no multiple of %d", a.Chunk.Size, granule)
				return
			}
			c.Forward()
		}))...)
}

func streamFaults() []mutant.Mutant {
	takesAll := func(check, words string) mutant.Mutant {
		return mutant.Of(check, words, func(c *serve.Invocation, a *addition) {
			if c.Forward(); c.Err() != nil || mutant.Await(c.Table(), a.TransferComplete) != nil {
				c.FailWith(nil)
				a.TransferComplete = nil
			}
		})
	}
	zeros := func(a *addition) {
		own := *a.Chunk
		own.Data = check.Pointer(make([]byte, own.Size))
		a.Chunk = &own
	}
	list := []mutant.Mutant{
		mutant.LikeFormer[capi.CopyToDeviceStream]("CDS-01", "has the size of the first stream for all", 2,
			func(a, former *capi.CopyToDeviceStreamTotalBytesArgs) { a.TotalBytes = former.TotalBytes }),
		mutant.Hooked("CDS-03", "counts the bytes of all streams together", func() []serve.Hook {
			all := int64(0)
			return []serve.Hook{
				mutant.Changed(func(a *addition, _ int64) { all += int64(a.Chunk.Size) }),
				mutant.Then(func(a *capi.CopyToDeviceStreamCurrentBytesArgs) { a.CurrentBytes = all }),
			}
		}),
		mutant.Hooked("CDS-03", "keeps four chunks of a stream", func() []serve.Hook {
			chunks := make(map[*capi.CopyToDeviceStream]int)
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, a *addition) {
					if chunks[a.Stream]++; chunks[a.Stream] > 4 {
						mutant.Forward(c, a, zeros)
						return
					}
					c.Forward()
				}),
				mutant.Ahead(func(a *capi.CopyToDeviceStreamDestroyArgs) { delete(chunks, a.Stream) }),
			}
		}),
		mutant.Before("CDS-03", "keeps 4 KiB of a chunk", func(a *addition) {
			own := *a.Chunk
			data := make([]byte, own.Size)
			copy(data, capi.Bytes((*byte)(own.Data), min(own.Size, 4096)))
			own.Data = check.Pointer(data)
			a.Chunk = &own
		}),
		mutant.Hooked("CDS-04", "reads the description of a chunk after the call", func() []serve.Hook {
			chunks := make(map[*capi.Event]*capi.Chunk)
			sizes := make(map[*capi.Event]uintptr)
			return []serve.Hook{
				mutant.Changed(func(a *addition, _ int64) {
					chunks[a.TransferComplete], sizes[a.TransferComplete] = a.Chunk, a.Chunk.Size
				}),
				serve.Around(func(c *serve.Invocation, a *capi.EventAwaitArgs) {
					chunk := chunks[a.Event]
					mutant.FailIf(c, chunk != nil && chunk.Size != sizes[a.Event], capi.ErrorCodeInternal, "a chunk of another size")
				}),
			}
		}),
		mutant.Before("XOPT-12", "drops the data", zeros),
		mutant.Before("CDS-04", "never frees a chunk", func(a *addition) { a.Chunk = kept(a.Chunk) }),
		mutant.Before("CDS-04", "frees a chunk before it is read", func(a *addition) {
			deleteChunk(a.Chunk)
			a.Chunk = kept(a.Chunk)
		}),
		mutant.Of("CDS-10", "does not free a chunk that it refuses", func(c *serve.Invocation, a *addition) {
			own := a.Chunk
			mutant.Forward(c, a, func(a *addition) { a.Chunk = kept(own) })
			if c.Err() == nil && mutant.Await(c.Table(), a.TransferComplete) == nil {
				deleteChunk(own)
			}
		}),
		mutant.After("CDS-03", "counts nothing", func(a *capi.CopyToDeviceStreamCurrentBytesArgs) { a.CurrentBytes = 0 }),
		mutant.OfEach("CDS-03", "keeps the last chunk alone", func(c *serve.Invocation, a *addition, n int64) {
			if n > 1 {
				c.Forward()
				return
			}
			mutant.Forward(c, a, zeros)
		}),
		mutant.OfEach("CDS-04", "frees each second chunk twice", func(c *serve.Invocation, a *addition, n int64) {
			own := *a.Chunk
			if c.Forward(); n%2 == 0 {
				deleteChunk(&own)
			}
		}),
		mutant.AfterEach("CDS-01", "counts down when it is asked again",
			func(a *capi.CopyToDeviceStreamTotalBytesArgs, n int64) { a.TotalBytes -= n - 1 }),
		mutant.AfterEach("CDS-02", "has another granule when it is asked again",
			func(a *capi.CopyToDeviceStreamGranuleSizeArgs, n int64) { a.GranuleSizeInBytes *= n }),
		onTransfers("XOPT-11", "calls the last to receive whatever its channel is", func(_ *serve.Invocation, _ *execution, x *transfers) {
			for _, list := range x.recvs {
				for i := range list {
					list[i].RecvCallback, list[i].UserArg = list[len(list)-1].RecvCallback, list[len(list)-1].UserArg
				}
			}
		}),
		onTransfers("XOPT-16", "receives on all devices what the first gets", func(_ *serve.Invocation, _ *execution, x *transfers) {
			for d := range x.recvs {
				x.recvs[d] = x.recvs[0]
			}
		}),
		mutant.Hooked("XOPT-12", "calls the callbacks of an executable's first execution in all", func() []serve.Hook {
			first := make(map[*capi.LoadedExecutable][][]capi.RecvCallbackInfo)
			return onTransfers("", "", func(_ *serve.Invocation, a *execution, x *transfers) {
				if first[a.Executable] == nil {
					first[a.Executable] = x.recvs
				}
				x.recvs = first[a.Executable]
			}).Hooks()
		}),
		takesAll("CDS-06", "takes chunks that are too large"), takesAll("CDS-07", "takes chunks of any size"),
		takesAll("CDS-08", "takes chunks after the last"),
		fillsUp("XOPT-14", "ignores that data is missing", func(int64) bool { return true }),
		fillsUp("XOPT-14", "takes a part for the whole", func(have int64) bool { return have > 0 }),
		onTransfers("XOPT-13", "expects the data when the callback returns", func(c *serve.Invocation, _ *execution, x *transfers) {
			t := c.Table()
			for _, list := range x.recvs {
				for i, to := range list {
					callback, handle := capi.NewRecvCallback(func(s *capi.CopyToDeviceStream) {
						to.RecvCallback.Call(s, to.UserArg)
						mutant.Try(t, capi.CopyToDeviceStreamDestroyArgs{Stream: s})
					})
					list[i].RecvCallback, list[i].UserArg = callback, uintptr(handle)
				}
			}
		}),
	}
	for i, m := range list {
		list[i] = m.InMemory().On(granular)
	}
	return list
}

// kept returns a copy of a chunk and its data that nothing frees.
func kept(chunk *capi.Chunk) *capi.Chunk {
	data := capi.Bytes((*byte)(chunk.Data), chunk.Size)
	deleter, handle := capi.NewChunkDeleter(func() {})
	return &capi.Chunk{Data: check.Pointer(data), Size: chunk.Size, Deleter: deleter, DeleterArg: uintptr(handle)}
}

// fillsUp makes a fault: zeros take the place of data that never came, if enough reports that what
// a stream has is enough.
func fillsUp(name, words string, enough func(have int64) bool) mutant.Mutant {
	return mutant.Of(name, words, func(c *serve.Invocation, a *capi.CopyToDeviceStreamDestroyArgs) {
		have, err := mutant.Try(c.Table(), capi.CopyToDeviceStreamCurrentBytesArgs{Stream: a.Stream})
		all, _ := mutant.Try(c.Table(), capi.CopyToDeviceStreamTotalBytesArgs{Stream: a.Stream})
		if missing := all.TotalBytes - have.CurrentBytes; err == nil && missing > 0 && enough(have.CurrentBytes) {
			zeros := make([]byte, missing)
			mutant.Try(c.Table(), addition{Stream: a.Stream, Chunk: kept(&capi.Chunk{Data: check.Pointer(zeros), Size: uintptr(missing)})})
		}
		c.Forward()
	})
}

// transfers are the callbacks of an execution, by device.
type transfers struct {
	sends [][]capi.SendCallbackInfo
	recvs [][]capi.RecvCallbackInfo
}

// onTransfers makes a fault of executions: the plugin gets other callbacks.
func onTransfers(check, words string, change func(c *serve.Invocation, a *execution, x *transfers)) mutant.Mutant {
	return mutant.Of(check, words, func(c *serve.Invocation, a *execution) {
		var x transfers
		for _, p := range capi.Slice(a.Options.SendCallbacks, a.NumDevices) {
			x.sends = append(x.sends, capi.Slice(p, a.Options.NumSendOps))
		}
		for _, p := range capi.Slice(a.Options.RecvCallbacks, a.NumDevices) {
			x.recvs = append(x.recvs, capi.Slice(p, a.Options.NumRecvOps))
		}
		change(c, a, &x)
		mutant.Forward(c, a, func(a *execution) {
			own := *a.Options
			own.SendCallbacks, own.RecvCallbacks = firsts(x.sends), firsts(x.recvs)
			a.Options = &own
		})
	})
}

// firsts returns lists as C takes them.
func firsts[E any](lists [][]E) **E {
	pointers := make([]*E, len(lists))
	for i, list := range lists {
		pointers[i], _ = check.First(list)
	}
	first, _ := check.First(pointers)
	return first
}

// chunkSent is a call of a send callback.
type chunkSent struct {
	to    capi.SendCallbackInfo
	data  []byte
	total uintptr
	done  bool
}

// call passes data to the caller, which frees the copy that it gets.
func (s *chunkSent) call(data []byte, total uintptr, done bool) (own []byte, err error) {
	own = slices.Clone(data)
	deleter, handle := capi.NewChunkDeleter(func() { clear(own) })
	chunk := &capi.Chunk{Data: check.Pointer(own), Size: uintptr(len(own)), Deleter: deleter, DeleterArg: uintptr(handle)}
	if h := s.to.SendCallback.Call(chunk, mutant.CallbackError(), total, done, s.to.UserArg); h != nil {
		return own, capi.ErrorCodeInternal.Errorf("the send callback failed")
	}
	return own, nil
}

// onSend makes a fault of send callbacks: send stands between the plugin and each of them.
func onSend(check, words string, send func(s *chunkSent) error) mutant.Mutant {
	return onTransfers(check, words, func(_ *serve.Invocation, _ *execution, x *transfers) { x.each(send) })
}

// each puts send between the plugin and each send callback.
func (x *transfers) each(send func(s *chunkSent) error) {
	for _, list := range x.sends {
		for i, to := range list {
			callback, handle := capi.NewSendCallback(func(chunk *capi.Chunk, total uintptr, done bool) error {
				data := capi.Bytes((*byte)(chunk.Data), chunk.Size)
				deleteChunk(chunk)
				return send(&chunkSent{to, data, total, done})
			})
			list[i].SendCallback, list[i].UserArg = callback, uintptr(handle)
		}
	}
}

func sendFaults() []mutant.Mutant {
	nobody := func(*chunkSent) error { return nil }
	firstOf := func(words string, change func(s, first *chunkSent)) mutant.Mutant {
		return mutant.Hooked("XOPT-11", words, func() []serve.Hook {
			return onTransfers("", "", func(_ *serve.Invocation, _ *execution, x *transfers) {
				var first *chunkSent
				x.each(func(s *chunkSent) error {
					if first == nil {
						first = &chunkSent{s.to, slices.Clone(s.data), s.total, s.done}
					}
					change(s, first)
					_, err := s.call(s.data, s.total, s.done)
					return err
				})
			}).Hooks()
		})
	}
	return inMemory([]mutant.Mutant{
		firstOf("sends on all channels what the first sends", func(s, first *chunkSent) { s.data, s.total = first.data, first.total }),
		firstOf("tells the total size of the first channel on all", func(s, first *chunkSent) { s.total = first.total }),
		firstOf("is done with one channel of several", func(s, first *chunkSent) { s.done = s.to.ChannelID == first.to.ChannelID }),
		mutant.Hooked("XOPT-11", "sends to the callbacks of an executable's first execution in all", func() []serve.Hook {
			first := make(map[*capi.LoadedExecutable][][]capi.SendCallbackInfo)
			return onTransfers("", "", func(_ *serve.Invocation, a *execution, x *transfers) {
				if first[a.Executable] == nil {
					first[a.Executable] = x.sends
				}
				x.sends = first[a.Executable]
			}).Hooks()
		}),
		onSend("XOPT-08", "the last byte of an odd number is lost", func(s *chunkSent) error {
			if len(s.data)%2 == 1 {
				s.data[len(s.data)-1] ^= 1
			}
			_, err := s.call(s.data, s.total, s.done)
			return err
		}),
		onSend("XOPT-08", "sends the last two of many chunks in the wrong order", func(s *chunkSent) error {
			parts := mutant.LastExchanged(slices.Collect(slices.Chunk(s.data, 4096)), 3)
			for i, part := range parts {
				if _, err := s.call(part, s.total, i == len(parts)-1); err != nil {
					return err
				}
			}
			return nil
		}),
		onSend("XOPT-08", "never says that it is done", func(s *chunkSent) error {
			_, err := s.call(s.data, s.total, false)
			return err
		}),
		onSend("XOPT-08", "gives the size of a chunk for that of all", func(s *chunkSent) error {
			half := len(s.data) / 2
			if _, err := s.call(s.data[:half], s.total/2, false); err != nil {
				return err
			}
			_, err := s.call(s.data[half:], s.total/2, true)
			return err
		}),
		onSend("XOPT-09", "frees a chunk when the callback returns", func(s *chunkSent) error {
			own, err := s.call(s.data, s.total, s.done)
			clear(own)
			return err
		}),
		onSend("XOPT-10", "ignores errors of the callback", func(s *chunkSent) error {
			_, _ = s.call(s.data, s.total, s.done)
			return nil
		}),
		onTransfers("XOPT-11", "calls the first entry whatever its channel is", func(_ *serve.Invocation, _ *execution, x *transfers) {
			for _, list := range x.sends {
				for i := range list {
					list[i].SendCallback, list[i].UserArg = list[0].SendCallback, list[0].UserArg
				}
			}
		}),
		onSend("XOPT-15", "calls nobody", nobody),
		onTransfers("XOPT-16", "calls the callbacks of the first device", func(_ *serve.Invocation, _ *execution, x *transfers) {
			for d := range x.sends {
				x.sends[d] = x.sends[0]
			}
		}),
		onTransfers("XOPT-17", "calls nobody when there is an execute_device", func(_ *serve.Invocation, a *execution, x *transfers) {
			if a.ExecuteDevice != nil {
				x.each(nobody)
			}
		}),
		onSend("XOPT-18", "sends data as it lies on the device", func(s *chunkSent) error {
			var lies []byte
			for _, at := range []int{0, 2, 4, 1, 3, 5} {
				lies = append(lies, s.data[4*at:4*at+4]...)
			}
			_, err := s.call(lies, s.total, s.done)
			return err
		}),
	})
}
