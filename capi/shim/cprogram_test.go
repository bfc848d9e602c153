// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/capi/shim/recording"
)

func TestARecordedCallBecomesAProgramInC(t *testing.T) {
	t.Parallel()
	f, path := &fake{}, filepath.Join(t.TempDir(), "session.jsonl")
	s, table := watch(t, shim.Config{Record: path}, serveFake(t, f))
	session(t, f, table)
	require.NoError(t, s.Close())
	recorded, err := recording.Open(path)
	require.NoError(t, err)
	program, err := recorded.CProgram("PJRT_Buffer_Dimensions", "")
	require.NoError(t, err)
	_, main, ok := strings.Cut(program, "dlsym(library, \"GetPjrtApi\"))();\n")
	require.True(t, ok, program)
	assert.Equal(t, `  PJRT_Plugin_Initialize_Args a1 = {.struct_size = PJRT_Plugin_Initialize_Args_STRUCT_SIZE};
  check(api->PJRT_Plugin_Initialize(&a1), "PJRT_Plugin_Initialize");
  PJRT_Client_Create_Args a2 = {.struct_size = PJRT_Client_Create_Args_STRUCT_SIZE};
  check(api->PJRT_Client_Create(&a2), "PJRT_Client_Create");
  PJRT_Client_AddressableDevices_Args a3 = {.struct_size = PJRT_Client_AddressableDevices_Args_STRUCT_SIZE, .client = a2.client};
  check(api->PJRT_Client_AddressableDevices(&a3), "PJRT_Client_AddressableDevices");
  PJRT_Client_BufferFromHostBuffer_Args a4 = {.struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE, .client = a2.client, `+
		`.data = (uint64_t[]){0x400000003f800000, 0x40400000}, .type = 11 /* F32 */, .dims = (int64_t[]){3}, .num_dims = 1, `+
		`.host_buffer_semantics = 1 /* ImmutableUntilTransferCompletes */, .device = a3.addressable_devices[0]};
  check(api->PJRT_Client_BufferFromHostBuffer(&a4), "PJRT_Client_BufferFromHostBuffer");
  PJRT_Buffer_Dimensions_Args a5 = {.struct_size = PJRT_Buffer_Dimensions_Args_STRUCT_SIZE, .buffer = a4.buffer};
  check(api->PJRT_Buffer_Dimensions(&a5), "PJRT_Buffer_Dimensions");
  printf("PJRT_Buffer_Dimensions: num_dims = %lld\n", (long long)a5.num_dims);
}
`, main)
	_, err = recorded.CProgram("PJRT_Buffer_Memory", "")
	assert.ErrorContains(t, err, "there is no call of PJRT_Buffer_Memory")
}

// A plugin that ends the process in a call leaves a session like this one.
func TestACallThatDoesNotReturnBecomesAProgramInC(t *testing.T) {
	t.Parallel()
	f, path := &fake{}, filepath.Join(t.TempDir(), "session.jsonl")
	s, table := watch(t, shim.Config{Record: path, RecordBegun: true}, serveFake(t, f))
	session(t, f, table)
	require.NoError(t, s.Close())
	whole, err := recording.Open(path)
	require.NoError(t, err)
	assert.True(t, whole.Complete)
	assert.Empty(t, whole.Begun, "all calls returned")

	lines := strings.SplitAfter(read(t, path), "\n")
	for i, line := range lines {
		if strings.Contains(line, `"PJRT_Buffer_Dimensions"`) {
			require.Contains(t, line, `"begun":true`, "a call has a line when it begins")
			lines = lines[:i+1]
			break
		}
	}
	cut, err := recording.Read(strings.NewReader(strings.Join(lines, "")))
	require.NoError(t, err)
	require.Len(t, cut.Begun, 1)
	assert.Equal(t, "PJRT_Buffer_Dimensions", cut.Begun[0].Function.Name)
	want, err := whole.CProgram("PJRT_Buffer_Dimensions", "")
	require.NoError(t, err)
	program, err := cut.CProgram("PJRT_Buffer_Dimensions", "")
	require.NoError(t, err)
	assert.Equal(t, want, program)
}
