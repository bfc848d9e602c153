// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

#include "textflag.h"

#define S1(i) MOVL $(i), SI; JMP tail<>(SB)
#include "stubs.h"

// tail makes an entry on the stack, which stays aligned to 16, and calls
// enterGo with its address. crosscall2 saves the caller's registers.
TEXT tail<>(SB), NOSPLIT|NOFRAME, $0
	SUBQ $24, SP
	MOVQ DI, 0(SP)
	MOVQ SI, 8(SP)
	MOVQ $0, 16(SP)
	MOVQ ·enterGo(SB), DI
	MOVQ (DI), DI
	MOVQ SP, SI
	XORL DX, DX
	XORL CX, CX
	CALL crosscall2(SB)
	MOVQ 16(SP), AX
	ADDQ $24, SP
	RET
