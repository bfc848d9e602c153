// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

#include "textflag.h"

// The runtime calls trampoline as a C function on the system stack, DI holding
// the Frame. BX is callee-saved in C; pushing it also aligns the stack to 16.
TEXT trampoline<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BX
	MOVQ  DI, BX
	MOVQ  0(BX), AX
	LEAQ  16(BX), DI
	CALL  AX
	MOVQ  AX, 8(BX)
	POPQ  BX
	XORL  AX, AX
	RET

// trampolineArg is trampoline for an ArgFrame, which holds the argument.
TEXT trampolineArg<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BX
	MOVQ  DI, BX
	MOVQ  0(BX), AX
	MOVQ  16(BX), DI
	CALL  AX
	MOVQ  AX, 8(BX)
	POPQ  BX
	XORL  AX, AX
	RET

// chain calls the functions of a Chain until one returns something. Three callee-saved
// registers also align the stack to 16.
TEXT chain<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BX
	PUSHQ R12
	PUSHQ R13
	MOVQ  DI, BX
	LEAQ  16(DI), R12
next:
	MOVQ  0(R12), R13
	MOVQ  8(R12), AX
	TESTQ AX, AX
	JZ    call
	MOVQ  0(AX), AX
	MOVQ  16(R12), CX
	MOVQ  AX, 0(CX)
	TESTQ AX, AX
	JZ    called
call:
	MOVQ  0(R13), AX
	LEAQ  16(R13), DI
	CALL  AX
called:
	MOVQ  AX, 8(R13)
	TESTQ AX, AX
	JNZ   done
	INCQ  8(BX)
	ADDQ  $24, R12
	DECQ  0(BX)
	JNZ   next
done:
	POPQ  R13
	POPQ  R12
	POPQ  BX
	XORL  AX, AX
	RET

GLOBL ·trampolineABI0(SB), NOPTR|RODATA, $8
DATA ·trampolineABI0(SB)/8, $trampoline<>(SB)

GLOBL ·trampolineArgABI0(SB), NOPTR|RODATA, $8
DATA ·trampolineArgABI0(SB)/8, $trampolineArg<>(SB)

GLOBL ·chainABI0(SB), NOPTR|RODATA, $8
DATA ·chainABI0(SB)/8, $chain<>(SB)
