// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// hostileVariable makes the test binary the command, with a hostile plugin in front of the CPU
// plugin. Its value says what the plugin does.
const hostileVariable = "PJRT_TEST_HOSTILE"

// What the hostile plugin may do. It always adds escapes to each text that it gives.
const (
	talks       = "talks"
	throws      = "throws"       // from the creation of a client
	exits       = "exits"        // from there
	hangs       = "hangs"        // there
	diesLoading = "dies loading" // before
	refuses     = "refuses"      // to make a client
	fails       = "fails"        // to compile and to execute
)

// escapes change the title and the colours of a terminal, in several ways, and the direction of
// text.
const escapes = "\x1b]0;owned\x07\x1b[31m\u009b32m\x7f\b\r\u202e\u2066"

var texts = map[string][]byte{}

// hostileText returns C memory with a text and escapes.
func hostileText(text string) (unsafe.Pointer, int) {
	b, ok := texts[text]
	if !ok {
		b = append([]byte(text+escapes), 0)
		texts[text] = b
	}
	return unsafe.Pointer(&b[0]), len(b) - 1
}

// attributesOf replaces a list of attributes.
func attributesOf(list **capi.NamedValue, n *uintptr) {
	more := []capi.Attribute{{Name: "text" + escapes, Value: "value" + escapes}, {Name: "number" + escapes, Value: int64(1)}}
	values, err := capi.NewNamedValues(append(capi.Attributes(*list, *n), more...))
	if err != nil {
		panic(err)
	}
	kept = append(kept, values)
	*list, *n = values.Data()
}

var kept []any

// beHostile makes the commands use a hostile plugin.
func beHostile(does string) {
	real, err := capi.Open(os.Getenv("PJRT_TEST_HOSTILE_PLUGIN"))
	if err != nil {
		panic(err)
	}
	die := func() {
		fmt.Fprintln(os.Stderr, "Opening chips\nterminate called after throwing an instance of 'std::runtime_error'\n  what():  no chips"+escapes+
			"\nin the cluster\nbacktrace:\n --- libtt.so(+0x3d6dc0a) [0x7faf9736dc0a]")
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Signal(syscall.SIGABRT)
		}
		select {}
	}
	wrapped, err := serve.Wrap(real,
		serve.AroundAll(func(c *serve.Invocation) {
			c.Forward()
			if c.Err() != nil || c.Args() == nil {
				return
			}
			view := describe.NewView(describe.Of(c.Function()).Args, c.Args(), c.Size())
			for i := range view.Struct.Fields {
				f := &view.Struct.Fields[i]
				if f.Kind != describe.Text || f.Dir != describe.Out || f.Depth != 0 || !view.Has(f) || view.IsNull(f) {
					continue
				}
				p, n := hostileText(string(view.Bytes(f)))
				view.SetAddress(f, p)
				if len(f.Counts) > 0 {
					view.SetWord(view.Struct.Field(f.Counts[0]), int64(n))
				}
			}
		}),
		serve.Around(func(c *serve.Invocation, a *capi.PluginAttributesArgs) {
			c.Forward()
			attributesOf(&a.Attributes, &a.NumAttributes)
		}),
		serve.Around(func(c *serve.Invocation, a *capi.DeviceDescriptionAttributesArgs) {
			c.Forward()
			attributesOf(&a.Attributes, &a.NumAttributes)
		}),
		serve.Around(func(c *serve.Invocation, a *capi.PluginInitializeArgs) {
			if does == diesLoading {
				die()
			}
			c.Forward()
		}),
		serve.Around(func(c *serve.Invocation, a *capi.ClientCreateArgs) {
			switch does {
			case throws:
				die()
			case exits:
				os.Exit(3)
			case hangs:
				select {}
			case refuses:
				c.Fail(capi.ErrorCodeInternal, "no chips%s", escapes)
				return
			}
			c.Forward()
		}),
		serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) {
			if does == fails {
				c.Fail(capi.ErrorCodeInternal, "cannot compile%s", escapes)
				return
			}
			c.Forward()
		}),
	)
	if err != nil {
		panic(err)
	}
	kept = append(kept, wrapped)
	loadPlugin = func(context.Context, string) (*pjrt.Plugin, error) {
		return raw.Plugin(wrapped.Capi())
	}
	openClient = func(ctx context.Context, _ string, opts *pjrt.ClientOptions) (*pjrt.Client, error) {
		plugin, err := loadPlugin(ctx, "")
		if err != nil {
			return nil, err
		}
		return plugin.NewClient(ctx, opts)
	}
}

// clean reports whether a text leaves a terminal as it is.
func clean(text string) bool { return !strings.ContainsAny(text, "\x1b\x07\u009b\x7f\b\r\u202e\u2066") }
