// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// donateFirst adds its arguments; the result may take the memory of the first.
const donateFirst = `module @donate_first {
  func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`

// donateBoth returns sum and difference, each in the memory of an argument.
const donateBoth = `module @donate_both {
  func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    %1 = stablehlo.subtract %a, %b : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}`

// donor doubles an argument whose memory the plugin may use as it likes.
const donor = `module @donor {
  func.func @main(%a: tensor<4xf32> {jax.buffer_donor = true}) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`

var donationChecks = []check.Check{
	{Rule: "DON-01", Run: func(t *check.T) {
		c := t.Client()
		for _, p := range []struct{ name, code string }{{"tf.aliasing_output", check.Donate}, {"jax.buffer_donor", donor}} {
			exe := t.Compile(c, p.code)
			for run := range 3 {
				a := upload4(t, c)
				out := t.Run(exe, 1, a)[0]
				what := fmt.Sprintf("%s, execution %d", p.name, run+1)
				check.ExpectBuffer(t, out, []float32{2, 4, 6, 8}, "a program with "+what)
				consumedOrWhole(t, a, []float32{1, 2, 3, 4}, what)
			}
		}
		both := t.Compile(c, donateBoth)
		a, b := upload4(t, c), check.Upload(t, c, []float32{10, 20, 30, 40})
		out := t.Run(both, 2, a, b)
		check.ExpectBuffer(t, out[0], []float32{11, 22, 33, 44}, "the first result of a program with two donated arguments")
		check.ExpectBuffer(t, out[1], []float32{-9, -18, -27, -36}, "the second result of a program with two donated arguments")
		consumedOrWhole(t, a, []float32{1, 2, 3, 4}, "tf.aliasing_output, the first of two arguments")
		consumedOrWhole(t, b, []float32{10, 20, 30, 40}, "tf.aliasing_output, the second of two arguments")
		donatesSome(t)
	}},
	{Rule: "DON-02", Run: func(t *check.T) {
		c := t.Client()
		b := upload4(t, c)
		exe := t.Compile(c, check.Donate)
		for range 8 {
			b = t.Run(exe, 1, b)[0]
		}
		check.ExpectBuffer(t, b, []float32{256, 512, 768, 1024}, "a program that doubles in place, eight times")
		out := t.Run(t.Compile(c, donateBoth), 2, upload4(t, c), check.Upload(t, c, []float32{10, 20, 30, 40}))
		check.ExpectBuffer(t, out[0], []float32{11, 22, 33, 44}, "a sum in the memory of its first operand")
		check.ExpectBuffer(t, out[1], []float32{-9, -18, -27, -36}, "a difference in the memory of its second operand")
		// Each element depends on another one of the argument, and is wrong if that one was
		// overwritten too early.
		reverse := t.Compile(c, `module @reverse {
  func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
    %0 = stablehlo.reverse %a, dims = [0] : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`)
		check.ExpectBuffer(t, t.Run(reverse, 1, upload4(t, c))[0], []float32{4, 3, 2, 1}, "an array that is reversed in place")
	}},
	{Rule: "DON-03", Run: func(t *check.T) {
		c := t.Client()
		for _, p := range []struct{ name, code string }{{"tf.aliasing_output", check.Donate}, {"jax.buffer_donor", donor}} {
			a := upload4(t, c)
			out, err := withoutDonation(t, t.Compile(c, p.code), 0, a)
			if err != nil {
				t.Notef("with %s, listing the argument as not donatable is refused: %v", p.name, err)
				check.Equal(t, false, t.IsDeleted(a), "is_deleted of an argument of a refused execution")
				continue
			}
			check.Equal(t, false, t.IsDeleted(a),
				"is_deleted of an argument with %s that was listed in non_donatable_input_indices", p.name)
			if !t.Failed() {
				check.ExpectBuffer(t, a, []float32{1, 2, 3, 4}, "an argument that was listed in non_donatable_input_indices")
			}
			check.ExpectBuffer(t, out, []float32{2, 4, 6, 8}, "a result without donation")
		}
		a, b := upload4(t, c), check.Upload(t, c, []float32{10, 20, 30, 40})
		x := check.NewExecution(t.Compile(c, donateBoth), 2, []*capi.Buffer{a, b})
		x.Options.NonDonatableInputIndices, x.Options.NumNonDonatableInputIndices = check.First([]int64{1})
		if err := x.Start(t); err != nil {
			t.Notef("listing one of two arguments as not donatable is refused: %v", err)
			return
		}
		t.NoError(finish(t, x), "an execution with one of two arguments donated")
		check.Equal(t, false, t.IsDeleted(b), "is_deleted of the argument that was listed")
		if !t.Failed() {
			check.ExpectBuffer(t, b, []float32{10, 20, 30, 40}, "the argument that was listed")
		}
		check.ExpectBuffer(t, x.Outputs[0][0], []float32{11, 22, 33, 44}, "the sum, in the memory of the other argument")
		check.ExpectBuffer(t, x.Outputs[0][1], []float32{-9, -18, -27, -36}, "the difference")
		keepsWhatIsListed(t)
	}},
	{Rule: "DON-04", Run: func(t *check.T) {
		c := t.Client()
		exe, err := tryFormat(t, c, check.Program("hlo", string(aliasedHLO(mustAlias))), options{}.bytes())
		if err != nil {
			t.SkipUnimplf("the plugin takes no HLO module with a mandatory alias: %v", err)
		}
		a := upload4(t, c)
		out, err := withoutDonation(t, exe, 0, a)
		if err == nil && out != nil {
			t.Errorf("listing an argument in non_donatable_input_indices that must be aliased: expected an error, got success with is_deleted %v", t.IsDeleted(a))
			return
		}
		check.Equal(t, false, t.IsDeleted(a), "is_deleted of the argument of a refused execution")
		check.ExpectBuffer(t, t.Run(exe, 1, a)[0], []float32{2, 4, 6, 8}, "the same execution with donation")
	}},
	{Rule: "DON-05", Run: func(t *check.T) {
		c := t.Client()
		for _, p := range []struct {
			name, code string
			outputs    int
			arguments  func(a *capi.Buffer) []*capi.Buffer
		}{
			{"donated twice", donateBoth, 2, func(a *capi.Buffer) []*capi.Buffer { return []*capi.Buffer{a, a} }},
			{"donated and used", donateFirst, 1, func(a *capi.Buffer) []*capi.Buffer { return []*capi.Buffer{a, a} }},
			{"used and donated", strings.Replace(strings.Replace(donateFirst, " {tf.aliasing_output = 0 : i32}", "", 1), "%b: tensor<4xf32>", "%b: tensor<4xf32> {tf.aliasing_output = 0 : i32}", 1), 1, func(a *capi.Buffer) []*capi.Buffer { return []*capi.Buffer{a, a} }},
		} {
			a := upload4(t, c)
			_, err := attempt(t, t.Compile(c, p.code), p.outputs, p.arguments(a)...)
			if !t.ErrorCode(err, "executing with a buffer that is "+p.name) {
				continue
			}
			if !check.Equal(t, false, t.IsDeleted(a), "is_deleted of a buffer that was %s in a refused execution", p.name) {
				continue
			}
			check.ExpectBuffer(t, a, []float32{1, 2, 3, 4}, "a buffer that was "+p.name+" in a refused execution")
		}
		// The two need not be next to each other.
		a, b := upload4(t, c), upload4(t, c)
		_, err := attempt(t, t.Compile(c, donateOfThree), 1, a, b, a)
		if t.ErrorCode(err, "executing with a buffer that is donated as the first argument and used as the third") &&
			check.Equal(t, false, t.IsDeleted(a), "is_deleted of that buffer") {
			check.ExpectBuffer(t, a, []float32{1, 2, 3, 4}, "a buffer that was donated and used in a refused execution")
		}
	}},
	{Rule: "DON-06", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Shared(check.Donate)
		a := upload4(t, c)
		t.Run(exe, 1, a)
		if !t.IsDeleted(a) {
			t.SkipUnimplf("the plugin did not consume the argument")
		}
		refused(t, "donating a buffer that was donated", exe, a)
		refused(t, "executing with a buffer that was donated", t.Shared(check.AddOne), a)
		refused(t, "executing with a buffer that was donated as the second argument", t.Shared(check.Add), upload4(t, c), a)
	}},
	{Rule: "DON-07", Hostile: true, Run: func(t *check.T) { donatesTogether(t, 6, 12) }},
	{Rule: "DON-07", Variant: "many", Profile: check.Core, Timeout: 2 * check.DefaultTimeout, Hostile: true, Run: func(t *check.T) { donatesTogether(t, 16, 200) }},
	{Rule: "DON-08", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		a := upload4(t, c)
		check.Optional(t, capi.BufferIncreaseExternalReferenceCountArgs{Buffer: a})
		address := check.Optional(t, capi.BufferOpaqueDeviceMemoryDataPointerArgs{Buffer: a}).DeviceMemoryPtr
		host := check.Optional(t, capi.BufferIsOnCPUArgs{Buffer: a}).IsOnCPU
		out, err := attempt(t, t.Compile(c, check.Donate), 1, a)
		if err == nil {
			check.ExpectBuffer(t, out[0], []float32{2, 4, 6, 8}, "a program on a buffer with an external reference")
			if now, err := check.Try(t, capi.BufferOpaqueDeviceMemoryDataPointerArgs{Buffer: out[0]}); err == nil &&
				now.DeviceMemoryPtr == address {
				t.Errorf("memory of the result of a program that was donated a buffer with an external reference: expected other memory than %#x, got the same", uintptr(address))
			}
		}
		if host && address != 0 {
			check.Equal(t, [4]float32{1, 2, 3, 4}, floatsAt(uintptr(address)),
				"the memory of a buffer with an external reference after its donation")
		}
		if _, err := check.Try(t, capi.BufferDecreaseExternalReferenceCountArgs{Buffer: a}); err != nil {
			t.Notef("PJRT_Buffer_DecreaseExternalReferenceCount after the donation: %v", err)
		}
	}},
	{Rule: "DON-09", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, donateFirst)
		a := upload4(t, c)
		short := check.Upload(t, c, make([]float32, 8))
		for _, p := range []struct {
			what string
			list []*capi.Buffer
		}{{"a second argument of a wrong size", []*capi.Buffer{a, short}}, {"one of two arguments", []*capi.Buffer{a}},
			{"three arguments for two", []*capi.Buffer{a, short, short}}} {
			_, err := attempt(t, exe, 1, p.list...)
			if err == nil {
				t.Errorf("executing with %s: expected an error, got success", p.what)
				return
			}
			if check.Equal(t, false, t.IsDeleted(a), "is_deleted of a donated argument of an execution that was refused for %s", p.what) {
				check.ExpectBuffer(t, a, []float32{1, 2, 3, 4}, "a donated argument of an execution that was refused for "+p.what)
			}
		}
	}},
	{Rule: "DON-10", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, donateFirst)
		a := upload4(t, c)
		p := t.NewPending(c, 4)
		p.Fail(capi.ErrorCodeAborted, "the suite made this buffer an error")
		_, err := attempt(t, exe, 1, a, p.Buffer)
		t.ErrorCode(err, "executing with an argument that is an error")
		// Reading waits until the execution has released the argument, which may count as
		// deleted until then.
		data, err := tryDownload(t, a)
		if err != nil {
			return
		}
		if t.IsDeleted(a) {
			t.Errorf("reading a donated argument that is deleted after a failed execution: expected an error, got %v", data)
		}
		if err := differ(data, []float32{1, 2, 3, 4}); err != nil {
			t.Errorf("a donated argument that can be read after a failed execution: %v", err)
		}
	}},
	{Rule: "DON-15", Hostile: true, Run: inPlace},
}

// donateSome returns its four arguments, each plus itself. The second result takes the memory of
// the last argument, and the last one that of the second.
const donateSome = `module @donate_some {
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32> {tf.aliasing_output = 3 : i32}, %c: tensor<4xf32>, %d: tensor<4xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    %1 = stablehlo.add %b, %b : tensor<4xf32>
    %2 = stablehlo.add %c, %c : tensor<4xf32>
    %3 = stablehlo.add %d, %d : tensor<4xf32>
    return %0, %3, %2, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}`

// donatesSome executes donateSome with each selection of arguments that are listed as not
// donatable, on one device and on all.
func donatesSome(t *check.T) {
	c := t.Client()
	donatesSomeOn(t, t.Compile(c, donateSome))
	if n := len(c.Devices); n > 1 {
		exe, err := tryCompile(t, c, donateSome, options{replicas: n})
		if err != nil {
			t.Notef("a program that donates, for all %d devices, is refused: %s", n, firstLine(err.Error()))
			return
		}
		donatesSomeOn(t, exe)
	}
}

// donatesSomeOn is donatesSome on the devices of an executable.
func donatesSomeOn(t *check.T, exe *capi.LoadedExecutable) {
	c := t.Client()
	devices := devicesOf(t, exe)
	given := func(d, i int) []float32 { return fill(4, float32(1000*d+100*i+1), 1) }
	for _, listed := range [][]int64{nil, {3}, {1}, {3, 1}, {3, 3}, {0, 2}, {0, 1, 2, 3}} {
		in := make([][]*capi.Buffer, len(devices))
		for d, device := range devices {
			for i := range 4 {
				in[d] = append(in[d], check.UploadTo(t, c, device, given(d, i)))
			}
		}
		x := check.NewExecution(exe, 4, in...)
		x.Options.NonDonatableInputIndices, x.Options.NumNonDonatableInputIndices = check.First(listed)
		err := x.Start(t)
		if err != nil && len(listed) > 0 {
			t.Notef("listing %v of four arguments as not donatable is refused: %v", listed, err)
			continue
		} else if !t.NoError(err, "an execution that donates two of four arguments") || !t.NoError(finish(t, x), "that execution") {
			return
		}
		for d := range devices {
			where := fmt.Sprintf("on device %d of %d of an execution with non_donatable_input_indices %v", d, len(devices), listed)
			for i, from := range []int{0, 3, 2, 1} {
				check.ExpectBuffer(t, x.Outputs[d][i], fill(4, 2*given(d, from)[0], 2), fmt.Sprintf("result %d of 4 %s", i, where))
			}
			for i, b := range in[d] {
				what := fmt.Sprintf("argument %d of 4 %s", i, where)
				if donated := i%2 == 1 && !slices.Contains(listed, int64(i)); donated {
					consumedOrWhole(t, b, given(d, i), what)
				} else if check.Equal(t, false, t.IsDeleted(b), "is_deleted of %s", what) {
					check.ExpectBuffer(t, b, given(d, i), what)
				}
			}
		}
	}
}

// inPlaceSize is the size in bytes of the array that inPlace works on.
const inPlaceSize = 32 << 20

// inPlace runs a program that donates a large array to its result, and expects that there
// is never a second array.
func inPlace(t *check.T) {
	c := t.Client()
	n := int64(inPlaceSize / 4)
	typ := check.Tensor(dtype.F32, []int64{n})
	exe := t.Compile(c, program("in_place", fmt.Sprintf("(%%a: %[1]s {tf.aliasing_output = 0 : i32}) -> %[1]s", typ),
		"%0 = stablehlo.add %a, %a : "+typ, "return %0 : "+typ))
	a := check.Upload(t, c, make([]float32, n), n)
	if err := t.Await(t.Ready(a)); err != nil {
		t.Fatalf("ready event of an upload: expected success, got %v", err)
	}
	peak := peakMemory(t)
	before := peak()
	out := t.Run(exe, 1, a)[0]
	if !t.IsDeleted(a) {
		t.SkipUnimplf("the plugin did not consume the argument")
	}
	grown := peak() - before
	t.Notef("the peak of memory grew by %d bytes while %d were added to themselves", grown, inPlaceSize)
	if grown > inPlaceSize/2 {
		t.Errorf("a program that adds %d bytes to themselves in place: expected the peak of memory to stay, but it grew by %d bytes", inPlaceSize,
			grown)
	}
	if got := check.DownloadAs[float32](t, out); int64(len(got)) != n || got[n-1] != 0 {
		t.Errorf("zeros that were added to themselves in place: expected %d zeros, got %d numbers", n, len(got))
	}
}

// peakMemory returns a function that reads the peak memory use: the device's, if the plugin
// reports it, or the process's, if the device is the machine itself.
func peakMemory(t *check.T) func() int64 {
	device := t.Client().Devices[0]
	out, err := check.Try(t, capi.DeviceMemoryStatsArgs{Device: device})
	if err == nil && out.PeakBytesInUseIsSet {
		return func() int64 { return check.Call(t, capi.DeviceMemoryStatsArgs{Device: device}).PeakBytesInUse }
	}
	if t.Platform() != "cpu" {
		t.SkipUnimplf("the plugin does not tell the peak of its memory, which is not the process's")
	}
	if err := check.ResetPeak(); err != nil {
		t.SkipEnvf("the peak of the memory of the process cannot be read: %v", err)
	}
	return func() int64 {
		size, err := check.PeakBytes()
		if err != nil {
			t.SkipEnvf("the peak of the memory of the process cannot be read: %v", err)
		}
		return size
	}
}

// donateOfThree adds its three arguments; the result may take the memory of the first.
const donateOfThree = `module @donate_of_three {
  func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    %1 = stablehlo.add %0, %c : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}`

// consumedOrWhole fails the check unless an argument that may have been donated is deleted
// and cannot be read, or is unchanged because nothing was aliased.
func consumedOrWhole(t *check.T, a *capi.Buffer, was []float32, what string) {
	if !t.IsDeleted(a) {
		t.Notef("the argument with %s was not consumed", what)
		if data, err := tryDownload(t, a); err != nil {
			t.Errorf("is_deleted of an argument with %s is false, but reading it fails: %v", what, err)
		} else if err := differ(data, was); err != nil {
			t.Errorf("an argument with %s that is not deleted: %v", what, err)
		}
		return
	}
	if data, err := tryDownload(t, a); err == nil {
		t.Errorf("reading an argument with %s that is deleted: expected an error, got %v", what, data)
	}
}

// keepsWhatIsListed executes a program with two donated arguments, first with none of them
// in non_donatable_input_indices and then with both, in either order.
func keepsWhatIsListed(t *check.T) {
	c := t.Client()
	exe := t.Compile(c, donateBoth)
	for _, list := range [][]int64{{}, {1, 0}, {0, 1}} {
		a, b := upload4(t, c), check.Upload(t, c, []float32{10, 20, 30, 40})
		x := check.NewExecution(exe, 2, []*capi.Buffer{a, b})
		x.Options.NonDonatableInputIndices, x.Options.NumNonDonatableInputIndices = check.First(list)
		if err := x.Start(t); err != nil {
			t.Notef("listing %v as not donatable is refused: %v", list, err)
			continue
		}
		what := fmt.Sprintf("of an execution with non_donatable_input_indices %v", list)
		t.NoError(finish(t, x), "the event "+what)
		check.ExpectBuffer(t, x.Outputs[0][0], []float32{11, 22, 33, 44}, "the sum "+what)
		check.ExpectBuffer(t, x.Outputs[0][1], []float32{-9, -18, -27, -36}, "the difference "+what)
		if len(list) == 0 {
			continue
		}
		for i, argument := range []*capi.Buffer{a, b} {
			if check.Equal(t, false, t.IsDeleted(argument), "is_deleted of argument %d %s", i, what) {
				check.ExpectBuffer(t, argument, fill(4, []float32{1, 10}[i], []float32{1, 10}[i]), fmt.Sprintf("argument %d %s", i, what))
			}
		}
	}
}

// Kinds of an entry of HloInputOutputAliasProto.
const (
	mayAlias  = 1
	mustAlias = 2
)

// aliasedHLO returns hloAddToItself with a result that takes the memory of the parameter.
func aliasedHLO(kind int) []byte {
	// entry: output index {}, parameter 0, index {}.
	return message(hloAddToItself(), 8, message(nil, 1, number(number(nil, 2, 0), 4, kind)))
}

// withoutDonation executes with an index in non_donatable_input_indices.
func withoutDonation(t *check.T, exe *capi.LoadedExecutable, index int64, arguments ...*capi.Buffer) (*capi.Buffer, error) {
	x := check.NewExecution(exe, 1, arguments)
	x.Options.NonDonatableInputIndices, x.Options.NumNonDonatableInputIndices = check.First([]int64{index})
	err := x.Start(t)
	if err == nil {
		err = finish(t, x)
	}
	return x.Outputs[0][0], err
}

// donatesTogether uses a buffer from several threads while another donates it.
func donatesTogether(t *check.T, users, rounds int) {
	c := t.Client()
	use, donate := t.Compile(c, check.AddOne), t.Compile(c, check.Donate)
	var right, refused atomic.Int64
	for round := range rounds {
		a := upload4(t, c)
		used := make(chan struct{}, 4*users)
		ok := together(t, users+1, func(i int) error {
			got := make([]float32, 4)
			if i == users {
				if round%2 == 0 {
					<-used // otherwise the donation may come before every use
				}
				if err := quickly(t, donate, 1, got, a); err != nil {
					return fmt.Errorf("donating a buffer that other threads use: expected success, got %w", err)
				}
				return differ(got, []float32{2, 4, 6, 8})
			}
			for range 4 {
				err := quickly(t, use, 1, got, a)
				used <- struct{}{}
				if err != nil {
					refused.Add(1)
					return nil
				}
				right.Add(1)
				if err := differ(got, []float32{2, 3, 4, 5}); err != nil {
					return fmt.Errorf("using a buffer that another thread donates: %w", err)
				}
			}
			return nil
		})
		if !ok {
			return
		}
		got := make([]float32, 4)
		if err := quickly(t, use, 1, got, a); err == nil {
			if err := differ(got, []float32{2, 3, 4, 5}); err != nil {
				t.Errorf("using a buffer after its donation: expected an error, or the right result, got %v", err)
				return
			}
		}
	}
	t.Notef("%d executions used the buffer before it was donated; %d threads got an error afterwards", right.Load(), refused.Load())
}
