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

GLOBL ·trampolineABI0(SB), NOPTR|RODATA, $8
DATA ·trampolineABI0(SB)/8, $trampoline<>(SB)

GLOBL ·trampolineArgABI0(SB), NOPTR|RODATA, $8
DATA ·trampolineArgABI0(SB)/8, $trampolineArg<>(SB)
