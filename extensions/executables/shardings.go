// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package executables

import (
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// ParameterShardings returns how the compiler spread the arguments of exe over devices: a Spec for
// each argument, or nil if the plugin knows none, for example because the program is not divided
// (PJRT_Shardings_PJRT_Executable_ParameterShardings). Devices in a Spec are partition numbers.
// For a plugin without the extension, the shardings of a program that is divided come from the
// optimized program.
//
// The method [pjrt.Executable.ParameterShardings] returns the plugin's messages unchanged. Package
// pjrt/sharding uses shardings to run programs on whole arrays.
func ParameterShardings(exe *pjrt.Executable) ([]sharding.Spec, error) {
	return decodeShardings(exe.ParameterShardings())
}

// ResultShardings is [ParameterShardings] for the results
// (PJRT_Shardings_PJRT_Executable_OutputShardings).
func ResultShardings(exe *pjrt.Executable) ([]sharding.Spec, error) {
	return decodeShardings(exe.OutputShardings())
}

func decodeShardings(list []pjrt.Sharding, err error) ([]sharding.Spec, error) {
	if err != nil || list == nil {
		return nil, err
	}
	specs := make([]sharding.Spec, len(list))
	for i, s := range list {
		if specs[i], err = sharding.Decode(s); err != nil {
			return nil, err
		}
	}
	return specs, nil
}
