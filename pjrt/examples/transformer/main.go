// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command transformer continues a text with a language model that was exported from JAX:
//
//	go run ./pjrt/examples/transformer pjrt/examples/transformer/model "A quick"
//
// The folder has the programs of the model, which export.py wrote, and its weights in the form in
// which large models are published: several safetensors files and their index. The model is a GPT-2
// that knows one sentence.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/cache"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

func main() {
	limit := flag.Int("n", 64, "how many tokens to generate at most")
	plugin := flag.String("plugin", "cpu", "name or path of the plugin")
	verbose := flag.Bool("v", false, "log each operation")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: transformer [-n TOKENS] [-plugin NAME] [-v] FOLDER PROMPT")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	if *verbose {
		pjrt.SetLogger(slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})))
	}
	if err := run(context.Background(), *plugin, flag.Arg(0), flag.Arg(1), *limit); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, plugin, folder, prompt string, limit int) error {
	client, err := plugins.Open(ctx, plugin, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	compiled, err := cache.Open("", cache.Options{MaxBytes: 1 << 30})
	if err != nil {
		return err
	}
	m, err := load(ctx, client, compiled, folder)
	if err != nil {
		return err
	}
	defer m.close()
	s, err := m.newSession(ctx)
	if err != nil {
		return err
	}
	defer s.close()

	// The tokens of this model are the bytes of the text; others need the tokenizer they came with.
	tokens := make([]int32, len(prompt))
	for i := range tokens {
		tokens[i] = int32(prompt[i])
	}
	fmt.Print(prompt)
	for range limit {
		next, err := s.next(ctx, tokens)
		if err != nil {
			return err
		}
		fmt.Printf("%c", next)
		if next == '\n' {
			return nil
		}
		tokens = []int32{next}
	}
	fmt.Println()
	return nil
}
