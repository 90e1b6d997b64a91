/**
 * `lode hook`: what an agent's CLI runs at each of its events. It puts the payload into the host's hook journal, with one
 * append, and nothing else: no database, no server, nothing printed. It loads node:fs, node:os and node:path only. With
 * `--answer`, then, it tells the agent its goal and state where that is due (`../hooks/hook-answer.ts`).
 */
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { appendLine } from '../../util/append-line'
import {
  currentHookJournal,
  encodeHookLine,
  type HookEnvelope,
  hookJournalFolder,
  pickHookEnv,
} from '../../util/hook-journal'
import { defineCommand } from '../kit/command'

export const command = defineCommand({
  summary: 'record a hook payload from stdin in the hook journal',
  details: [
    'Called by the hooks of an agent CLI, not by people. Prints nothing unless --answer or --wake is given, and exits with 0 unless',
    '--wake wakes the agent (2), so it can never stop what the agent does. With --answer, the agent receives its goal',
    'and state when a session starts, resumes, forks or is cleared, and around a compaction. It also',
    "receives waiting messages: all with the next prompt, results and questions at a turn's end.",
  ].join('\n'),
  options: {
    agent: { kind: 'text', value: 'NAME', help: 'the agent CLI that calls (default: claude-code)' },
    answer: { kind: 'flag', help: 'send the agent its goal and state, once for each moment' },
    wake: { kind: 'flag', help: 'record nothing; wait for a result or question, then wake the agent with it' },
  },
  examples: [
    { line: 'lode hook', does: 'record the payload on stdin' },
    { line: 'lode hook --answer', does: 'record it, and remind the agent of its goal when that is due' },
    { line: 'lode hook --agent codex --answer', does: 'the same for another agent CLI' },
  ],
  hasJson: false,
  isForPrograms: true,
  run: async (context, { options }) => {
    const { home } = context.globals
    const { agent } = options
    if (context.io.isInTerminal) {
      context.io.err(
        'lode hook reads the payload of a hook from stdin. `lode setup claude` sets up the hooks of Claude Code.\n',
      )
      return 0
    }
    const call = { home, stdin: Bun.stdin.stream(), env: process.env, ...(agent !== undefined && { agent }) }
    if (options.wake === true) return await runWake(call, context.io.err)
    return await runHook({ ...call, ...(options.answer === true && { answer: context.io.out }) })
  },
})

/** How long a payload may take to come from its first byte on, in milliseconds. The hooks of a session's end have 1.5 s in all. */
const STDIN_LIMIT_MS = 1_000
/** While no byte came, this many limits pass before it is given up. */
const SILENT_LIMITS = 5
/** A payload may have this many bytes; what is over it is left out, and the line says so. */
const STDIN_LIMIT_BYTES = 128 * 1024 * 1024

export interface HookCall {
  /** Lodeline's folder when it was named on the command line. */
  home: string | undefined
  stdin: ReadableStream<Uint8Array>
  /** Name of the agent CLI; left out: the one that is asked where nothing names one. */
  agent?: string
  env: Readonly<Record<string, string | undefined>>
  /** Default `STDIN_LIMIT_MS`. */
  limitMs?: number
  /** Prints a text for the agent; without it none is printed. Called at most once, after the payload was kept. */
  answer?: (text: string) => void
}

/** Records one hook call. Never throws; always answers 0: a failure of ours is no business of the agent. */
export async function runHook(call: HookCall): Promise<number> {
  const at = Date.now()
  try {
    const { bytes, isCut } = await readPayload(call.stdin, call.limitMs ?? STDIN_LIMIT_MS)
    if (bytes.length === 0) return 0
    try {
      keep(call, bytes, { at, isCut })
    } finally {
      await answerTo(call, bytes)
    }
  } catch {
    // There is nobody to report this to: a hook that prints or fails shows in the agent. The transcript has its facts too.
  }
  return 0
}

/** One append to the journal. @throws the system's error */
function keep(call: HookCall, payload: Uint8Array, facts: Pick<HookEnvelope, 'at' | 'isCut' | 'origin'>): void {
  const { pid, ppid } = process
  const line = encodeHookLine({ ...facts, pid, ppid, agent: call.agent, env: pickHookEnv(call.env) }, payload)
  appendToJournal(hookJournalFolder(homeOf(call)), line)
}

/** What the CLI takes for a word to its agent: the exit code of a hook that says something on stderr. */
const WAKES = 2

/** Waits for as long as the conversation lives. Never throws; answers 0 when there was nothing to say. */
async function runWake(call: HookCall, say: (text: string) => void): Promise<number> {
  try {
    const { bytes } = await readPayload(call.stdin, STDIN_LIMIT_MS)
    const { wakeText } = await import('../hooks/hook-wake')
    const text = await wakeText({ agent: call.agent, payload: bytes, env: call.env, home: homeOf(call), elapsedMs: 0 })
    if (text === '') return 0
    say(text)
    return WAKES
  } catch {
    return 0
  }
}

async function answerTo(call: HookCall, payload: Uint8Array): Promise<void> {
  if (call.answer === undefined) return
  const { hookAnswer } = await import('../hooks/hook-answer')
  // The clock of `performance` began with the process.
  const text = await hookAnswer({
    agent: call.agent,
    payload,
    env: call.env,
    home: homeOf(call),
    elapsedMs: performance.now(),
    keep: (more, origin) => keep(call, Buffer.from(JSON.stringify(more)), { at: Date.now(), isCut: false, origin }),
  })
  if (text !== '') call.answer(text)
}

/** The rule of `config/load.ts`, which is too heavy to load here; a test holds the two together. */
function homeOf(call: HookCall): string {
  return resolve(call.home ?? (call.env.LODELINE_HOME || join(call.env.HOME || homedir(), '.lodeline')))
}

function appendToJournal(folder: string, line: Uint8Array): void {
  // Twice at most: a file is removed only long after the next one was begun.
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      if (appendLine(currentHookJournal(folder), line)) return
    } catch (error) {
      if (attempt > 0 || !isMissing(error)) throw error
      mkdirSync(folder, { recursive: true, mode: 0o700 })
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/**
 * Reads until the end, the time limit or the size limit, whichever comes first. While nothing came at all there is nothing to keep: it
 * waits longer for a CLI that is slow to write.
 */
async function readPayload(
  stdin: ReadableStream<Uint8Array>,
  limitMs: number,
): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const reader = stdin.getReader()
  const parts: Uint8Array[] = []
  let length = 0
  let endsAt = performance.now() + SILENT_LIMITS * limitMs
  for (;;) {
    const next = await within(reader.read(), endsAt - performance.now())
    if (next === 'late') return { bytes: Buffer.concat(parts), isCut: true }
    if (next.done) return { bytes: Buffer.concat(parts), isCut: false }
    if (parts.length === 0) endsAt = performance.now() + limitMs
    parts.push(next.value)
    length += next.value.length
    if (length > STDIN_LIMIT_BYTES) return { bytes: Buffer.concat(parts), isCut: true }
  }
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T | 'late'> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), Math.max(0, ms))
  })
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
