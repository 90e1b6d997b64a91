/**
 * Spares the runtime of Bun work that pays off only in a long run; a process of a test ends within seconds. Measured as user and system
 * time of one start of Claude Code 2.1.330 and 2.1.328: the optimizing compiler takes a seventh, collections by the clock and a second
 * thread that marks take a fifth of the rest. A test of the API takes a third less, a start of `lode up` a quarter.
 *
 * It is for all that is made with Bun: test files, `lode`, Claude Code, opencode. Files with properties and long ones go without it: without
 * the optimizing compiler a password's key is derived for minutes.
 */
export const QUICK_START = {
  BUN_JSC_useDFGJIT: '0',
  BUN_GC_TIMER_DISABLE: '1',
  BUN_JSC_numberOfGCMarkers: '1',
} as const

/** For `worker.passEnvironment`: workers pass on to their runs what it names. */
export const PASS_ENVIRONMENT = Object.keys(QUICK_START)
