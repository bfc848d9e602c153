// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package extensions_test

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Plugins read the environment when they are loaded. libtpu needs a port and a transport that works
// without a data center network.
func init() {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		panic(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	address = fmt.Sprintf("localhost:%d", port)
	os.Setenv("LIBTPU_INIT_ARGS", fmt.Sprintf("--megascale_port=%d --megascale_transport_type=grpc", port))
}

// compile makes the objects that a plugin can make without devices.
func (s *subject) compile(t *testing.T, name string, opts *pjrt.TopologyOptions) {
	t.Helper()
	var err error
	s.topology, err = s.plugin.NewTopology(s.ctx, name, opts)
	require.NoError(t, err)
	t.Cleanup(func() { s.topology.Close() })
	s.exe, err = s.plugin.CompileFor(s.ctx, s.topology, pjrt.Program{Code: []byte(negate)}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { s.exe.Close() })
	s.serialized, err = s.exe.Serialize(s.ctx)
	require.NoError(t, err)
}

// Every function that libtpu and the plugin for CUDA offer is called, except those that need a
// client, which needs devices, and these: libtpu has no execute contexts to add data to; the
// profilers never return an error; CUDA's plugin describes no memory; and both trace passes only
// where their devices are.
func TestAheadOfTimeEveryFunctionThatNeedsNoDeviceIsCalled(t *testing.T) {
	config, err := os.ReadFile("../conformance/topologies/h100.txtpb")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		topology string
		opts     *pjrt.TopologyOptions
		missing  string // space separated
	}{
		"tpu": {"v5e:2x2", nil, `
			PJRT_Callback_InvokeCallback
			PJRT_Client_RuntimeAbiVersion
			PJRT_ExecutableAbiVersion_FromProto
			PJRT_FFI_UserData_Add
			PJRT_HostMemoryAllocator_Allocate
			PJRT_Layouts_PJRT_Buffer_MemoryLayout
			PJRT_Layouts_PJRT_Client_GetDefaultLayout
			PJRT_Megascale_CreateClientContextFromPjRtClient
			PJRT_RawBuffer_CopyRawDeviceToHost
			PJRT_RawBuffer_CopyRawHostToDevice
			PJRT_RawBuffer_CreateRawAliasOfBuffer
			PJRT_RawBuffer_Destroy
			PJRT_RawBuffer_GetHostPointer
			PJRT_RawBuffer_GetMemorySpace
			PJRT_RawBuffer_GetOnDeviceSizeInBytes
			PJRT_Register_Callback
			PJRT_RuntimeAbiVersion_Destroy
			PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable
			PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime
			PJRT_RuntimeAbiVersion_PlatformId
			PJRT_RuntimeAbiVersion_ToProto
			PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice
			PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers
			PJRT_Transfers_PJRT_Client_CrossHostSendBuffers
			PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers
			PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Fn
			PLUGIN_Profiler_Error_Destroy
			PLUGIN_Profiler_Error_GetCode
			PLUGIN_Profiler_Error_Message
		`},
		"cuda13": {"h100", &pjrt.TopologyOptions{Create: []pjrt.Attribute{
			{Name: "target_config", Value: string(config)}, {Name: "topology", Value: "1x1x1"},
		}}, `
			PJRT_Client_RuntimeAbiVersion
			PJRT_ExecutableAbiVersion_FromProto
			PJRT_Get_Stream_For_External_Ready_Events
			PJRT_Layouts_PJRT_Buffer_MemoryLayout
			PJRT_Layouts_PJRT_Client_GetDefaultLayout
			PJRT_MemoryDescription_Kind
			PJRT_RuntimeAbiVersion_Destroy
			PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable
			PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime
			PJRT_RuntimeAbiVersion_PlatformId
			PJRT_RuntimeAbiVersion_ToProto
			PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice
			PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers
			PJRT_Transfers_PJRT_Client_CrossHostSendBuffers
			PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers
			PJRT_Wait_Until_Buffer_Ready_On_Stream
			PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Fn
			PLUGIN_Profiler_Error_Destroy
			PLUGIN_Profiler_Error_GetCode
			PLUGIN_Profiler_Error_Message
		`},
	} {
		p, err := pjrt.Open(plugintest.Path(t, name))
		require.NoError(t, err)
		s := &subject{ctx: t.Context()}
		s.plugin, s.census = watch(t, raw.Table(p))
		s.compile(t, c.topology, c.opts)
		counts, missing := s.run(t)
		assert.Equal(t, strings.Fields(c.missing), missing, name)
		for x, row := range documented(t) {
			if x != deviceEvents {
				assert.Equal(t, row.plugins[name], counts[x], "%s: %s", name, x)
			}
		}
	}
}
