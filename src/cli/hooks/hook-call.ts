/** What all answers to hooks have in common: the call, its time limit, and that of several hooks one answers. node:fs only. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { HarnessHooks } from '../../domain/harness/harness-hooks'
import { DAY_MS } from '../../domain/time-units'
import type { SessionOrigin } from '../../util/hook-journal'
import { isFirstToAnswer, type Moment } from './hook-moment'

export interface HookAnswerCall {
  /** Name of the agent CLI; `undefined` = the one that is asked where nothing names one. */
  agent?: string | undefined
  payload: Uint8Array
  env: Readonly<Record<string, string | undefined>>
  /** Lodeline's folder. */
  home: string
  /** Milliseconds that this process has run already. */
  elapsedMs: number
  /** Puts a payload of our own into the hook journal, for what only this process can see. @throws the system's error */
  keep?: (payload: Readonly<Record<string, unknown>>, origin: SessionOrigin) => void
}

/** A call with the port of the CLI that makes it. */
export type HookWork = HookAnswerCall & { hooks: HarnessHooks }

/** Milliseconds for the whole process where a person waits: with a prompt, and before a compaction. */
export const AWAITED_LIMIT_MS = 800
/** The same at a session's start, which can take a little more. */
const START_LIMIT_MS = 1_500

/** Milliseconds that the process may run for its answer. */
export const limitOf = ({ moment }: Pick<Moment, 'moment'>): number =>
  moment === 'precompact' ? AWAITED_LIMIT_MS : START_LIMIT_MS

/** @param subject  what the claims are about where there is no run's folder: a task or a session */
export function isFirst(moment: Moment, runFolder: string | null, home: string, subject: string): boolean {
  try {
    if (runFolder !== null) return isFirstToAnswer(join(runFolder, 'told'), true, moment)
    sweep(join(home, 'told'))
    return isFirstToAnswer(claimsFolder(home, subject), false, moment)
  } catch {
    // A disk that takes nothing: a reminder twice is better than none.
    return true
  }
}

/** Where claims about a task or a session are that has no folder of a run. */
export const claimsFolder = (home: string, subject: string): string =>
  join(home, 'told', Bun.hash(subject).toString(36))

const CLAIM_KEPT_MS = 7 * DAY_MS

/** Claims of long ago; those of a run go with its folder. */
function sweep(all: string): void {
  try {
    for (const name of readdirSync(all)) {
      const path = join(all, name)
      if (Date.now() - statSync(path).mtimeMs > CLAIM_KEPT_MS) rmSync(path, { recursive: true, force: true })
    }
  } catch {
    // None yet, or another process sweeps.
  }
}
