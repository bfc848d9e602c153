// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package isolate compiles programs in child processes, so that a compiler that crashes, aborts,
// exits or never returns gives an error instead of ending the program.
//
//	func main() {
//		isolate.Main() // compiles here and does not return if this process is a child
//		...
//		compiler, err := isolate.New(isolate.Options{Timeout: 10 * time.Minute})
//		defer compiler.Close()
//		client, err := plugin.NewClient(ctx, &pjrt.ClientOptions{Compiler: compiler})
//		exe, err := client.Compile(ctx, program, nil)
//		var crash *isolate.Crash
//		if errors.As(err, &crash) { // crash.Signal, crash.Output, ...
//
// For a single program, set pjrt.CompileOptions.Compiler instead. A child is this program again, or
// one that [Options.Command] names. It runs the program's init functions, and then Main. It opens
// the same plugin, compiles, and sends the serialized executable, which the client loads: the
// results are the same bit for bit.
//
// KILLERS.md, beside this package, lists programs on which XLA's CPU plugin ends the process.
//
// # What is checked where
//
// Package pjrt reads a program before a child gets it: it refuses what is known to end compilers,
// and compares the program with the compile options. This runs in the program itself, also with a
// Compiler. Its readers of programs stop, with an error, at what is nested deeper than compilers
// can take, so no program makes them run out of stack. All that belongs to the plugin runs in the
// child.
//
// # Executables that may be damaged
//
// pjrt.LoadOptions.Trial and the option Trial of package cache let a child load an executable
// first. If that ends the child, DeserializeAndLoad returns an error, ErrDataLoss. A trial does not
// run the executable, so machine code that is damaged and still loads is not found.
//
// # Which plugins
//
// For XLA's CPU plugin, a child makes a client like that of the program. For all others it compiles
// for the topology of the client, because a second client cannot have the same TPUs, and would need
// memory of the same GPUs. Such a compiler cannot measure on the devices, so on GPUs it may choose
// other kernels than the compiler of the client would. [Options.SecondClient] lets children make
// clients there too. Compilations for topologies, as by Plugin.CompileFor, work alike everywhere.
// What children cannot do is an error, ErrUnimplemented: compiling with a plugin without
// topologies, or with one that is part of the program and that the child does not register before
// Main, or for clients of several processes on CPUs.
//
// # What children have
//
// A child has the environment that the program had when it first used the Compiler with the plugin,
// without the variables of package trace. The custom calls that the program registered are
// registered in the child by their names, with handlers that do nothing, since compilers do not
// call them. A child does not have Go functions that compilers call: if the program registered a
// transformation of programs, or a partitioner of a custom call in the program that is compiled,
// the compilation fails with ErrUnimplemented.
//
// # Processes
//
// A child is started when it is first needed, and kept for further compilations of the same client.
// It ends when it has had nothing to do for a while, when it has compiled often, when its
// compilation takes too long or its context ends, with Compiler.Close, and when the program ends,
// however that happens. A child that crashes after it compiled other programs may have been damaged
// by them, so its program is tried once more in a new child.
//
// A compilation in a child that is kept takes as long as one in the program, plus the time to
// serialize, send and load the executable: a few milliseconds with XLA's CPU plugin. Starting a
// child, with plugin and client, adds about a tenth of a second there. BenchmarkCompile compares
// them.
package isolate
