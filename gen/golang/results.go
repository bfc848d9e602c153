// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/purepjrt/purepjrt/gen/model"
)

// mayBeNull are the handles and lists, by struct and field, that a successful function
// may leave null.
var mayBeNull = map[string]bool{
	"PJRT_Buffer_ToHostBuffer_Args.event":                                   true, // asked for the size only
	"PJRT_Client_BufferFromHostBuffer_Args.done_with_host_buffer":           true, // the plugin is done with it
	"PJRT_CopyToDeviceStream_AddChunk_Args.transfer_complete":               true, // the transfer is over
	"PJRT_Device_CreateAsyncTrackingEvent_Args.event":                       true, // the plugin does not track
	"PJRT_Device_DefaultMemory_Args.memory":                                 true, // the device has none
	"PJRT_Device_GetAttributes_Args.device_attributes":                      true, // there is nothing to delete
	"PJRT_Shardings_PJRT_Executable_OutputShardings_Args.shardings":         true, // the plugin knows none
	"PJRT_Shardings_PJRT_Executable_OutputShardings_Args.sharding_sizes":    true,
	"PJRT_Shardings_PJRT_Executable_ParameterShardings_Args.shardings":      true,
	"PJRT_Shardings_PJRT_Executable_ParameterShardings_Args.sharding_sizes": true,
}

// resultsOf returns the values of type capi.Result for the out fields of a struct
// that have addresses.
func (g *generator) resultsOf(t *typeInfo) ([]jen.Code, error) {
	var out []jen.Code
	for i := range t.st.Fields {
		f := &t.st.Fields[i]
		key := t.c + "." + f.Name
		if !isOut(t, f) || callerMemory[key] || mayBeNull[key] || f.Ptr == 0 {
			continue
		}
		if t.unit.pkg == packageOutside && saysNull(f.Doc) {
			continue
		}
		info := g.types[f.Base]
		for info != nil && info.kind == kindAlias && g.types[info.target] != nil {
			info = g.types[info.target]
		}
		handle := info != nil && (info.kind == kindHandle || info.kind == kindStruct && isObject(info))
		record := info != nil && info.kind == kindStruct
		items := []jen.Code{jen.Id("Name").Op(":").Lit(f.Name), jen.Id("Offset").Op(":").Lit(int(f.Offset))}
		set := func(name string, value int64) { items = append(items, jen.Id(name).Op(":").Lit(int(value))) }
		counts := g.counts(t, f, t.st)
		if handle && f.Ptr == 1 {
			counts = nil // a field that is called like a list keeps the list alive
		}
		switch {
		case len(counts) == 0 && isOwner(t.st, f):
			continue // null means that there is nothing to delete
		case len(counts) > 1:
			return nil, fmt.Errorf("the out field %s has two counts: say in mayBeNull, in gen/golang/results.go, that nothing is known of it", key)
		case len(counts) == 0 && g.since(t.unit.header, key) > max(g.structSince(t), oldestMinor):
			continue // older plugins leave it null
		case len(counts) == 0 && (handle || record) && f.Ptr == 1:
		case len(counts) == 0:
			continue // an address on a device, or memory whose length another function returns
		default:
			count := fieldOf(t.st, counts[0])
			if count == nil {
				return nil, fmt.Errorf("the out field %s is counted by %s, which the struct does not have", key, counts[0])
			}
			elem := int64(8) // a pointer
			if f.Ptr == 1 {
				elem = 1 // bytes
				if f.Base != "void" {
					gt, err := g.typeOf(f.Base, 0, false)
					if err != nil {
						return nil, fmt.Errorf("the out field %s: %w", key, err)
					}
					elem = gt.size
				}
			}
			items = append(items, jen.Id("Count").Op(":").Qual(pathCAPI, "Span").Add(span(count.Offset, count.Size)))
			set("Elem", elem)
			if handle && f.Ptr == 2 {
				items = append(items, jen.Id("Handles").Op(":").True())
			}
			if by := g.sizes(t, f, t.st); by != "" {
				set("Sizes", fieldOf(t.st, by).Offset)
			}
		}
		out = append(out, jen.Values(items...))
	}
	return out, nil
}

// saysNull reports whether the documentation of a field mentions null. In the headers of
// others, this is how a field is allowed to be null after success.
func saysNull(doc string) bool {
	words := strings.FieldsFunc(strings.ToLower(doc), func(r rune) bool { return r < 'a' || r > 'z' })
	return slices.Contains(words, "null") || slices.Contains(words, "nullptr")
}

// isOwner reports whether a field only keeps another result alive, for its deleter.
func isOwner(s *model.Struct, f *model.Field) bool {
	for _, end := range []string{"", "_holder", "_ptr"} {
		if name, ok := strings.CutSuffix(f.Name, end); ok && fieldOf(s, name+"_deleter") != nil {
			return true
		}
	}
	return false
}

// fieldOf returns the field with a name, or nil.
func fieldOf(s *model.Struct, name string) *model.Field {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return &s.Fields[i]
		}
	}
	return nil
}
