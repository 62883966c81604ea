/* SPDX-License-Identifier: Apache-2.0 */
/* Leaving one stack for another on x86-64: what a fiber is where Boost.Context is not needed.
 *
 * Boost's switch also keeps the two floating-point control words, which takes four fifths of its
 * time: reading and loading them empties the pipeline. Fibers of a block all run with those of
 * their OS thread, so nothing is kept here but what the compiler itself asks for: it is told that
 * every register changes, and saves those that are in use. The rest is a stack pointer, the frame
 * pointer, which no asm may name as changed, and the place to go on at.
 */
#ifndef ULPGATE_HOST_FIBER_SWITCH_H
#define ULPGATE_HOST_FIBER_SWITCH_H

#include <stddef.h>
#include <stdint.h>

/* Saves the place in *from and goes on at `to`, which an earlier switch saved or
 * ug_switch_start() made. */
__attribute__((always_inline)) inline void ug_switch(void **from, void *to)
{
    __asm__ volatile(
        "leaq -128(%%rsp), %%rsp\n\t" /* what lies below the stack pointer may be in use */
        "pushq %%rbp\n\t"
        "leaq 1f(%%rip), %%rax\n\t"
        "pushq %%rax\n\t"
        "movq %%rsp, (%%rdi)\n\t"
        "movq %%rsi, %%rsp\n\t"
        "popq %%rax\n\t"
        "jmpq *%%rax\n"
        "1:\n\t"
        "popq %%rbp\n\t"
        "leaq 128(%%rsp), %%rsp"
        : "+D"(from), "+S"(to)
        :
        : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
          "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
          "xmm12", "xmm13", "xmm14", "xmm15",
#ifdef __AVX512F__
          "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
          "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6",
          "k7",
#endif
          "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)", "cc", "memory");
}

/* Where a new stack begins: argument and function lie on it. */
__attribute__((naked, noinline)) static void ug_switch_enter(void)
{
    __asm__ volatile("popq %rdi\n\t"
                     "popq %rax\n\t"
                     "xorl %ebp, %ebp\n\t" /* the outermost frame */
                     "jmpq *%rax");
}

/* A place to go to: entry(arg), which never returns, on stack [bottom, bottom + size). */
inline void *ug_switch_start(char *bottom, size_t size, void (*entry)(void *), void *arg)
{
    void **top =
        reinterpret_cast<void **>(reinterpret_cast<uintptr_t>(bottom + size) & ~(uintptr_t)15);
    top[-1] = nullptr; /* the return address of the outermost frame, aligned as after a call */
    top[-2] = reinterpret_cast<void *>(entry);
    top[-3] = arg;
    top[-4] = reinterpret_cast<void *>(ug_switch_enter);
    return top - 4;
}

#endif
