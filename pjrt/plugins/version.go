// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"path/filepath"
	"regexp"

	"github.com/purepjrt/purepjrt/internal/outside"
)

var apiMacro = regexp.MustCompile(`(?m)^#define\s+PJRT_API_(MAJOR|MINOR)\s+([0-9]{1,4})\s*$`)

// headerVersion returns the API version in the header beside a library, or "". The wheels of XLA's
// CPU plugin have such a header.
func headerVersion(library string) string {
	for _, name := range []string{"pjrt_c_api.h", "include/pjrt_c_api.h"} {
		path := filepath.Join(filepath.Dir(library), filepath.FromSlash(name))
		content, err := outside.ReadRegular(path, 1<<20)
		if err != nil {
			continue
		}
		numbers := map[string]string{}
		for _, m := range apiMacro.FindAllSubmatch(content, -1) {
			numbers[string(m[1])] = string(m[2])
		}
		if numbers["MAJOR"] != "" && numbers["MINOR"] != "" {
			return numbers["MAJOR"] + "." + numbers["MINOR"]
		}
	}
	return ""
}
