/** What tests of the guard need: programs that leave processes behind, and a look at what is left. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bootMs } from '../../src/util/process/boot-clock'
import type { Limits } from '../../src/util/process/guard-channel'
import type { GuardedOptions } from '../../src/worker/run/guarded-process'
import { LODE } from '../lode-command'

let serial = 0
/** An attempt's id that no other test has: processes are found by it. */
export const newAttempt = (): string => `t-guard${process.pid}.${++serial}`

/** What a renewal says that is acknowledged now. */
export const limitsIn = (freezeMs: number, endMs = freezeMs): Limits => {
  const now = bootMs()
  return { freezeAt: now + freezeMs, endAt: now + endMs }
}

export function guarded(attempt: string, script: string, more: Partial<GuardedOptions> = {}): GuardedOptions {
  return {
    lode: LODE,
    command: '/bin/sh',
    args: ['-c', script],
    cwd: '/tmp',
    env: { PATH: process.env.PATH ?? '', LODELINE_ATTEMPT_ID: attempt },
    limits: limitsIn(15_000),
    ...more,
  }
}

/** Processes that carry the attempt's id in their environment, the guard among them; ended ones don't count. */
export function processesOf(attempt: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const isEnded = /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
        return !isEnded && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`LODELINE_ATTEMPT_ID=${attempt}\0`)
      } catch {
        return false
      }
    })
}

/** Shell code that adds to `file` every 20 ms until it is killed. */
export const writer = (file: string): string => `while :; do echo x >> '${file}'; sleep 0.02; done`

/**
 * Shell code that starts a writer in each way in which tools run: as a child, in a session of its own, and as an orphan with
 * and without a session.
 */
export function tools(folder: string): { script: string; files: string[] } {
  const files = ['child', 'session', 'orphan', 'daemon'].map((name) => join(folder, name))
  const [child = '', session = '', orphan = '', daemon = ''] = files
  const script = [
    `(${writer(child)}) &`,
    `setsid sh -c "${writer(session)}" &`,
    `(nohup sh -c "${writer(orphan)}" >/dev/null 2>&1 &)`,
    `(setsid nohup sh -c "${writer(daemon)}" >/dev/null 2>&1 &)`,
  ].join('\n')
  return { script, files }
}

/** Bytes of each file; 0 = not there yet. */
export const sizesOf = (files: string[]): number[] =>
  files.map((file) => {
    try {
      return statSync(file).size
    } catch {
      return 0
    }
  })
