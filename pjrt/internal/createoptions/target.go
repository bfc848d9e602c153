// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package createoptions

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// targetConfig is the option and the attribute of a topology of GPUs that describes the GPU: a
// GpuTargetConfigProto in text form.
const targetConfig = "target_config"

// least has the smallest values of the fields of gpu_device_info with which XLA's compiler for GPUs
// compiles. It divides by the first three or by what it computes from the others, and sorts with
// blocks of a size that it takes from the shared memory. Each of them may end the process.
var least = []struct {
	field string
	value int64
}{
	{"threads_per_warp", 1},
	{"block_dim_limit_x", 1},
	{"threads_per_block_limit", 1},
	{"shared_memory_per_block", 1 << 10},
	{"registers_per_block_limit", 0},
}

// capabilities has the fields of gpu_device_info that say what a GPU can do, by the kind of plugin.
// XLA reads the field of its own platform and ends the process if another one is set.
var capabilities = map[string]string{
	"cuda": "cuda_compute_capability", "rocm": "rocm_compute_capability", "oneapi": "oneapi_compute_capability",
}

// CheckTarget returns an error if the options or attributes of a topology describe a GPU for which
// a plugin of this kind would end the process instead of compiling. It leaves text that is not in
// the text form to the plugin, which refuses it.
func CheckTarget(kind string, options []capi.Attribute) error {
	own := capabilities[kind]
	if own == "" {
		return nil
	}
	for _, o := range options {
		text, ok := o.Value.(string)
		if o.Name != targetConfig || !ok {
			continue
		}
		device, ok := readTarget(text)
		if !ok {
			continue
		}
		if err := device.check(kind, own); err != nil {
			return fmt.Errorf("%s: %v", targetConfig, err)
		}
	}
	return nil
}

// deviceInfo has the fields of gpu_device_info: the numbers as they are written, and the text "{"
// for messages.
type deviceInfo map[string]string

func (d deviceInfo) check(kind, own string) error {
	var missing []string
	for _, f := range least {
		text, ok := d[f.field]
		if !ok {
			if f.value > 0 {
				missing = append(missing, f.field)
			}
			continue
		}
		// The plugin refuses what is not an integer.
		if n, err := strconv.ParseInt(text, 0, 64); err == nil && n < f.value {
			return fmt.Errorf("gpu_device_info has %s: %d, and the compiler ends the process if it is below %d", f.field, n, f.value)
		}
	}
	for of, field := range capabilities {
		if of != kind && d[field] != "" {
			return fmt.Errorf("gpu_device_info has a %s, and the compiler of a %s plugin ends the process if it has not the %s",
				field, kind, own)
		}
	}
	if kind == "rocm" && d[own] == "" {
		missing = append(missing, own)
	}
	if len(missing) > 0 {
		return fmt.Errorf("gpu_device_info lacks %s, and the compiler ends the process without: give a complete description of the GPU",
			strings.Join(missing, ", "))
	}
	return nil
}

// readTarget reads the fields of gpu_device_info from a message in text form. It reports whether
// the brackets match and each name is followed by a value, as the plugin demands.
func readTarget(text string) (device deviceInfo, ok bool) {
	device = make(deviceInfo)
	t := wire.Tokens{Rest: text}
	var name, sign string
	depth, inside := 0, false
	value, named := false, false // a colon, or a name, came last
	for {
		token := t.Next()
		switch token {
		case "":
			return device, t.Err == nil && depth == 0 && !named
		case ":":
			value, named, sign = true, false, ""
		case "-":
			sign = token
		case ",", ";":
			named = false
		case "{", "<", "[":
			switch depth++; {
			case depth == 1:
				inside = name == "gpu_device_info" && token != "["
			case depth == 2 && inside && token != "[":
				device[name] = token
			}
			value, named = false, false
		case "}", ">", "]":
			if depth--; depth < 0 || named && token != "]" {
				return nil, false
			}
			inside, named = inside && depth > 0, false
		default:
			switch {
			case value && depth == 1 && inside:
				device[name] = sign + token
			case !value && isName(token[0]):
				if named {
					return nil, false
				}
				name, named = token, true
			}
			value = false
		}
	}
}

// isName reports whether a name may begin with c.
func isName(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
