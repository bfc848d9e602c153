// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package isolate_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/bridge"
	"github.com/purepjrt/purepjrt/pjrt/isolate"
)

// faultsVariable makes the plugin of a child do what comments in programs say.
const faultsVariable = "ISOLATE_TEST_FAULTS"

func TestMain(m *testing.M) {
	if os.Getenv(faultsVariable) != "" {
		bridge.Interpose(faulty)
	}
	if os.Getenv(strangerVariable) != "" {
		stranger()
	}
	isolate.Main()
	if os.Getenv(parentVariable) != "" {
		parent()
	}
	os.Exit(m.Run())
}

// faulty puts a compiler that fails as the program says in front of the plugin's own.
func faulty(real *capi.Table) (*capi.Table, error) {
	wrapped, err := serve.Wrap(real, serve.Around(func(c *serve.Invocation, args *capi.ClientCompileArgs) {
		code := capi.String(args.Program.Code, args.Program.CodeSize)
		switch {
		case strings.Contains(code, "// exit"):
			fmt.Fprintln(os.Stderr, "the compiler gives up")
			os.Exit(7)
		case strings.Contains(code, "// panic"):
			go panic("the plugin is written in Go")
			select {}
		case strings.Contains(code, "// hang"):
			fmt.Println("the compiler thinks")
			select {}
		case strings.Contains(code, "// twice"):
			// Only a process that has compiled before fails.
			if compiled {
				os.Exit(8)
			}
		}
		compiled = true
		c.Forward()
	}))
	if err != nil {
		return nil, err
	}
	return wrapped.Capi(), nil
}

var compiled bool

// strangerVariable makes this program one that does not call Main.
const strangerVariable = "ISOLATE_TEST_STRANGER"

func stranger() {
	_, err := isolate.New(isolate.Options{})
	fmt.Fprintln(os.Stderr, err)
	os.Exit(0)
}

// parentVariable makes this program compile in a child until it is killed. Its value is the comment
// of the program.
const parentVariable = "ISOLATE_TEST_PARENT"

// parent prints the id of its child, and goes on.
func parent() {
	ctx := context.Background()
	path := os.Getenv("ISOLATE_TEST_PLUGIN")
	plugin, err := pjrt.Open(path)
	if err != nil {
		panic(err)
	}
	compiler, err := isolate.New(withFaults())
	if err != nil {
		panic(err)
	}
	client, err := plugin.NewClient(ctx, &pjrt.ClientOptions{Compiler: compiler})
	if err != nil {
		panic(err)
	}
	if _, err := client.Compile(ctx, scale(1, ""), nil); err != nil {
		panic(err)
	}
	fmt.Println("child:", compiler.IdleProcesses()[0])
	if comment := os.Getenv(parentVariable); comment != "idle" {
		_, _ = client.Compile(ctx, scale(1, comment), nil)
	}
	select {}
}
