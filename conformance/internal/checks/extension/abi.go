// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// versions returns the ABI version of an executable and, if there is a client, of its
// runtime. end destroys both.
func versions(t *check.T) (runtime *capi.RuntimeABIVersion, executable *capi.ExecutableABIVersion, end func()) {
	executable = check.Call(t, capi.ExecutableGetABIVersionArgs{Executable: compiled(t, check.AddOne, check.Devices(1, 1))}).ABIVersion
	if executable == nil {
		t.Fatalf("executable_get_abi_version: success without a version")
	}
	if !noClient(t) {
		runtime = check.Call(t, capi.ClientRuntimeABIVersionArgs{Client: t.Client().Handle}).ABIVersion
		if runtime == nil {
			t.Fatalf("client_runtime_abi_version: success without a version")
		}
	}
	return runtime, executable, func() {
		check.Call(t, capi.ExecutableABIVersionDestroyArgs{ABIVersion: executable})
		if runtime != nil {
			check.Call(t, capi.RuntimeABIVersionDestroyArgs{ABIVersion: runtime})
		}
	}
}

func runtimeProto(t *check.T, v *capi.RuntimeABIVersion) []byte {
	s := check.Call(t, capi.RuntimeABIVersionToProtoArgs{ABIVersion: v})
	b := capi.Bytes(s.SerializedProto, s.SerializedProtoSize)
	s.SerializedProtoDeleter.Call(s.SerializedProtoHolder)
	return b
}

func executableProto(t *check.T, v *capi.ExecutableABIVersion) []byte {
	s := check.Call(t, capi.ExecutableABIVersionToProtoArgs{ABIVersion: v})
	b := capi.Bytes(s.SerializedProto, s.SerializedProtoSize)
	s.SerializedProtoDeleter.Call(s.SerializedProtoHolder)
	return b
}

func readRuntime(t *check.T, b []byte) (*capi.RuntimeABIVersion, error) {
	var args capi.RuntimeABIVersionFromProtoArgs
	args.SerializedProto, args.SerializedProtoSize = capi.BytesData(b)
	out, err := check.Try(t, args)
	return out.ABIVersion, err
}

func readExecutable(t *check.T, b []byte) (*capi.ExecutableABIVersion, error) {
	var args capi.ExecutableABIVersionFromProtoArgs
	args.SerializedProto, args.SerializedProtoSize = capi.BytesData(b)
	out, err := check.Try(t, args)
	return out.ABIVersion, err
}

func runtimePlatform(t *check.T, v *capi.RuntimeABIVersion) uint64 {
	return check.Call(t, capi.RuntimeABIVersionPlatformIDArgs{ABIVersion: v}).PlatformID
}

func executablePlatform(t *check.T, v *capi.ExecutableABIVersion) uint64 {
	return check.Call(t, capi.ExecutableABIVersionPlatformIDArgs{ABIVersion: v}).PlatformID
}

var abiChecks = []check.Check{
	{Rule: "XABI-01", Library: true, Run: func(t *check.T) {
		runtime, executable, end := versions(t)
		defer end()
		_, other, endOther := versions(t)
		check.Steady[capi.ExecutableABIVersionPlatformIDArgs](t, "version", []*capi.ExecutableABIVersion{executable, other}, nil)
		before := string(executableProto(t, executable))
		endOther()
		check.Equal(t, before, string(executableProto(t, executable)), "the version of an executable, after that of another was destroyed")
		if runtime != nil {
			check.Steady[capi.RuntimeABIVersionPlatformIDArgs](t, "version", []*capi.RuntimeABIVersion{runtime}, nil)
			check.Equal(t, string(runtimeProto(t, runtime)), string(runtimeProto(t, runtime)), "the version of a runtime, written again")
		}
		id := executablePlatform(t, executable)
		if id == 0 {
			t.Errorf("the platform_id of an executable is 0")
		}
		if runtime != nil {
			check.Equal(t, id, runtimePlatform(t, runtime), "platform_id of the runtime, next to that of its executable")
		}
	}},
	{Rule: "XABI-02", Run: func(t *check.T) {
		runtime, executable, end := versions(t)
		defer end()
		check.Call(t, capi.RuntimeABIVersionIsCompatibleWithExecutableArgs{ABIVersion: runtime, ExecutableABIVersion: executable})
	}},
	{Rule: "XABI-03", Run: func(t *check.T) {
		runtime, _, end := versions(t)
		defer end()
		check.Call(t, capi.RuntimeABIVersionIsCompatibleWithRuntimeArgs{ABIVersion: runtime, OtherABIVersion: runtime})
	}},
	{Rule: "XABI-04", Library: true, Run: func(t *check.T) {
		runtime, executable, end := versions(t)
		defer end()
		proto := executableProto(t, executable)
		isMessage(t, proto, "the version of an executable")
		again, err := readExecutable(t, proto)
		if err != nil || again == nil {
			t.Fatalf("reading the version of an executable: expected success, got %v, %v", again, err)
		}
		check.Equal(t, executablePlatform(t, executable), executablePlatform(t, again),
			"platform_id of a version that was written and read")
		check.Equal(t, string(proto), string(executableProto(t, again)), "a version that was written, read and written")
		if runtime != nil {
			check.Call(t, capi.RuntimeABIVersionIsCompatibleWithExecutableArgs{ABIVersion: runtime, ExecutableABIVersion: again})
			other, err := readRuntime(t, runtimeProto(t, runtime))
			if err != nil || other == nil {
				t.Fatalf("reading the version of a runtime: expected success, got %v, %v", other, err)
			}
			check.Equal(t, runtimePlatform(t, runtime), runtimePlatform(t, other),
				"platform_id of a runtime's version that was written and read")
			check.Call(t, capi.RuntimeABIVersionIsCompatibleWithRuntimeArgs{ABIVersion: runtime, OtherABIVersion: other})
			check.Call(t, capi.RuntimeABIVersionDestroyArgs{ABIVersion: other})
		}
		check.Call(t, capi.ExecutableABIVersionDestroyArgs{ABIVersion: again})
	}},
	{Rule: "XABI-05", Library: true, Hostile: true, Run: func(t *check.T) {
		t.Require(check.FunctionOf[capi.ExecutableABIVersionFromProtoArgs]())
		garbage := []byte{0xff, 0xff, 0xff, 0xff}
		_, err := readExecutable(t, garbage)
		t.ErrorCode(err, "reading garbage as the version of an executable", capi.ErrorCodeInvalidArgument)
		_, err = readRuntime(t, garbage)
		t.ErrorCode(err, "reading garbage as the version of a runtime", capi.ErrorCodeInvalidArgument)
		_, err = check.Raw(t, capi.ExecutableABIVersionFromProtoArgs{StructSize: 8})
		t.ErrorCode(err, "reading with a struct_size of 8", capi.ErrorCodeInvalidArgument)
	}},
	{Rule: "XABI-06", Library: true, Hostile: true, Run: func(t *check.T) {
		_, _, end := versions(t)
		end()
		check.Call(t, capi.ExecutableABIVersionDestroyArgs{})
		check.Call(t, capi.RuntimeABIVersionDestroyArgs{})
	}},
	{Rule: "XABI-07", Run: func(t *check.T) {
		runtime, executable, end := versions(t)
		defer end()
		id := runtimePlatform(t, runtime)
		if b := otherPlatform(executableProto(t, executable), id); b == nil {
			t.SkipUnimplf("the version of an executable does not state its platform as a number")
		} else if v, err := readExecutable(t, b); err == nil {
			_, err = check.Try(t, capi.RuntimeABIVersionIsCompatibleWithExecutableArgs{ABIVersion: runtime, ExecutableABIVersion: v})
			t.ErrorCode(err, "an executable of another platform")
			check.Call(t, capi.ExecutableABIVersionDestroyArgs{ABIVersion: v})
		}
		if b := otherPlatform(runtimeProto(t, runtime), id); b != nil {
			if v, err := readRuntime(t, b); err == nil {
				_, err = check.Try(t, capi.RuntimeABIVersionIsCompatibleWithRuntimeArgs{ABIVersion: runtime, OtherABIVersion: v})
				t.ErrorCode(err, "a runtime of another platform")
				check.Call(t, capi.RuntimeABIVersionDestroyArgs{ABIVersion: v})
			}
		}
	}},
}

// otherPlatform returns a serialized version with a different platform id, or nil when the
// id is not in it as a number.
func otherPlatform(b []byte, id uint64) []byte {
	for _, old := range [][]byte{protowire.AppendVarint(nil, id), protowire.AppendFixed64(nil, id)} {
		if i := bytes.Index(b, old); len(old) > 1 && i >= 0 {
			changed := bytes.Clone(b)
			changed[i] ^= 1
			return changed
		}
	}
	return nil
}
