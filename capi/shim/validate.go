// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/capi/internal/spin"
)

// validator tracks the handles of one plugin.
type validator struct {
	s *session
	// The plugin's errors are objects with their own functions, whose calls the validator does not
	// see.
	errorsEscape bool
	// The plugin has unknown functions, which may return handles.
	newer bool

	mu    spin.Mutex
	live  map[key]*object      // guarded by mu
	dead  map[key]*object      // guarded by mu
	nulls map[string]*nullLeft // guarded by mu; by type, the last call that left a handle null
	order []key                // guarded by mu; of dead, the oldest first
}

// key is a handle with its type, because objects of different types can have the same address.
type key struct {
	typ    string
	handle uintptr
}

// object is the object of a handle. Its fields are guarded by validator.mu.
type object struct {
	key
	made   uint64 // number of the call
	maker  string // function
	owned  bool   // the client destroys it
	client *object
	parent *object // destroys it with itself; nil if it is destroyed separately
	ended  uint64  // number of the call that destroyed it
	ender  string
	read   bool // of an error
	more   int  // how often the plugin returned it again; each time needs a destroy call
}

// maxDead limits the number of destroyed handles that are remembered.
const maxDead = 1 << 16

// errorsAreObjects is the first API minor in which errors have their own functions.
const errorsAreObjects = 107

func newValidator(s *session) *validator {
	_, minor := s.real.Version()
	v := &validator{s: s, live: make(map[key]*object), dead: make(map[key]*object), nulls: make(map[string]*nullLeft)}
	v.errorsEscape = minor >= errorsAreObjects
	v.newer = minor > capi.APIMinor
	for _, x := range s.real.Extensions() {
		if !slices.Contains(capi.Sections(), capi.SectionExtension(x.Type)) &&
			describe.StructByName("PJRT_Extension_Base").Field("type").Enum.Text(int64(x.Type)) == "" {
			v.newer = true
		}
	}
	return v
}

func (o *object) String() string { return fmt.Sprintf("%s %#x", o.typ, o.handle) }

func (o *object) origin() string { return fmt.Sprintf("made by call #%d %s", o.made, o.maker) }

func (k *call) String() string { return fmt.Sprintf("call #%d %s", k.number, k.function.Name) }

// before checks a call before it is made. It reports whether calling the plugin is harmless.
func (v *validator) before(k *call) (ok bool) {
	reports, name := v.s.reports, k.function.Name
	if k.view.Struct == nil {
		reports.add(nullArguments, name, "%s has no arguments: the pointer is null", k)
		return false
	}
	ok = true
	if k.args.Sized && !k.args.SizeOK(k.view.StructSize()) {
		reports.add(structSize, name, "%s: struct_size %d is not a size that %s ever had: now it is %d", k, k.view.StructSize(),
			k.args.Name, k.args.Size)
		return false
	}
	for _, f := range k.rule.records {
		for _, r := range k.view.Records(f) {
			ok = v.record(k, r) && ok
		}
	}
	if k.rule.subject != nil && k.view.IsNull(k.rule.subject) {
		reports.add(nullHandle, name, "%s: %s is null%s", k, k.rule.subject.Name, v.leftBy(k.rule.subject.Type))
		ok = false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	var client *object
	var of *describe.Field
	for _, f := range k.rule.ins {
		for _, slot := range v.slots(k, f) {
			o := v.use(k, f.Name, key{f.Type, slot.Get()}, f == k.rule.destroys)
			if o == nil {
				ok = ok && slot.Get() == 0
				continue
			}
			c := o.client
			if o.typ == "PJRT_Client" {
				c = o
			}
			switch {
			case c == nil || k.rule.mixed || c == client:
			case client == nil:
				client, of = c, f
			default:
				reports.add(wrongOwner, name, "%s: %s is %s of %s (%s), but %s is of %s", k, f.Name, o, c, o.origin(), of.Name, client)
				ok = false
			}
		}
	}
	if k.rule.destroys != nil && ok {
		v.destroy(k)
	}
	return ok
}

// slots returns the handles in a field, including those in lists.
func (v *validator) slots(k *call, f *describe.Field) []describe.Slot {
	return k.view.Slots(f, k.inner)
}

// record checks a struct that the arguments point to.
func (v *validator) record(k *call, r describe.View) (ok bool) {
	if r.Struct == nil {
		return true
	}
	ok = true
	if r.Struct.Sized && !r.Struct.SizeOK(r.StructSize()) {
		v.s.reports.add(structSize, k.function.Name, "%s: struct_size %d is not a size that %s ever had: now it is %d", k, r.StructSize(),
			r.Struct.Name, r.Struct.Size)
		return false
	}
	for i := range r.Struct.Fields {
		f := &r.Struct.Fields[i]
		switch f.Kind {
		case describe.Handle:
			for _, slot := range r.Slots(f, 0) {
				v.mu.Lock()
				o := v.use(k, f.Name, key{f.Type, slot.Get()}, false)
				v.mu.Unlock()
				ok = ok && (o != nil || slot.Get() == 0)
			}
		case describe.Record:
			if f.Depth > 0 {
				for _, inner := range r.Records(f) {
					ok = v.record(k, inner) && ok
				}
			}
		}
	}
	return ok
}

// use looks up a handle, and reports it if it must not be used.
//
// Precondition: v.mu is held.
func (v *validator) use(k *call, field string, h key, destroys bool) *object {
	if h.handle == 0 {
		return nil
	}
	if o := v.live[h]; o != nil {
		if k.rule.reads {
			o.read = true
		}
		return o
	}
	name := k.function.Name
	if o := v.dead[h]; o != nil {
		kind, what := useAfterDestroy, "was destroyed"
		if destroys {
			kind = doubleDestroy
		}
		if o.parent != nil || o.ender == functionClientDestroy.Name && o.typ != "PJRT_Client" {
			what = "ended"
		}
		v.s.reports.add(kind, name, "%s: %s %s by call #%d %s; it was %s", k, o, what, o.ended, o.ender, o.origin())
		return nil
	}
	if known[h.typ] && !v.newer {
		v.s.reports.add(unknownHandle, name, "%s: %s is %s %#x, which the plugin never returned", k, field, h.typ, h.handle)
		return nil
	}
	// It came from a call that the validator does not see.
	o := &object{key: h, made: k.number, maker: "an unseen call"}
	v.live[h] = o
	return o
}

// destroy marks the handle of a destroy call as dead before the call, because during the call
// another object may get its address.
//
// Precondition: v.mu is held.
func (v *validator) destroy(k *call) {
	h := key{k.rule.destroys.Type, uintptr(k.view.Word(k.rule.destroys))}
	o := v.live[h]
	if o == nil {
		return
	}
	if o.more > 0 {
		o.more--
		return
	}
	name := k.function.Name
	if k.function == functionErrorDestroy && !o.read && o.owned {
		v.s.reports.add(errorNotRead, name, "%s: the message of %s was never read; it was %s", k, o, o.origin())
	}
	v.end(o, k)
	if !v.hasChildren(o.typ) {
		return
	}
	var left []*object
	for _, c := range v.live {
		switch {
		case c.parent == o:
			v.end(c, k)
		case o.typ == "PJRT_Client" && c.client == o && c.owned && diesWithClient[c.typ]:
			left = append(left, c)
			v.end(c, k)
		}
	}
	if len(left) > 0 {
		v.s.reports.add(clientTooEarly, name, "%s: %s still has %s", k, o, listed(left))
	}
}

// diesWithClient has the types of objects that must not outlive their client.
var diesWithClient = map[string]bool{
	"PJRT_AsyncHostToDeviceTransferManager": true,
	"PJRT_AsyncTrackingEvent":               true,
	"PJRT_Buffer":                           true,
	"PJRT_LoadedExecutable":                 true,
}

func (v *validator) hasChildren(typ string) bool {
	return typ == "PJRT_Client" || typ == "PJRT_TopologyDescription" || typ == "PJRT_Executable"
}

// end marks a handle as dead.
//
// Precondition: v.mu is held.
func (v *validator) end(o *object, k *call) {
	o.ended, o.ender = k.number, k.function.Name
	delete(v.live, o.key)
	if _, again := v.dead[o.key]; !again {
		v.order = append(v.order, o.key)
	}
	v.dead[o.key] = o
	if len(v.order) > maxDead {
		delete(v.dead, v.order[0])
		v.order = v.order[1:]
	}
}

// after registers the handles that a call returned.
func (v *validator) after(k *call) {
	if err := k.c.Err(); err != nil && k.function.Errors == capi.ErrorsPJRT {
		v.gotError(err, k.plan, k.number)
	}
	if k.view.Struct == nil {
		return
	}
	if k.err == nil {
		v.judgeResults(k)
	}
	if k.err == nil && len(k.rule.outs) > 0 {
		v.adopt(k)
	}
	if k.err == nil {
		v.watchMemory(k)
	}
}

// nullLeft is a call that succeeded and left a handle null, where there must be one.
type nullLeft struct {
	call     uint64
	function string
}

// judgeResults reports results without which the client cannot go on, though the call succeeded.
// The plugin is to blame for them, and not the client that uses them.
func (v *validator) judgeResults(k *call) {
	if err := k.function.CheckResults(k.view.Pointer(), k.size()); err != nil {
		var e *capi.Error
		errors.As(err, &e)
		v.s.reports.add(nullResult, k.function.Name, "%s: %s", k, e.Message)
	}
	for _, f := range k.rule.outs {
		slots, null := v.slots(k, f), 0
		for _, slot := range slots {
			if slot.Get() == 0 {
				null++
			}
		}
		if null == 0 || k.isSizeQuery() {
			continue
		}
		v.mu.Lock()
		v.nulls[f.Type] = &nullLeft{k.number, k.function.Name}
		v.mu.Unlock()
		known := slices.ContainsFunc(k.function.Results, func(r capi.Result) bool { return r.Name == f.Name })
		if !known && (f.Type == "PJRT_Event" || k.function == functionExecute) {
			v.s.reports.add(nullResult, k.function.Name, "%s: the plugin reported success but left %d of %d handles in %s null", k, null,
				len(slots), f.Name)
		}
	}
}

// isSizeQuery reports whether the call only asks for a size, which needs no event.
func (k *call) isSizeQuery() bool {
	return k.function == functionToHost && k.view.IsNull(k.view.Struct.Field("dst"))
}

// leftBy says which call of the plugin left a handle of the type null, if there was one.
func (v *validator) leftBy(typ string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := v.nulls[typ]; n != nil {
		return fmt.Sprintf("; call #%d %s left one null", n.call, n.function)
	}
	return ""
}

// gotError registers an error that the client got from a function, or through a callback.
func (v *validator) gotError(err *capi.ErrorHandle, by *plan, number uint64) {
	h := key{"PJRT_Error", describe.HandleOf(err)}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.live[h] = &object{key: h, made: number, maker: by.function.Name, owned: !v.errorsEscape}
}

// stays has the types of objects that a plugin returns repeatedly: they belong to another object,
// and are destroyed with it.
var stays = map[string]bool{
	"PJRT_Device":               true,
	"PJRT_DeviceDescription":    true,
	"PJRT_Layouts_MemoryLayout": true,
	"PJRT_Memory":               true,
	"PJRT_MemoryDescription":    true,
	"PJRT_TopologyDescription":  true,
}

// adopt registers the handles that a call returned.
func (v *validator) adopt(k *call) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var subject, client *object
	for _, f := range k.rule.ins {
		for _, slot := range v.slots(k, f) {
			o := v.live[key{f.Type, slot.Get()}]
			if o == nil {
				continue
			}
			if subject == nil {
				subject = o
			}
			if client == nil {
				if client = o.client; o.typ == "PJRT_Client" {
					client = o
				}
			}
		}
	}
	for _, f := range k.rule.outs {
		for _, slot := range v.slots(k, f) {
			h := key{f.Type, slot.Get()}
			if h.handle == 0 {
				continue
			}
			mine := describe.Owns(k.function.Name, f)
			switch old := v.live[h]; {
			case old == nil:
			case mine:
				old.more++ // the plugin may count references
				continue
			case stays[f.Type]:
				continue
			}
			o := &object{key: h, made: k.number, maker: k.function.Name, owned: mine, client: client}
			switch {
			case !stays[f.Type] || mine || subject == nil:
			case subject.typ == "PJRT_TopologyDescription" || subject.typ == "PJRT_Executable":
				o.parent = subject
			default:
				o.parent = client
			}
			delete(v.dead, h)
			v.live[h] = o
		}
	}
}

// finish reports objects that were never destroyed. It does not report those of a live client,
// because then the process ended in the middle of its work.
func (v *validator) finish() {
	v.mu.Lock()
	defer v.mu.Unlock()
	leaks := make(map[string][]*object)
	alive := make(map[string]int)
	for _, o := range v.live {
		switch {
		case !o.owned:
		case o.client != nil && v.live[o.client.key] == o.client, o.typ == "PJRT_Client":
			alive[o.typ]++
		default:
			leaks[o.typ+" "+o.maker] = append(leaks[o.typ+" "+o.maker], o)
		}
	}
	var keys []string
	for k := range leaks {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		v.s.reports.add(leak, leaks[k][0].maker, "never destroyed: %s", listed(leaks[k]))
	}
	if len(alive) > 0 {
		var counts []string
		for typ, n := range alive {
			counts = append(counts, fmt.Sprint(n, " ", typ))
		}
		slices.Sort(counts)
		v.s.reports.note("the process ended before it destroyed its client; still alive were %s", strings.Join(counts, ", "))
	}
}

// listed names the first few objects of a list.
func listed(list []*object) string {
	const shown = 8
	slices.SortFunc(list, func(a, b *object) int { return int(int64(a.made) - int64(b.made)) })
	var b strings.Builder
	for i, o := range list {
		if i == shown {
			fmt.Fprintf(&b, " and %d more", len(list)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (%s)", o, o.origin())
	}
	return b.String()
}
