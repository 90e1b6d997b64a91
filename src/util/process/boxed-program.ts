/**
 * The program within `bwrap`: bwrap itself, then the first process of the sandbox, then the program. `lode guard` loads this file at each
 * start: node:fs only.
 */
import { readFileSync } from 'node:fs'
import { descendantsOf } from './process-tree'

/** Between two looks. It is there within a few milliseconds. */
const PROGRAM_LOOK_MS = 1

/** The program's pid, as it is called outside; `null` = bwrap ended before there was one. */
export async function programIn(box: Pick<Bun.Subprocess, 'pid' | 'exitCode' | 'signalCode'>): Promise<number | null> {
  while (box.exitCode === null && box.signalCode === null) {
    const [first] = childrenOf(box.pid)
    const [program] = first === undefined ? [] : childrenOf(first)
    if (program !== undefined) return program
    await Bun.sleep(PROGRAM_LOOK_MS)
  }
  return null
}

/** bwrap tells by its own exit code which signal ended the program. A program that ends by itself has no such code. */
export function signalOf(exitCode: number | null): string | null {
  return SIGNALS[(exitCode ?? 0) - 128] ?? null
}

/** Those that a program can't handle, and those of its own mistakes; others it may answer by an exit code of this form itself. */
const SIGNALS: Readonly<Record<number, string>> = {
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    // A kernel without this file, or the process has ended.
    return descendantsOf(pid)
      .filter(({ parent }) => parent === pid)
      .map((row) => row.pid)
  }
}
