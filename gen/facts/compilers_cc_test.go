// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc

package facts_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/facts"
	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
)

const door = `#ifndef DOOR_H
#define DOOR_H
#include <stddef.h>
#define DOOR_VERSION 3
typedef enum Material { WOOD, IRON = 7 } Material;
typedef struct Door {
  size_t size;
  Material material;
  int (*open)(struct Door* door, int how_far);
} Door;
typedef int Door_Shut(Door* door);
#endif
`

func TestCompilersConfirmWhatIsRightAndNothingElse(t *testing.T) {
	t.Parallel()
	compilers := facts.FindCompilers(t.Context())
	require.NotNil(t, compilers)
	assert.NotContains(t, compilers.String(), "\n")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "door.h"), []byte(door), 0o644))
	yes, no := true, false
	for name, c := range map[string]struct {
		change func(h *model.Header)
		c      *bool
		want   string
	}{
		"the facts":          {func(*model.Header) {}, nil, ""},
		"the facts of C":     {func(*model.Header) {}, &yes, ""},
		"C that is C++ only": {func(*model.Header) {}, &no, "door.h is C here but not upstream"},
		"an offset":          {func(h *model.Header) { h.Structs[0].Fields[1].Offset = 4 }, nil, "offset Door.material: the facts say 4, and the compiler measures 8"},
		"a size":             {func(h *model.Header) { h.Structs[0].Size = 32 }, nil, "sizeof Door: the facts say 32, and the compiler measures 24"},
		"a value":            {func(h *model.Header) { h.Enums[0].Values[1].Value = 1 }, nil, "Material.IRON: the facts say 1, and the compiler measures 7"},
		"a macro":            {func(h *model.Header) { *h.Macros[0].Value = 4 }, nil, "macro DOOR_VERSION: the facts say 4, and the compiler measures 3"},
		"a type":             {func(h *model.Header) { h.Structs[0].Fields[1].Type = "int*" }, nil, "the compiler refuses what the facts say"},
		"a signature":        {func(h *model.Header) { h.Functions[0].Ret = "char" }, nil, "the compiler refuses what the facts say"},
		"a name":             {func(h *model.Header) { h.Structs[0].Fields[0].Name = "height" }, nil, "the compiler refuses what the facts say"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, err := header.Parse(filepath.Join(dir, "door.h"), header.Options{})
			require.NoError(t, err)
			h.Path = "door.h"
			c.change(h)
			err = compilers.Confirm(t.Context(), facts.Subject{Facts: h, C: c.c, Roots: []string{dir}})
			if c.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.want)
			}
		})
	}
}
