// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"
	"strconv"
	"time"

	"github.com/purepjrt/purepjrt/capi"
)

// meetTimeout is how long a client waits for the other processes.
const meetTimeout = time.Minute

// meet tells the other processes through the key-value store how many devices this one
// has, and stores their numbers of devices in counts. Without a store all processes have
// the same number.
func meet(a *capi.ClientCreateArgs, process int, counts []int) error {
	if a.KVPutCallback == 0 || a.KVGetCallback == 0 {
		return nil
	}
	if err := put(a, deviceKey(process), strconv.Itoa(counts[process])); err != nil {
		return err
	}
	for i := range counts {
		if i == process {
			continue
		}
		value, err := get(a, deviceKey(i))
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > 1<<16 {
			return capi.ErrorCodeInternal.Errorf("the key-value store has %q as the number of devices of process %d", value, i)
		}
		counts[i] = n
	}
	return nil
}

func deviceKey(process int) string { return fmt.Sprintf("pjrttest/devices/%d", process) }

func put(a *capi.ClientCreateArgs, key, value string) error {
	args := &capi.KeyValuePutCallbackArgs{
		StructSize: capi.KeyValuePutCallbackArgsSize, CallbackError: callbackError(), UserArg: a.KVPutUserArg,
	}
	args.Key, args.KeySize = text(key)
	args.Value, args.ValueSize = text(value)
	return takeCallbackError(a.KVPutCallback.Call(args))
}

func get(a *capi.ClientCreateArgs, key string) (string, error) {
	args := &capi.KeyValueGetCallbackArgs{
		StructSize: capi.KeyValueGetCallbackArgsSize, CallbackError: callbackError(), UserArg: a.KVGetUserArg,
		TimeoutInMs: int32(meetTimeout.Milliseconds()),
	}
	args.Key, args.KeySize = text(key)
	if err := takeCallbackError(a.KVGetCallback.Call(args)); err != nil {
		return "", err
	}
	value := capi.String(args.Value, args.ValueSize)
	args.ValueDeleterCallback.Call(args.Value)
	return value, nil
}
