// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
)

// rule holds what the validator knows about a function.
type rule struct {
	ins      []*describe.Field // input handles
	outs     []*describe.Field // output handles
	records  []*describe.Field // input structs
	destroys *describe.Field   // the handle that the call destroys, or nil
	subject  *describe.Field   // the handle that must not be null, or nil
	mixed    bool              // may have handles of several clients
	reads    bool              // it reads an error
}

// mixing has the functions that pass data from one client to another, or load an object of another
// client.
var mixing = map[string]bool{
	"PJRT_Buffer_CopyToDevice": true,
	"PJRT_Buffer_CopyToMemory": true,
	"PJRT_Client_Load":         true,
	"PJRT_Compile":             true,
}

// known has the types whose handles come only from functions that the Shim sees.
var known = map[string]bool{
	"PJRT_AsyncHostToDeviceTransferManager": true,
	"PJRT_Buffer":                           true,
	"PJRT_Client":                           true,
	"PJRT_Device":                           true,
	"PJRT_DeviceDescription":                true,
	"PJRT_Event":                            true,
	"PJRT_Executable":                       true,
	"PJRT_ExecuteContext":                   true,
	"PJRT_LoadedExecutable":                 true,
	"PJRT_Memory":                           true,
	"PJRT_TopologyDescription":              true,
}

// ruleOf derives the rule of a function from the description of its arguments.
func ruleOf(f *capi.Function, args *describe.Struct) *rule {
	r := &rule{mixed: mixing[f.Name]}
	for i := range args.Fields {
		field := &args.Fields[i]
		switch {
		case field.Kind == describe.Handle && field.Dir == describe.In:
			r.ins = append(r.ins, field)
		case field.Kind == describe.Handle:
			r.outs = append(r.outs, field)
		case field.Kind == describe.Record && field.Dir == describe.In:
			r.records = append(r.records, field)
		}
	}
	r.destroys = describe.Destroys(f.Name)
	if r.destroys == nil && len(args.Fields) > 0 && len(r.ins) > 0 && r.ins[0] == &args.Fields[0] && f.Section == capi.SectionCore {
		r.subject = r.ins[0]
	}
	switch f {
	case functionErrorMessage, functionErrorGetCode, (*capi.ErrorForEachPayloadArgs)(nil).Function():
		r.reads = true
	}
	return r
}
