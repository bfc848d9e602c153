// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package shardings reports how the compiler spread the arguments and results of a program
// over devices. The extension Shardings came with API 0.91; libtpu and XLA's plugins for
// GPUs have it. For a plugin without it, such as XLA's for CPUs, the shardings of a
// program that is divided among devices come from the optimized program.
//
// The methods pjrt.Executable.ParameterShardings and pjrt.Executable.OutputShardings
// return the plugin's messages unchanged. Package pjrt/sharding uses shardings to run
// programs on whole arrays.
package shardings

import (
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// Parameters returns the shardings of the arguments of exe, one for each, or nil if the
// plugin knows none, for example because the program is not divided
// (PJRT_Shardings_PJRT_Executable_ParameterShardings). Devices in a Spec are partition
// numbers.
func Parameters(exe *pjrt.Executable) ([]sharding.Spec, error) {
	return decode(exe.ParameterShardings())
}

// Results is [Parameters] for the results (PJRT_Shardings_PJRT_Executable_OutputShardings).
func Results(exe *pjrt.Executable) ([]sharding.Spec, error) {
	return decode(exe.OutputShardings())
}

func decode(list []pjrt.Sharding, err error) ([]sharding.Spec, error) {
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
