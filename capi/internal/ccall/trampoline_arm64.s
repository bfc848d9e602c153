// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

#include "textflag.h"

// The runtime calls trampoline as a C function on the system stack, R0 holding
// the Frame. R19 is callee-saved in C; R30 is the return address.
TEXT trampoline<>(SB), NOSPLIT|NOFRAME, $0
	STP.W (R19, R30), -16(RSP)
	MOVD  R0, R19
	MOVD  0(R19), R9
	ADD   $16, R19, R0
	CALL  (R9)
	MOVD  R0, 8(R19)
	LDP.P 16(RSP), (R19, R30)
	MOVD  $0, R0
	RET

// trampolineArg is trampoline for an ArgFrame, which holds the argument.
TEXT trampolineArg<>(SB), NOSPLIT|NOFRAME, $0
	STP.W (R19, R30), -16(RSP)
	MOVD  R0, R19
	MOVD  0(R19), R9
	MOVD  16(R19), R0
	CALL  (R9)
	MOVD  R0, 8(R19)
	LDP.P 16(RSP), (R19, R30)
	MOVD  $0, R0
	RET

// chain calls the functions of a Chain until one returns something.
TEXT chain<>(SB), NOSPLIT|NOFRAME, $0
	STP.W (R19, R20), -32(RSP)
	STP   (R21, R30), 16(RSP)
	MOVD  R0, R19
	ADD   $16, R0, R20
next:
	MOVD  0(R20), R21
	MOVD  8(R20), R9
	CBZ   R9, call
	MOVD  0(R9), R0
	MOVD  16(R20), R10
	MOVD  R0, 0(R10)
	CBZ   R0, called
call:
	MOVD  0(R21), R9
	ADD   $16, R21, R0
	CALL  (R9)
called:
	MOVD  R0, 8(R21)
	CBNZ  R0, done
	MOVD  8(R19), R9
	ADD   $1, R9
	MOVD  R9, 8(R19)
	ADD   $24, R20
	MOVD  0(R19), R9
	SUB   $1, R9
	MOVD  R9, 0(R19)
	CBNZ  R9, next
done:
	LDP   16(RSP), (R21, R30)
	LDP.P 32(RSP), (R19, R20)
	MOVD  $0, R0
	RET

GLOBL ·trampolineABI0(SB), NOPTR|RODATA, $8
DATA ·trampolineABI0(SB)/8, $trampoline<>(SB)

GLOBL ·trampolineArgABI0(SB), NOPTR|RODATA, $8
DATA ·trampolineArgABI0(SB)/8, $trampolineArg<>(SB)

GLOBL ·chainABI0(SB), NOPTR|RODATA, $8
DATA ·chainABI0(SB)/8, $chain<>(SB)
