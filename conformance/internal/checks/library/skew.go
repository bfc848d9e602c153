// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// tails is how much longer the structs of newer callers are.
var tails = []uintptr{8, 16, 64}

// skewChecks returns the checks of the group SKEW. Those that go through all functions
// exist once for each family of functions, so that a report says where a plugin
// crashed.
func skewChecks() []check.Check {
	all := []check.Check{
		{Rule: "SKEW-04", Run: promisedSizes},
		{Rule: "SKEW-05", Library: true, Hostile: true, Run: clientCreate060},
		{Rule: "SKEW-06", Hostile: true, Run: viewSizes},
		{Rule: "SKEW-07", Hostile: true, Run: deserializeSizes},
		{Rule: "SKEW-08", Hostile: true, Run: compiledMemoryStatsSizes},
		{Rule: "SKEW-09", Hostile: true, Run: memoryStatsSizes},
		{Rule: "SKEW-10", Hostile: true, Run: poisonSizes},
		{Rule: "SKEW-11", Hostile: true, Run: errorBufferSizes},
		{Rule: "SKEW-12", Hostile: true, Run: executeOptionsSizes},
		{Rule: "SKEW-14", Timeout: 20 * time.Second, Library: true, Hostile: true, Run: callbackSizes},
		{Rule: "SKEW-15", Library: true, Hostile: true, Run: longerNamedValue},
		{Rule: "SKEW-16", Library: true, Run: namedValueSizes},
		{Rule: "SKEW-19", Library: true, Run: sizeMessage},
		{Rule: "SKEW-20", Library: true, Run: func(t *check.T) {
			if t.Minor() >= capi.APIMinor {
				t.SkipEnvf("the plugin has API 0.%d, which is not older than this suite's", t.Minor())
			}
			for _, f := range capi.Functions(capi.SectionCore) {
				if inside := f.Offset+8 <= t.Table().API().StructSize; !inside && t.Table().Has(f) {
					t.Errorf("%s is beyond the end of the plugin's table, but can be called", f.Name)
				} else if inside && f.Since > t.Minor() {
					t.Errorf("%s came with API 0.%d, but the plugin has 0.%d, and its table has it", f.Name, f.Since, t.Minor())
				}
			}
		}},
		{Rule: "SKEW-21", Run: func(t *check.T) {
			if minor := t.Table().API().PJRTAPIVersion.MinorVersion; minor <= capi.APIMinor {
				t.SkipEnvf("the plugin has API 0.%d, which is not newer than this suite's", minor)
			}
			s := newSession(t)
			for _, f := range families {
				for _, c := range f.calls {
					if !c.possible(t, s) {
						continue
					}
					if o := c.place(t, s, check.Exactly(c.fn.Size), nil); o.err != nil && code(o.err) != capi.ErrorCodeUnimplemented {
						t.Errorf("%s of a caller with API 0.%d: %v", c.fn.Name, capi.APIMinor, o.err)
					}
				}
			}
		}},
	}
	for _, f := range families {
		add := func(rule string, hostile bool, profile check.Profile, look func(t *check.T, s *session, c call, exact outcome)) {
			all = append(all, check.Check{
				Rule: rule, Variant: "functions=" + f.name, Profile: profile, Library: !f.client, Hostile: hostile,
				Run: func(t *check.T) { ofFamily(t, f, look) },
			})
		}
		add("SKEW-01", false, check.Quick, func(t *check.T, s *session, c call, exact outcome) {
			for _, more := range tails {
				newerCaller(t, c, s, exact, more)
			}
		})
		add("SKEW-02", false, check.Quick, func(t *check.T, s *session, c call, exact outcome) {
			sizes := []uintptr{c.fn.Size}
			for _, g := range grown[c.fn.Name] {
				if understated[c.fn.Name] {
					break
				}
				sizes = append(sizes, g.size)
			}
			for _, size := range sizes {
				o := c.place(t, s, check.Exactly(size), nil)
				t.Skew(placedSkew(c.fn, size, exact, o))
				if o.spill != "" {
					t.Errorf("struct_size %d: %s", size, o.spill)
				}
			}
		})
		add("SKEW-03", false, check.Quick, func(t *check.T, s *session, c call, _ outcome) { refusesShort(t, c, s) })
		all = append(all, check.Check{
			Rule: "SKEW-03", Variant: "memory=guarded,functions=" + f.name, Profile: check.Core, Library: !f.client, Hostile: true,
			Run: func(t *check.T) {
				ofFamily(t, f, func(t *check.T, s *session, c call, _ outcome) {
					// Memory that no version had is not there: reading it ends the
					// process.
					for _, size := range neverHad(c.fn) {
						o := c.place(t, s, check.Placement{Have: max(size, 8), Stated: size, Guard: true}, nil)
						t.ErrorCode(o.err, fmt.Sprintf("%s with the struct_size %d, which no version had", c.fn.Name, size),
							capi.ErrorCodeInvalidArgument)
					}
				})
			},
		})
		add("SKEW-17", true, check.Quick, func(t *check.T, s *session, c call, exact outcome) {
			x := &capi.ExtensionBase{StructSize: capi.ExtensionBaseSize, Type: 9999}
			if o := c.place(t, s, check.Exactly(c.fn.Size), x); code(o.err) != code(exact.err) {
				t.Errorf("%s with an extension of type 9999: expected %v, got %v", c.fn.Name, code(exact.err), o.err)
			}
		})
		add("SKEW-22", true, check.Quick, func(t *check.T, s *session, c call, exact outcome) {
			p := check.Placement{Have: c.fn.Size, Stated: math.MaxUint}
			o := c.place(t, s, p, nil)
			if code(o.err) != code(exact.err) {
				t.Errorf("%s with the struct_size %d: expected %v as with %d, got %v", c.fn.Name, uint64(math.MaxUint), code(exact.err),
					c.fn.Size, o.err)
			}
			if o.spill != "" {
				t.Errorf("struct_size %d: %s", uint64(math.MaxUint), o.spill)
			}
		})
	}
	return all
}

// eachCall passes to look every call that the plugin can do, with its outcome for the
// right size. It returns how many there are.
func eachCall(t *check.T, calls []call, look func(t *check.T, s *session, c call, exact outcome)) (looked int) {
	s := newSession(t)
	for _, c := range calls {
		if !c.possible(t, s) {
			continue
		}
		exact := c.place(t, s, check.Exactly(c.fn.Size), nil)
		if code(exact.err) == capi.ErrorCodeUnimplemented {
			continue
		}
		looked++
		look(t, s, c, exact)
	}
	return looked
}

// ofFamily is eachCall for a family of functions of which the plugin must have one.
func ofFamily(t *check.T, f family, look func(t *check.T, s *session, c call, exact outcome)) {
	if eachCall(t, f.calls, look) == 0 {
		t.SkipUnimplf("the plugin has none of these functions")
	}
}

// promisedSizes makes calls with every size that a slightly older caller has.
func promisedSizes(t *check.T) {
	s, looked := newSession(t), 0
	for _, f := range families {
		for _, c := range f.calls {
			sizes := promised(c.fn.Name, t.Minor())
			if len(sizes) == 0 || !c.possible(t, s) {
				continue
			}
			exact := c.place(t, s, check.Exactly(c.fn.Size), nil)
			if code(exact.err) == capi.ErrorCodeUnimplemented {
				continue
			}
			for _, size := range sizes {
				looked++
				if o := c.place(t, s, check.Exactly(size), nil); code(o.err) != code(exact.err) {
					t.Errorf("%s with the struct_size %d of a caller that is up to %d versions older: expected %v, got %v",
						c.fn.Name, size, promisedMinors, code(exact.err), o.err)
				}
			}
		}
	}
	if looked == 0 {
		t.SkipEnvf("no struct of a function that the plugin has grew in API 0.%d to 0.%d", t.Minor()-promisedMinors+1, t.Minor())
	}
}

// newerCaller makes a call with a struct that is longer than any that the suite knows.
func newerCaller(t *check.T, c call, s *session, exact outcome, more uintptr) {
	o := c.place(t, s, check.Exactly(c.fn.Size+more), nil)
	x := placedSkew(c.fn, c.fn.Size+more, exact, o)
	x.Callers, x.Newer = fmt.Sprintf("newer by %d bytes", more), int(more)
	t.Skew(x)
	switch {
	case code(o.err) != code(exact.err):
		t.Errorf("%s with a struct_size of %d+%d: expected %v, got %v", c.fn.Name, c.fn.Size, more, code(exact.err), o.err)
	case o.out != exact.out:
		t.Errorf("%s with a struct_size of %d+%d: expected the result % x, got % x", c.fn.Name, c.fn.Size, more, exact.out, o.out)
	case o.spill != "":
		t.Errorf("struct_size %d+%d: %s", c.fn.Size, more, o.spill)
	}
}

// refusesShort makes calls with sizes that the struct never had. The memory is of the
// full size, so that a plugin that reads on shows itself instead of crashing.
func refusesShort(t *check.T, c call, s *session) {
	for _, size := range neverHad(c.fn) {
		o := c.place(t, s, check.Placement{Have: c.fn.Size, Stated: size}, nil)
		t.ErrorCode(o.err, fmt.Sprintf("%s with the struct_size %d, which no version had", c.fn.Name, size), capi.ErrorCodeInvalidArgument)
	}
}

// neverHad returns sizes below the first that a struct had, for functions that can
// return an error.
func neverHad(f *capi.Function) []uintptr {
	if f.Void || f.Size == 0 {
		return nil
	}
	first := f.Size
	if g := grown[f.Name]; len(g) > 0 {
		first = g[0].size
	}
	last := (first - 1) &^ 7
	var list []uintptr
	for _, size := range []uintptr{0, 8, 16, last} {
		if size <= last && !slices.Contains(list, size) {
			list = append(list, size)
		}
	}
	return list
}

// size is the size of a struct from a version on.
type size struct {
	minor int
	size  uintptr
}

// grown are the sizes of the structs that grew, oldest first.
var grown = map[string][]size{
	"PJRT_Error_GetCode":                        {{0, 24}, {3, 28}},
	"PJRT_Plugin_Attributes":                    {{9, 24}, {71, 32}},
	"PJRT_Client_Create":                        {{0, 40}, {2, 72}, {61, 88}},
	"PJRT_Client_BufferFromHostBuffer":          {{0, 104}, {4, 112}, {23, 120}},
	"PJRT_Client_CreateViewOfDeviceBuffer":      {{33, 104}, {66, 112}},
	"PJRT_Client_CreateErrorBuffer":             {{82, 96}, {103, 112}, {117, 120}},
	"PJRT_Device_MemoryStats":                   {{0, 185}, {113, 201}},
	"PJRT_Device_AddressableMemories":           {{13, 32}, {46, 40}},
	"PJRT_Device_PoisonExecution":               {{85, 49}, {100, 72}},
	"PJRT_Executable_Serialize":                 {{0, 32}, {20, 56}},
	"PJRT_Executable_DeserializeAndLoad":        {{0, 48}, {71, 64}, {111, 72}},
	"PJRT_Executable_GetCompiledMemoryStats":    {{40, 64}, {43, 104}, {72, 112}, {90, 120}, {104, 144}},
	"PJRT_Buffer_ToHostBuffer":                  {{0, 48}, {8, 56}},
	"PJRT_TopologyDescription_Create":           {{0, 24}, {1, 56}},
	"PJRT_DeviceDescription_MemoryDescriptions": {{59, 40}, {61, 48}},
	"PJRT_Gpu_Register_Custom_Call":             {{0, 64}, {114, 68}},
	"PJRT_ExecuteOptions":                       {{0, 52}, {46, 72}, {64, 80}, {76, 88}, {78, 112}, {97, 120}, {108, 121}, {112, 144}, {116, 160}},
}

// understated are the functions whose older callers state a size smaller than their
// struct: their headers left out the last field.
var understated = map[string]bool{"PJRT_Plugin_Attributes": true, "PJRT_Device_AddressableMemories": true}

// promisedMinors is how many versions older than the plugin a caller may be and must
// still be served. The header promises weeks, and at its fastest had a version each
// week.
const promisedMinors = 3

// promised returns the sizes that callers up to promisedMinors older than a plugin use,
// except the plugin's own size.
func promised(name string, minor int) []uintptr {
	list := grown[name]
	var sizes []uintptr
	for i := 0; i+1 < len(list); i++ {
		if next := list[i+1].minor; next <= minor && next > minor-promisedMinors {
			sizes = append(sizes, list[i].size)
		}
	}
	return sizes
}

// accepts judges the outcome of a call with an older size: within the promise it must
// be a success, outside it may be a refusal.
func accepts(t *check.T, name string, have uintptr, err error) {
	t.Skew(skewOf(name, have, err))
	for _, size := range promised(name, t.Minor()) {
		if size == have && err != nil {
			t.Errorf("%s with the size %d of a caller that is up to %d versions older: expected success, got %v", name, have,
				promisedMinors, err)
			return
		}
	}
	if err != nil {
		t.ErrorCode(err, fmt.Sprintf("%s with the old size %d, unless it is accepted", name, have), capi.ErrorCodeInvalidArgument)
	}
}

// placedSkew returns the matrix's line for a call that should do what it does with the
// right size.
func placedSkew(f *capi.Function, have uintptr, exact, o outcome) report.Skew {
	err := o.err
	if code(o.err) == code(exact.err) {
		err = nil
	}
	x := skewOf(f.Name, have, err)
	if len(grown[f.Name]) == 0 {
		x.Callers, x.Since = fmt.Sprintf("0.%d and newer", f.Since), f.Since
	}
	if o.spill != "" {
		x.Outcome, x.OK = "overwrites what stands behind the struct", false
	}
	return x
}

// skewOf returns the line of the report's matrix for callers with a struct of a size.
func skewOf(name string, have uintptr, err error) report.Skew {
	x := report.Skew{Struct: name, Size: int(have), Outcome: "works", OK: err == nil}
	if err != nil {
		x.Outcome = "refused: " + capi.CodeOf(err).String()
	}
	list := grown[name]
	for i, g := range list {
		if g.size != have {
			continue
		}
		x.Callers, x.Since = fmt.Sprintf("0.%d and newer", g.minor), g.minor
		if i+1 < len(list) {
			x.Until = list[i+1].minor - 1
			x.Callers = fmt.Sprintf("0.%d to 0.%d", g.minor, list[i+1].minor-1)
		}
	}
	return x
}

// namedValueSizes looks at all attributes.
func namedValueSizes(t *check.T) {
	looked := 0
	for _, list := range lists(t) {
		for i := range int(list.n) {
			if list.p == nil {
				break // ATTR-06 and similar rules report that
			}
			looked++
			v := check.NamedValueAt(list.p, i)
			if v.StructSize < capi.NamedValueSize || v.StructSize > 1<<16 {
				t.Errorf("%s: element %d: expected a struct_size of %d or a little more, got %d", list.where, i, capi.NamedValueSize,
					v.StructSize)
			}
			walkChain(t, v.ExtensionStart, fmt.Sprintf("%s: element %d: extension_start", list.where, i))
		}
	}
	if looked == 0 {
		t.SkipUnimplf("no object of the plugin has attributes")
	}
}

var digits = regexp.MustCompile(`\d+`)

// sizeMessage reads what the plugin says about a struct that is too short.
func sizeMessage(t *check.T) {
	const stated = 8
	name, want := "PJRT_Plugin_Attributes", uintptr(24)
	if t.Minor() >= 71 {
		want = capi.PluginAttributesArgsSize
	}
	_, err := check.Raw(t, capi.PluginAttributesArgs{StructSize: stated})
	if err == nil {
		t.SkipEnvf("%s takes a struct_size of %d, so there is no message to read", name, stated)
	}
	var e *capi.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: %v", name, err)
	}
	numbers := digits.FindAllString(e.Message, -1)
	has := func(n int) bool {
		for _, s := range numbers {
			if s == strconv.Itoa(n) {
				return true
			}
		}
		return false
	}
	for _, missing := range []struct {
		what string
		ok   bool
	}{
		{"the struct " + name + "_Args", strings.Contains(e.Message, name)},
		{fmt.Sprintf("the size %d that it expects", want), has(int(want))},
		{fmt.Sprintf("the size %d that it got", stated), has(stated)},
		{fmt.Sprintf("the plugin's API version 0.%d", t.Minor()), strings.Contains(e.Message, fmt.Sprintf("0.%d", t.Minor()))},
	} {
		if !missing.ok {
			t.Errorf("the message about a struct of the wrong size does not name %s: %q", missing.what, e.Message)
		}
	}
}
