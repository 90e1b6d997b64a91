/**
 * What a hook of a run prints: the reminder of its task, asked of the server, in a time that the agent does not notice. Loaded by
 * `lode hook --answer` alone.
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { type HookMoment, isFirstToAnswer, readMoment } from './hook-moment'

export interface HookAnswerCall {
  payload: Uint8Array
  env: Readonly<Record<string, string | undefined>>
  /** Lodeline's folder. */
  home: string
  /** Milliseconds that this process has run already. */
  elapsedMs: number
}

/** For the whole process. A compaction is what a person waits for; a session's start can take a little more. */
const LIMIT_MS = { precompact: 800, start: 1_500 } as const
/** The CLI puts more than 10,000 characters into a file and gives the model its beginning. */
const ANSWER_LIMIT = 9_900
/** Payloads of the moments that are answered are far smaller. */
const PAYLOAD_LIMIT_BYTES = 262_144

/** The text for stdout; '' = print nothing. Never throws for what the server or the disk do. */
export async function hookAnswer({ payload, env, home, elapsedMs }: HookAnswerCall): Promise<string> {
  const { LODELINE_URL: url, LODELINE_TOKEN: token, LODELINE_TASK_ID: task } = env
  if (!url || !token || !task || payload.length > PAYLOAD_LIMIT_BYTES) return ''
  const moment = readMoment(parse(payload))
  if (moment === null) return ''
  const runFolder = folderOf(env.LODELINE_RUN_DIR)
  if (!isFirst(moment, runFolder, home, task)) return ''
  const limit = moment.moment === 'precompact' ? LIMIT_MS.precompact : LIMIT_MS.start
  const told = await ask(url, token, task, moment, limit - elapsedMs)
  const text = told ?? fallback(runFolder)
  // Text that begins like JSON is read as JSON by the CLI; ours never does.
  return text.startsWith('{') ? '' : text.slice(0, ANSWER_LIMIT)
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

function isFirst(moment: HookMoment, runFolder: string | null, home: string, task: string): boolean {
  try {
    if (runFolder !== null) return isFirstToAnswer(join(runFolder, 'told'), true, moment)
    const all = join(home, 'told')
    sweep(all)
    return isFirstToAnswer(join(all, Bun.hash(task).toString(36)), false, moment)
  } catch {
    // A disk that takes nothing: a reminder twice is better than none.
    return true
  }
}

const KEEP_MS = 7 * 24 * 3_600_000

/** Claims of long ago; those of a run go with its folder. */
function sweep(all: string): void {
  try {
    for (const name of readdirSync(all)) {
      const path = join(all, name)
      if (Date.now() - statSync(path).mtimeMs > KEEP_MS) rmSync(path, { recursive: true, force: true })
    }
  } catch {
    // None yet, or another process sweeps.
  }
}

/** `null` = the server did not say: it is away, slow, or not ours. */
async function ask(
  url: string,
  token: string,
  task: string,
  { moment }: HookMoment,
  timeoutMs: number,
): Promise<string | null> {
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
