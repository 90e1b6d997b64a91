/**
 * What a hook prints, in a time that the agent does not notice: in a run the reminder of its task, asked of the server; in any other
 * session its goal and state, from the record. Loaded by `lode hook --answer` alone.
 */
import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { type HookAnswerCall, isFirst, limitOf } from './hook-call'
import { type HookMoment, readMoment } from './hook-moment'

export type { HookAnswerCall } from './hook-call'

/** The CLI puts more than 10,000 characters into a file and gives the model its beginning. */
const ANSWER_LIMIT = 9_900
/** Payloads of the moments that are answered are far smaller. */
const PAYLOAD_LIMIT_BYTES = 262_144

/** The text for stdout; '' = print nothing. Never throws for what the server or the disk do. */
export async function hookAnswer(call: HookAnswerCall): Promise<string> {
  const { payload, env } = call
  if (payload.length > PAYLOAD_LIMIT_BYTES) return ''
  const { LODELINE_URL: url, LODELINE_TOKEN: token, LODELINE_TASK_ID: task } = env
  const isRun = Boolean(url && token && task)
  const parsed = parse(payload)
  const { hook_event_name: event } = (parsed ?? {}) as { hook_event_name?: unknown }
  if (event === 'PreToolUse') return await launchAnswer(call, parsed)
  // A run is given its messages by its worker.
  if (event === 'UserPromptSubmit' || event === 'Stop')
    return token ? '' : await (await import('./hook-messages')).messageAnswer(call, parsed)
  const moment = readMoment(parsed)
  let text = ''
  if (isRun)
    text =
      moment === null ? '' : await runAnswer(call, { url: url ?? '', token: token ?? '', task: task ?? '' }, moment)
  // A token without its task: what it stands for is not for a session.
  else if (!token) text = await (await import('./session-answer')).sessionAnswer(call, parsed, moment)
  // Text that begins like JSON is read as JSON by the CLI; ours never does.
  return text.startsWith('{') ? '' : text.slice(0, ANSWER_LIMIT)
}

/** JSON, unlike the others' texts: nothing else stops a tool call, or says anything beside it. */
async function launchAnswer(call: HookAnswerCall, parsed: unknown): Promise<string> {
  const { tool_name: tool } = parsed as { tool_name?: unknown }
  if (tool !== 'Agent' && tool !== 'Task') return ''
  const { launchGuard, readLaunch } = await import('./launch-guard')
  const launch = readLaunch(parsed)
  return launch === null ? '' : await launchGuard(call, launch)
}

interface Run {
  url: string
  token: string
  task: string
}

async function runAnswer({ env, home, elapsedMs }: HookAnswerCall, run: Run, moment: HookMoment): Promise<string> {
  const runFolder = folderOf(env.LODELINE_RUN_DIR)
  if (!isFirst(moment, runFolder, home, run.task)) return ''
  const told = await ask(run, moment, limitOf(moment) - elapsedMs)
  return told ?? fallback(runFolder)
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
    // The run is not known (any more): nothing that it should be told.
    if (response.status >= 400 && response.status < 500) return ''
    if (!response.ok || !response.headers.get('content-type')?.startsWith('text/plain')) return null
    return await response.text()
  } catch {
    return null
  }
}

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

/** What the worker wrote down when the run began. */
function fallback(runFolder: string | null): string {
  if (runFolder === null) return ''
  try {
    return readFileSync(join(runFolder, 'recall.txt'), 'utf8')
  } catch {
    return ''
  }
}
