/**
 * The host's hook journal: one line per hook call, in `<LODELINE_HOME>/hooks/`.
 *
 * Hook processes append to the file with the highest number (`hooks.jsonl` is number 1, then `hooks-2.jsonl` …). Only the
 * collector begins the next number and removes old ones, so no file is ever renamed: a path names the same bytes for life,
 * and a writer that looked just before the change appends to a file that is still followed.
 *
 * `lode hook` loads this file on every call: it imports node:fs and node:path, nothing else.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Where the hook journal's files are. */
export function hookJournalFolder(home: string): string {
  return join(home, 'hooks')
}

/** The number of a hook journal's file by its name; `null` for any other file. */
export function hookJournalNumber(fileName: string): number | null {
  if (fileName === 'hooks.jsonl') return 1
  const match = /^hooks-([1-9]\d{0,8})\.jsonl$/.exec(fileName)
  const number = Number(match?.[1] ?? 0)
  return number > 1 ? number : null
}

/** The inverse of `hookJournalNumber`. */
export function hookJournalName(number: number): string {
  return number === 1 ? 'hooks.jsonl' : `hooks-${number}.jsonl`
}

/** The files of the hook journal that are there, oldest first; none when the folder is missing or unreadable. */
export function listHookJournals(folder: string): { path: string; number: number }[] {
  const files: { path: string; number: number }[] = []
  for (const name of namesIn(folder)) {
    const number = hookJournalNumber(name)
    if (number !== null) files.push({ path: join(folder, name), number })
  }
  return files.sort((a, b) => a.number - b.number)
}

/** The file to append to now; it may not exist yet. */
export function currentHookJournal(folder: string): string {
  let newest = 1
  for (const name of namesIn(folder)) newest = Math.max(newest, hookJournalNumber(name) ?? 1)
  return join(folder, hookJournalName(newest))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Facts about the hook process that its payload does not tell. Never a token. */
export interface HookEnvelope {
  /** Milliseconds since the epoch, when the hook process began. */
  at: number
  /** The hook process and its parent: the agent's CLI, or a shell that it started. */
  pid: number
  ppid: number
  /** Values of `HOOK_ENV_NAMES` that were set. */
  env: Record<string, string>
  /** Which agent CLI the payload is of; left out: the one that is asked where nothing names one. */
  agent?: string | undefined
  /** Reading stopped before the payload's end: its writer was too slow or too verbose. What is valid JSON all the same is whole. */
  isCut: boolean
  /** Where the conversation comes from, as the hook itself saw it. */
  origin?: SessionOrigin | undefined
}

/**
 * The conversation that a session goes on from under a new id: the one that the same process of the CLI held before it was `cleared`, or
 * the one that it had to resume and `resumed` under another id.
 */
export interface SessionOrigin {
  how: 'cleared' | 'resumed'
  sessionId: string
}

/** The only environment variables that go into the journal. */
export const HOOK_ENV_NAMES = [
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_PID',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_PROJECT_DIR',
  'CLAUDE_CODE_TASK_LIST_ID',
  'LODELINE_ISSUE',
] as const

/** Longest value of an environment variable that is kept, in characters. */
const ENV_VALUE_LIMIT = 4_096

/** The variables worth keeping, from an environment that may hold secrets. */
export function pickHookEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const picked: Record<string, string> = {}
  for (const name of HOOK_ENV_NAMES) {
    const value = env[name]
    if (value !== undefined && value !== '') picked[name] = value.slice(0, ENV_VALUE_LIMIT)
  }
  return picked
}

/**
 * One line, newline included. Valid JSON is embedded byte for byte, but for newlines between its tokens, which become
 * spaces (inside a string JSON allows none); anything else is kept as base64.
 */
export function encodeHookLine(envelope: HookEnvelope, payload: Uint8Array): Uint8Array {
  const { at, pid, ppid, env, isCut, agent, origin } = envelope
  const head = JSON.stringify({ v: 1, at, pid, ppid, agent, env, origin }).slice(0, -1)
  if (parseJson(payload) === undefined) {
    const text = Buffer.from(payload).toString('base64')
    return Buffer.from(`${head}${isCut ? ',"cut":true' : ''},"payloadBase64":"${text}"}\n`)
  }
  return Buffer.concat([Buffer.from(`${head},"payload":`), withoutNewlines(payload), Buffer.from('}\n')])
}

/** One hook call, as read back. */
export interface HookLine {
  /** Milliseconds since the epoch. */
  at: number
  /** `null` when the line does not say. */
  pid: number | null
  ppid: number | null
  /** `null` when the line does not say. */
  agent: string | null
  env: Record<string, string>
  /** The agent's own JSON; `undefined` when it was not valid. */
  payload: unknown
  /** What came instead of valid JSON; `null` when the payload is valid. */
  invalidPayload: Uint8Array | null
  isCut: boolean
  /** `null` where the hook saw none. */
  origin: SessionOrigin | null
}

/** Reads one line (with or without its newline). `null` = not a line of a hook journal. Never throws. */
export function parseHookLine(bytes: Uint8Array): HookLine | null {
  const line = parseJson(bytes)?.value
  if (!isObject(line) || typeof line.v !== 'number' || !isTime(line.at)) return null
  const isValid = line.payload !== undefined
  if (!isValid && typeof line.payloadBase64 !== 'string') return null
  return {
    at: line.at,
    pid: processId(line.pid),
    ppid: processId(line.ppid),
    agent: typeof line.agent === 'string' && /^[a-z][a-z0-9-]{0,39}$/.test(line.agent) ? line.agent : null,
    env: isObject(line.env) ? pickHookEnv(stringsOf(line.env)) : {},
    payload: line.payload,
    invalidPayload: isValid ? null : Buffer.from(String(line.payloadBase64), 'base64'),
    isCut: line.cut === true,
    origin: originOf(line.origin),
  }
}

function originOf(value: unknown): SessionOrigin | null {
  if (!isObject(value)) return null
  const { how, sessionId } = value
  if ((how !== 'cleared' && how !== 'resumed') || typeof sessionId !== 'string') return null
  return /^[\w-]{1,200}$/.test(sessionId) ? { how, sessionId } : null
}

/** `undefined` = not valid JSON. A byte order mark is not JSON; invalid UTF-8 inside a string is let through. */
function parseJson(bytes: Uint8Array): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)) }
  } catch {
    return undefined
  }
}

function withoutNewlines(json: Uint8Array): Uint8Array {
  if (!json.includes(0x0a) && !json.includes(0x0d)) return json
  return json.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Year 0 to 9999: what a `Date` can show. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < 253_402_300_800_000
}

function processId(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null
}

function stringsOf(object: Record<string, unknown>): Record<string, string> {
  const strings: Record<string, string> = {}
  for (const name of HOOK_ENV_NAMES) {
    const value = object[name]
    if (typeof value === 'string') strings[name] = value
  }
  return strings
}
