/**
 * What a hook prints, in a time that the agent does not notice: in a run the reminder of its task, asked of the server; in any other
 * session its goal and state, from the record. Loaded by `lode hook --answer` alone.
 */
import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { HookEvent, HookMoment } from '../../domain/harness/harness-hooks'
import { type HookAnswerCall, type HookWork, isFirst, limitOf } from './hook-call'

export type { HookAnswerCall } from './hook-call'

/** Payloads of the moments that are answered are far smaller. */
const PAYLOAD_LIMIT_BYTES = 262_144

/** The text for stdout; '' = print nothing. Never throws for what the server or the disk do. */
export async function hookAnswer(call: HookAnswerCall): Promise<string> {
  if (call.payload.length > PAYLOAD_LIMIT_BYTES) return ''
  const hooks = await (await import('../../harness/registry')).hooksOf(call.agent)
  const event = hooks?.read(parse(call.payload))
  if (!hooks || !event) return ''
  const work: HookWork = { ...call, hooks }
  if (event.kind === 'launch') return await (await import('./launch-guard')).launchGuard(work, event)
  return hooks.answer(event, await textFor(work, event))
}

async function textFor(work: HookWork, event: Exclude<HookEvent, { kind: 'launch' }>): Promise<string> {
  const run = runOf(work.env)
  // A token without its task: what it stands for is not for a session.
  if (run === null) return ''
  // A run's server tells it its task, which is not that of its sub-agents.
  if (run !== 'none' && event.kind === 'subagentCompacted') return ''
  const place = { runFolder: run === 'none' ? null : run.folder, subject: run === 'none' ? event.sessionId : run.task }
  if (work.hooks.late !== null) {
    const late = await import('./late-moment')
    if (isMoment(event)) {
      late.leaveMoment(work, event, place)
      return ''
    }
    const began = performance.now()
    const moment =
      event.kind === 'prompt'
        ? (late.takeMoment(work, event, place) ??
          late.startOfRun(work, event, place) ??
          (await late.awaitMoment(work, event, place)))
        : null
    const later = { ...work, elapsedMs: work.elapsedMs + performance.now() - began }
    if (moment !== null && run !== 'none') return await told(later, run, moment)
    if (moment !== null) return await (await import('./session-answer')).recallOf(later, moment)
  }
  if (run !== 'none')
    // A run is given its messages by its worker.
    return isMoment(event) && isFirst(event, run.folder, work.home, run.task) ? await told(work, run, event) : ''
  if (isMoment(event)) return await (await import('./session-answer')).sessionAnswer(work, event)
  if (event.kind === 'subagentCompacted') return await (await import('./session-answer')).subagentAnswer(work, event)
  if (event.kind === 'prompt') return await (await import('./session-answer')).promptAnswer(work, event)
  if (event.kind !== 'cleared') return await (await import('./hook-messages')).mailText(work, event)
  ;(await import('./session-answer')).noteCleared(work, event.sessionId)
  return ''
}

const isMoment = (event: HookEvent): event is HookMoment => event.kind === 'start' || event.kind === 'compaction'

interface Run {
  url: string
  token: string
  task: string
  folder: string | null
}

/** The run that an environment is of; `null` = something is missing of one. */
function runOf(env: HookAnswerCall['env']): Run | 'none' | null {
  const { LODELINE_URL: url, LODELINE_TOKEN: token, LODELINE_TASK_ID: task, LODELINE_RUN_DIR: path } = env
  if (!token) return 'none'
  return url && task ? { url, token, task, folder: folderOf(path) } : null
}

async function told({ elapsedMs }: HookAnswerCall, run: Run, moment: HookMoment): Promise<string> {
  const written = (name: string): string | null => writtenDown(run.folder, name)
  return (
    written(`recall-${moment.moment}.txt`) ??
    (await ask(run, moment, limitOf(moment) - elapsedMs)) ??
    written('recall.txt') ??
    ''
  )
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

function folderOf(path: string | undefined): string | null {
  if (!path || !isAbsolute(path)) return null
  try {
    return statSync(path).isDirectory() ? path : null
  } catch {
    return null
  }
}

/** `null` = the server did not say: it is away, slow, or not ours. */
async function ask({ url, token, task }: Run, { moment }: HookMoment, timeoutMs: number): Promise<string | null> {
  if (timeoutMs <= 0) return null
  try {
    const target = new URL(`/api/tasks/${encodeURIComponent(task)}/recall?moment=${moment}`, url)
    // A proxy of the agent's environment knows nothing of this machine's loopback.
    if (isLoopback(target.hostname)) process.env.NO_PROXY = '*'
    const response = await fetch(target, {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    // The run is not known (any more): there is nothing for it.
    if (response.status >= 400 && response.status < 500) return ''
    if (!response.ok || !response.headers.get('content-type')?.startsWith('text/plain')) return null
    return await response.text()
  } catch {
    return null
  }
}

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

/** What the worker wrote down when the run began: the text of that moment, and one in case that the server is away. `null` = nothing. */
function writtenDown(runFolder: string | null, name: string): string | null {
  if (runFolder === null) return null
  try {
    return readFileSync(join(runFolder, name), 'utf8')
  } catch {
    return null
  }
}
