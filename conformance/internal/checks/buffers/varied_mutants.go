// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// variedMutants are faults of some sizes, ranks, types and positions, which small arrays do not
// show.
func variedMutants() []mutant.Mutant {
	return slices.Concat(sizeMutants(), rankMutants(), severalMutants(), layoutMutants(), numberMutants())
}

// layoutMutants are faults of layouts from some rank on, and of the later ones in a list.
func layoutMutants() []mutant.Mutant {
	const some = 3 // from which rank on things go wrong
	// managing changes the layouts of managers.
	managing := func(name, fault string, change func(list []*capi.BufferMemoryLayout, i int)) mutant.Mutant {
		return mutant.Before(name, fault, func(a *managers) {
			list := slices.Clone(mutant.View(a.DeviceLayouts, a.NumDeviceLayouts))
			for i := range list {
				if mutant.RankOf(list[i]) >= some {
					change(list, i)
				}
			}
			a.DeviceLayouts, a.NumDeviceLayouts = mutant.LastingArray(list)
		})
	}
	like := func(list []*capi.BufferMemoryLayout, i, other int) {
		if mutant.RankOf(list[i]) == mutant.RankOf(list[other]) {
			list[i] = list[other]
		}
	}
	return []mutant.Mutant{
		managing("AH2D-02", "layouts behind the first are ignored from rank 3 on", func(list []*capi.BufferMemoryLayout, i int) {
			if i > 0 {
				list[i] = nil
			}
		}),
		managing("AH2D-02", "the first layout is for all that have its rank, from 3 on",
			func(list []*capi.BufferMemoryLayout, i int) { like(list, i, 0) }),
		managing("AH2D-02", "the second layout is for the third and all behind it, from rank 3 on",
			func(list []*capi.BufferMemoryLayout, i int) { like(list, i, min(i, 1)) }),
		managing("AH2D-02", "the two last of at least three dimensions of a layout change places",
			func(list []*capi.BufferMemoryLayout, i int) { list[i] = mutant.LayoutExchanged(list[i], some) }),
		mutant.Before("UNI-01", "the two last of at least three dimensions of a layout change places",
			func(a *uninitialized) { a.ShapeLayout = mutant.LayoutExchanged(a.ShapeLayout, some) }),
		mutant.Before("UNI-01", "layouts are ignored from rank 4 on", func(a *uninitialized) {
			if mutant.RankOf(a.ShapeLayout) > some {
				a.ShapeLayout = nil
			}
		}),
		mutant.Before("UNI-21", "the two last of at least three dimensions of a layout change places",
			func(a *errorBuffers) { a.DeviceLayout = mutant.LayoutExchanged(a.DeviceLayout, some) }).InMemory(),
		mutant.Before("COPY-15", "the two last of at least three dimensions of a layout change places",
			func(a *capi.BufferBitcastArgs) { a.DeviceLayout = mutant.LayoutExchanged(a.DeviceLayout, some) }).InMemory(),
	}
}

// numberMutants are faults of code that takes elements for numbers where it only has to move them.
func numberMutants() []mutant.Mutant {
	const sign, infinity, quiet = 1 << 31, 0x7f800000, 1 << 22
	// eachFloat changes the bits of floats that arrive: of what is marked, or of all if m is nil.
	eachFloat := func(m *mutant.Marks, change func(bits uint32) uint32) serve.Hook {
		return mutant.Arrived(func(c *serve.Invocation, a *mutant.Download, data []byte) {
			if mutant.TypeOf(c.Table(), a.Src) != dtype.F32 || m != nil && !m.Has(a.Src) {
				return
			}
			for i := 0; i+4 <= len(data); i += 4 {
				binary.LittleEndian.PutUint32(data[i:], change(binary.LittleEndian.Uint32(data[i:])))
			}
		})
	}
	quietens := func(bits uint32) uint32 {
		if bits&^sign > infinity {
			bits |= quiet
		}
		return bits
	}
	all := func(name, fault string, change func(bits uint32) uint32) mutant.Mutant {
		return mutant.Hooked(name, fault, func() []serve.Hook { return []serve.Hook{eachFloat(nil, change)} })
	}
	return []mutant.Mutant{
		all("H2D-02/type=f32", "signalling NaNs become quiet ones", quietens),
		all("H2D-02/type=f32", "all NaNs are the same", func(bits uint32) uint32 {
			if bits&^sign > infinity {
				bits = infinity | quiet
			}
			return bits
		}),
		all("H2D-02/type=f32", "zeros lose their sign", func(bits uint32) uint32 {
			if bits == sign {
				bits = 0
			}
			return bits
		}),
		quietensMade(copiedBuffers, "COPY-01", quietens, eachFloat), quietensMade(movedBuffers, "COPY-08", quietens, eachFloat),
		quietensMade(retrieved, "AH2D-02", quietens, eachFloat),
	}
}

// quietensMade makes a fault of NaNs in what the function that takes A makes.
func quietensMade[A any](made func(a *A) []*capi.Buffer, name string, quietens func(bits uint32) uint32,
	eachFloat func(m *mutant.Marks, change func(bits uint32) uint32) serve.Hook) mutant.Mutant {
	return mutant.Hooked(name, "signalling NaNs become quiet ones", func() []serve.Hook {
		m := new(mutant.Marks)
		return []serve.Hook{mutant.Marking(m, made), eachFloat(m, quietens)}
	})
}

// ofSize reports whether an upload has elements of some bytes, and no strides.
func ofSize(bytes int) func(a *uploadArgs) bool {
	return func(a *uploadArgs) bool { return dtype.Type(a.Type).Size() == bytes && !dtype.Type(a.Type).IsSubByte() }
}

// with narrows down which uploads a fault is about by their semantics.
func with(semantics capi.HostBufferSemantics, when func(a *uploadArgs) bool) func(a *uploadArgs) bool {
	return func(a *uploadArgs) bool { return a.HostBufferSemantics == semantics && when(a) }
}

func sizeMutants() []mutant.Mutant {
	// loses leaves out the last element of some uploads.
	loses := func(name, fault string, when func(a *uploadArgs) bool, step, left int) mutant.Mutant {
		return misreads(name, fault, when, func(a *uploadArgs, data []byte) {
			mutant.WithoutLast(data, dtype.Type(a.Type).Size(), step, left)
		})
	}
	// ofType changes what arrives of some types.
	ofType := func(when func(e dtype.Type) bool, change func(data []byte)) func(c *serve.Invocation, a *downloadArgs, data []byte) {
		return func(c *serve.Invocation, a *downloadArgs, data []byte) {
			if when(mutant.TypeOf(c.Table(), a.Src)) {
				change(data)
			}
		}
	}
	beyond := func(n int) func(data []byte) {
		return func(data []byte) {
			if len(data) > n {
				data[n] ^= 1
			}
		}
	}
	return slices.Concat([]mutant.Mutant{
		loses("H2D-02/uneven/an upload", "of elements of one byte, the last is lost if their number is one more than a multiple of 16",
			ofSize(1), 16, 1),
		loses("H2D-02/uneven/an upload", "of elements of two bytes, the last is lost if their number is one less than a multiple of 8",
			ofSize(2), 8, 7),
		loses("H2D-02/uneven/an upload", "of elements of 16 bytes, the last is lost if there are more than 64 and their number is odd",
			func(a *uploadArgs) bool { return ofSize(16)(a) && count(a) > 64 }, 2, 1),
		loses("H2D-02/type=i8", "the last is lost if their number is one more than a multiple of 64", ofSize(1), 64, 1),
		loses("H2D-08", "of elements of four bytes that are copied during the call, the last is lost if one is left of eight",
			with(duringCall, ofSize(4)), 8, 1),
		loses("H2D-09", "of elements of eight bytes that are copied later, the last is lost if one is left of four",
			with(untilDone, ofSize(8)), 4, 1),
		loses("H2D-11", "of elements of one byte that may be used in place, the last is lost if one is left of 32",
			with(capi.HostBufferSemanticsImmutableZeroCopy, ofSize(1)), 32, 1),
		loses("H2D-14", "of elements of two bytes that may be used in place and changed, the last is lost if 15 are left of 16",
			with(capi.HostBufferSemanticsMutableZeroCopy, ofSize(2)), 16, 15),
		arrivesOf("H2D-17", "from other devices than the first, the last byte is lost if one is left of 16",
			func(c *serve.Invocation, b *capi.Buffer) bool { return placeBelow(c, b) > 0 },
			func(data []byte) { mutant.WithoutLast(data, 1, 16, 1) }),
		mutant.ArrivesOf("D2H-04", "four-byte elements whose number is one less than a multiple of 16 arrive without the last",
			ofType(func(e dtype.Type) bool { return e.Size() == 4 }, func(data []byte) { mutant.WithoutLast(data, 4, 16, 15) })),
		mutant.ArrivesOf("D2H-04", "byte 4096 of what is larger arrives wrong, of single bytes",
			ofType(func(e dtype.Type) bool { return e.Size() == 1 }, beyond(4096))),
		mutant.ArrivesOf("D2H-15", "the last element of eight bytes is lost at an address that is not aligned",
			func(c *serve.Invocation, a *downloadArgs, data []byte) {
				if mutant.TypeOf(c.Table(), a.Src).Size() == 8 && uintptr(a.Dst)%8 != 0 {
					mutant.WithoutLast(data, 8, 16, 1)
				}
			}),
		mutant.After("D2H-02", "the size of more than 256 bytes is rounded to words", func(a *downloadArgs) {
			if a.Dst == nil && a.DstSize > 256 {
				a.DstSize = (a.DstSize + 3) &^ 3
			}
		}),
		mutant.ArrivesFrom("COPY-01/uneven/a copy to a device", "the last two bytes are lost if they are left of 64", copiedBuffers, nil,
			func(data []byte) { mutant.WithoutLast(data, 2, 32, 1) }),
		mutant.ArrivesFrom("COPY-08/uneven/a copy to a memory", "the last byte is lost if it is left of 128", movedBuffers, nil,
			func(data []byte) { mutant.WithoutLast(data, 1, 128, 1) }),
		mutant.ArrivesFrom("AH2D-12/uneven/a transfer manager", "the last two bytes are lost if 14 are left of 16", retrieved, nil,
			func(data []byte) { mutant.WithoutLast(data, 2, 8, 7) }),
		mutant.ArrivesFrom("VIEW-01/uneven/a view", "the last byte is lost if it is left of 16", mutant.Made[viewOf, capi.Buffer], nil,
			func(data []byte) { mutant.WithoutLast(data, 1, 16, 1) }),
		mutant.Hooked("RUN-01/uneven/an execution", "of results behind the first, the last byte is lost if it is left of 16",
			func() []serve.Hook {
				m := new(mutant.Marks)
				return []serve.Hook{
					serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) {
						if c.Forward(); c.Err() == nil {
							e, _ := mutant.Try(c.Table(), capi.LoadedExecutableGetExecutableArgs{LoadedExecutable: a.Executable})
							n, _ := mutant.Try(c.Table(), capi.ExecutableNumOutputsArgs{Executable: e.Executable})
							mutant.Try(c.Table(), capi.ExecutableDestroyArgs{Executable: e.Executable})
							for _, b := range mutant.View(*a.OutputLists, n.NumOutputs)[1:] {
								m.Add(b)
							}
						}
					}),
					mutant.Arrived(func(_ *serve.Invocation, a *downloadArgs, data []byte) {
						if m.Has(a.Src) {
							mutant.WithoutLast(data, 1, 16, 1)
						}
					}),
				}
			}),
		mutant.Before("RAW-01", "odd offsets behind the first 16 bytes are rounded", func(a *rawArgs) {
			if a.Offset > 16 && a.TransferSize > 1 {
				a.Offset &^= 1
			}
		}),
		mutant.Before("RAW-01", "of more than 64 bytes, the last is not copied if one is left of 16", func(a *rawArgs) {
			if a.TransferSize > 64 && a.TransferSize%16 == 1 {
				a.TransferSize--
			}
		}),
		mutant.Before("AH2D-13", "offsets behind the first 64 bytes are multiples of four", func(a *transferArgs) {
			if a.Offset > 64 {
				a.Offset &^= 3
			}
		}),
	}, mutant.InMemory(
		mutant.ArrivesFrom("UNI-14/uneven/an alias", "the last byte is lost if it is left of 32",
			mutant.Made[capi.ClientCreateAliasBufferArgs, capi.Buffer],
			nil, func(data []byte) { mutant.WithoutLast(data, 1, 32, 1) }),
		mutant.Before("RAW-06", "offsets behind the first 64 bytes are multiples of eight", func(a *futureArgs) {
			if a.Offset > 64 {
				a.Offset &^= 7
			}
		}),
	))
}

// retrieved are the buffers of transfer managers.
func retrieved(a *retrieveArgs) []*capi.Buffer { return []*capi.Buffer{a.BufferOut} }

func rankMutants() []mutant.Mutant {
	const some = 4 // from which rank on things go wrong
	densely := func(a *uploadArgs) { a.ByteStrides, a.NumByteStrides = nil, 0 }
	// changing changes the strides of uploads of many dimensions.
	changing := func(name, fault string, from int, change func(s []int64) []int64) mutant.Mutant {
		return mutant.Before(name, fault, func(a *uploadArgs) {
			if s := strides(a); len(s) >= from {
				restride(a, change(s))
			}
		})
	}
	exchanged := func(list []int64) []int64 { return mutant.LastExchanged(list, some) }
	return slices.Concat([]mutant.Mutant{
		mutant.Before("STR-02", "strides are ignored from rank 4 on", func(a *uploadArgs) {
			if a.NumDims >= some {
				densely(a)
			}
		}),
		changing("STR-02", "the strides of the last two of at least five dimensions change places", 5,
			func(s []int64) []int64 { return mutant.LastExchanged(s, 5) }),
		changing("STR-03/views", "the stride of the fourth dimension is not read", some, func(s []int64) []int64 {
			s[3] = s[2]
			return s
		}),
		changing("STR-05", "the sign of the third stride is ignored", 3, func(s []int64) []int64 {
			s[2] = max(s[2], -s[2])
			return s
		}),
		mutant.Before("STR-04", "a stride of zero in front of three others stands for the dense one", func(a *uploadArgs) {
			if s := strides(a); len(s) >= some && s[0] == 0 {
				s[0] = rowStrides(dtype.Type(a.Type).Size(), capi.Slice(a.Dims, a.NumDims))[0]
				restride(a, s)
			}
		}),
		mutant.Before("STR-09", "memory that may be changed is read densely from rank 5 on", func(a *uploadArgs) {
			if a.NumDims > some && a.HostBufferSemantics == capi.HostBufferSemanticsMutableZeroCopy {
				densely(a)
			}
		}),
		mutant.Before("STR-08", "strides of narrow elements are ignored from rank 3 on", func(a *uploadArgs) {
			if a.NumDims > 2 && dtype.Type(a.Type).IsSubByte() {
				densely(a)
			}
		}),
		mutant.Before("STR-11", "the two last of at least four dimensions of a layout change places", func(a *uploadArgs) {
			a.DeviceLayout = mutant.LayoutExchanged(a.DeviceLayout, some)
		}),
		mutant.After("BUF-08", "the two last of at least four dimensions of a layout are told in the other order",
			func(a *capi.BufferGetMemoryLayoutArgs) {
				if tiled := a.Layout.Tiled(); a.Layout.Type == capi.BufferMemoryLayoutTypeTiled {
					tiled.MinorToMajor, tiled.MinorToMajorSize = dims(exchanged(capi.Slice(tiled.MinorToMajor, tiled.MinorToMajorSize))...)
				}
			}),
		mutant.ArrivesOf("STR-10", "what has four dimensions and a layout of its own comes back as it lies on the device",
			func(c *serve.Invocation, a *downloadArgs, data []byte) {
				out, err := mutant.Try(c.Table(), capi.BufferGetMemoryLayoutArgs{Buffer: a.Src})
				d := mutant.DimsOf(c.Table(), a.Src)
				if err == nil && len(d) == some && out.Layout.Type == capi.BufferMemoryLayoutTypeTiled {
					tiled := out.Layout.Tiled()
					copy(data, permute(slices.Clone(data), mutant.TypeOf(c.Table(), a.Src).Size(), d,
						capi.Slice(tiled.MinorToMajor, tiled.MinorToMajorSize)))
				}
			}),
		mutant.After("BUF-02", "there is no sixth dimension", func(a *capi.BufferDimensionsArgs) { a.NumDims = min(a.NumDims, 5) }),
		mutant.After("BUF-03", "there is no sixth dimension", func(a *capi.BufferUnpaddedDimensionsArgs) {
			a.NumDims = min(a.NumDims, 5)
		}),
		dropsOnes("UNI-01/dims of one", "the last two of at least four dimensions change places",
			mutant.Made[uninitialized, capi.Buffer], exchanged),
		dropsOnes("COPY-01/dims of one/a copy to a device", "the last two of at least four dimensions change places",
			copiedBuffers, exchanged),
		dropsOnes("COPY-08/dims of one/a copy to a memory", "an empty dimension in the middle is left out",
			movedBuffers, func(list []int64) []int64 {
				return slices.DeleteFunc(slices.Clone(list), func(d int64) bool { return d == 0 && len(list) > 2 })
			}),
	}, mutant.InMemory(
		mutant.Before("D2H-06", "the two last of at least four dimensions of a host_layout change places", func(a *downloadArgs) {
			a.HostLayout = mutant.LayoutExchanged(a.HostLayout, some)
		}),
		mutant.Before("D2H-09", "strides are ignored from rank 4 on", func(a *downloadArgs) {
			if mutant.RankOf(a.HostLayout) >= some {
				ignoreLayout(a, capi.BufferMemoryLayoutTypeStrides)
			}
		}),
		mutant.Before("AH2D-19", "the two last of at least four dimensions of a literal's layout change places", func(a *literals) {
			if a.ShapeLayout != nil && a.ShapeLayout.Type == capi.BufferMemoryLayoutTypeTiled {
				a.ShapeLayout = mutant.LayoutExchanged(a.ShapeLayout, some)
			}
		}),
		mutant.Before("AH2D-19", "the strides of a literal are ignored from rank 4 on", func(a *literals) {
			if a.ShapeLayout != nil && a.ShapeLayout.Type == capi.BufferMemoryLayoutTypeStrides && a.ShapeNumDims >= some {
				a.ShapeLayout = nil
			}
		}),
		dropsOnes("UNI-05/dims of one", "the last two of at least four dimensions change places",
			mutant.Made[errorBuffers, capi.Buffer], exchanged),
		dropsOnes("UNI-13/dims of one/an alias", "there are no more than five dimensions",
			mutant.Made[capi.ClientCreateAliasBufferArgs, capi.Buffer],
			func(list []int64) []int64 { return list[:min(len(list), 5)] }),
	))
}

func severalMutants() []mutant.Mutant {
	return slices.Concat([]mutant.Mutant{
		mutant.LikeFirst[transferManager]("AH2D-22", "the second buffer of a manager that fails says what the first one says",
			func(a, first *errorArgs) {
				a.ErrorMessage, a.ErrorMessageSize = first.ErrorMessage, first.ErrorMessageSize
			}),
		mutant.LikeFirst[transferManager]("AH2D-22", "the second buffer of a manager that fails has the code of the first",
			func(a, first *errorArgs) { a.ErrorCode = first.ErrorCode }),
		mutant.Before("AH2D-22", "a byte after the message belongs to it",
			func(a *errorArgs) { a.ErrorMessageSize = mutant.OneMore(a.ErrorMessageSize) }),
		mutant.Before("AH2D-22", "a message has at most 255 bytes",
			func(a *errorArgs) { a.ErrorMessageSize = min(a.ErrorMessageSize, 255) }),
		mutant.Before("AH2D-01", "the size of the third buffer stands for all that follow",
			func(a *sizeArgs) { a.BufferIndex = min(a.BufferIndex, 2) }),
		mutant.Before("AH2D-01", "specs behind the fourth have its type", func(a *managers) {
			list := slices.Clone(mutant.View(a.ShapeSpecs, a.NumShapeSpecs))
			for i := range list {
				if i > 4 && list[i].NumDims > 3 {
					list[i].ElementType = list[4].ElementType
				}
			}
			a.ShapeSpecs, a.NumShapeSpecs = mutant.LastingArray(list)
		}),
		mutant.Before("AH2D-13", "the second part of buffers behind the eighth goes to the first offset", func(a *transferArgs) {
			if a.BufferIndex > 8 && !a.IsLastTransfer {
				a.Offset = 0
			}
		}),
		mutant.Hooked("VIEW-02", "every second view is given up with the callback of the one before", func() []serve.Hook {
			var mu sync.Mutex
			var kept viewOf // guarded by mu
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *viewOf) {
				mutant.Forward(c, a, func(a *viewOf) {
					mu.Lock()
					defer mu.Unlock()
					if kept.OnDeleteCallback != 0 {
						a.OnDeleteCallbackArg, kept = kept.OnDeleteCallbackArg, viewOf{}
						return
					}
					kept = *a
				})
			})}
		}),
	}, mutant.InMemory(
		mutant.LikeFirst[capi.Client]("UNI-05", "the second error buffer of 16 bytes or more says what the first one says",
			func(a, first *errorBuffers) {
				if first.ErrorMessageSize > 15 && a.ErrorMessageSize > 15 && a.ErrorMessageSize != first.ErrorMessageSize {
					a.ErrorMessage, a.ErrorMessageSize = first.ErrorMessage, first.ErrorMessageSize
				}
			}),
		mutant.Before("UNI-08", "a payload's name has at most 64 bytes", func(a *errorBuffers) {
			list := slices.Clone(capi.Slice(a.Payload, a.NumPayload))
			for i := range list {
				list[i].NameSize = min(list[i].NameSize, 64)
			}
			a.Payload, a.NumPayload = mutant.LastingArray(list)
		}),
		mutant.Before("UNI-15", "a message of an alias has at most 1024 bytes",
			func(a *fulfilArgs) { a.ErrorMessageSize = min(a.ErrorMessageSize, 1024) }),
		mutant.Before("EVT-23", "a message of an event has at most 4095 bytes",
			func(a *capi.EventSetArgs) { a.ErrorMessageSize = min(a.ErrorMessageSize, 4095) }),
		mutant.LikeFirst[capi.Client]("UNI-15", "aliases behind the first have the code of the first",
			func(a, first *fulfilArgs) { a.StatusCode = first.StatusCode }),
	))
}
