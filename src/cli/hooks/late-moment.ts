/**
 * Moments of CLIs that let words in with a prompt only: what a hook heard of waits in the claims of its session until the next prompt's
 * hook takes it. node:fs only.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { HookEvent, HookMoment, LateAnswers } from '../../domain/harness/harness-hooks'
import type { RecallMoment } from '../../domain/recall/recall'
import { cliProcess } from './cli-process'
import { Claims } from './first-claim'
import { AWAITED_LIMIT_MS, claimsFolder, type HookWork, isFirst } from './hook-call'
import { isStartHeard, STARTS } from './hook-moment'

/** The owner of these moments: a run, by its task, or a session that is no run. */
export interface MomentPlace {
  /** `null` = no run, or one without a folder. */
  runFolder: string | null
  /** A task or a session. */
  subject: string
}

interface Waiting {
  moment: RecallMoment
  /** Before a compaction: the file that will tell its end, and the bytes that it had. */
  transcript: string | null
  size: number
}

/** Keeps a moment for the next prompt. Several hooks may hear of it; only one keeps it. @throws the system's error */
export function leaveMoment(work: HookWork, event: HookMoment, place: MomentPlace): void {
  const { home } = work
  const { moment, promptId, sessionId, transcript } = event
  const cli = cliProcess(work)
  const heard = { moment, promptId, sessionId, ...(cli !== null && { cli }) }
  if (!isFirst(heard, place.runFolder, home, place.subject)) return
  const claims = claimsOf(home, place)
  const name = nameOf('late', sessionId)
  const size = transcript === null ? 0 : (statSync(transcript, { throwIfNoEntry: false })?.size ?? 0)
  claims.take(name, claims.newest(name).number + 1, JSON.stringify({ moment, transcript, size } satisfies Waiting))
}

/** The newest moment that waits for this prompt, for the one process that takes it; `null` = none. @throws the system's error */
export function takeMoment(
  { home, hooks }: HookWork,
  event: Extract<HookEvent, { kind: 'prompt' }>,
  place: MomentPlace,
): HookMoment | null {
  if (hooks.late === null) return null
  const claims = claimsOf(home, place)
  const [late, given] = [nameOf('late', event.sessionId), nameOf('given', event.sessionId)]
  const last = claims.newest(given).number
  for (let number = claims.newest(late).number; number > last; number--) {
    const waiting = parse(claims.note(late, number))
    if (waiting === null || (waiting.moment === 'precompact' && !isOver(waiting, hooks.late))) continue
    if (!claims.take(given, number, '')) return null
    const moment = waiting.moment === 'precompact' ? 'compact' : waiting.moment
    return { ...event, kind: 'start', moment, promptId: '' }
  }
  return null
}

/** Between two looks for a moment that is being left, in milliseconds. */
const LATE_LOOK_MS = 10
/** What the answer itself needs of the time that a prompt's hook has, in milliseconds. */
const ANSWER_MS = 250

/** Looks that are made once the start was heard: its hook leaves the moment right after that. */
const LAST_LOOKS = 2

/**
 * The moment of a start whose hook is still at work. A CLI may run the hooks of a start and of the first prompt together (Copilot CLI
 * 1.0.102 begins them 30 to 60 ms apart): the prompt's looks too early then, and a conversation of one prompt would never get the text.
 * Only the first prompt of a process for which nothing is there waits. @throws the system's error
 */
export async function awaitMoment(
  work: HookWork,
  event: Extract<HookEvent, { kind: 'prompt' }>,
  place: MomentPlace,
): Promise<HookMoment | null> {
  if (place.runFolder !== null) return null
  const folder = claimsFolder(work.home, place.subject)
  const cli = cliProcess(work) ?? undefined
  const mark = `${nameOf('awaited', event.sessionId)}-${Bun.hash(cli ?? '').toString(36)}`
  if (!new Claims(folder).take(mark, 1, '')) return null
  const until = performance.now() + AWAITED_LIMIT_MS - ANSWER_MS - work.elapsedMs
  for (let last = 0; last < LAST_LOOKS && performance.now() < until; ) {
    await Bun.sleep(LATE_LOOK_MS)
    const moment = takeMoment(work, event, place)
    if (moment !== null) return moment
    if (isStartHeard(folder, event.sessionId, cli)) last++
  }
  return null
}

/** A run's first prompt carries the reminder that its worker began it with: no hook need hear of its start. */
export function startOfRun(
  { home, env }: HookWork,
  event: Extract<HookEvent, { kind: 'prompt' }>,
  { runFolder, subject }: MomentPlace,
): HookMoment | null {
  const moment = STARTS.find((one) => one === env.LODELINE_RUN_MOMENT)
  if (runFolder === null || moment === undefined) return null
  const start: HookMoment = { ...event, kind: 'start', moment, promptId: '' }
  return isFirst(start, runFolder, home, subject) ? start : null
}

const claimsOf = (home: string, { runFolder, subject }: MomentPlace): Claims =>
  new Claims(runFolder === null ? claimsFolder(home, subject) : join(runFolder, 'told'))

const nameOf = (what: 'late' | 'given' | 'awaited', sessionId: string): string =>
  `${what}-${Bun.hash(sessionId).toString(36)}`

function parse(note: string): Waiting | null {
  try {
    const { moment, transcript, size } = JSON.parse(note) as Waiting
    return { moment, transcript, size }
  } catch {
    // Swept, or half a disk's.
    return null
  }
}

/** The end of a compaction follows its beginning within this many bytes. */
const LOOK_BYTES = 4 * 1_024 * 1_024

function isOver({ transcript, size }: Waiting, late: LateAnswers): boolean {
  if (transcript === null) return false
  try {
    const fd = openSync(transcript, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stat = fstatSync(fd)
      if (!stat.isFile()) return false
      const bytes = Buffer.alloc(Math.max(0, Math.min(LOOK_BYTES, stat.size - size)))
      const length = readSync(fd, bytes, 0, bytes.length, size)
      return late.hasCompacted(bytes.subarray(0, length))
    } finally {
      closeSync(fd)
    }
  } catch {
    return false
  }
}
