/** Rollouts for tests: those that Codex wrote, and lines of other releases made by hand. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import type { JournalRef } from '../../../src/domain/harness/harness'
import type { Observation, ParsedLines } from '../../../src/domain/record/observation'
import { codex } from '../../../src/harness/codex'

export const CODEX_FIXTURES = join(import.meta.dir, '../../fixtures/codex')

export interface Rollout {
  ref: JournalRef
  bytes: Buffer
}

/** The rollouts of one recorded story, main threads first. */
export function rolloutsOf(story: string, version = '0.169.0'): Rollout[] {
  const folder = join(CODEX_FIXTURES, version, story)
  return [...new Glob('sessions/**/*.jsonl').scanSync(folder)]
    .sort()
    .map((name) => {
      const bytes = readFileSync(join(folder, name))
      const ref = codex.classify(join('/home/user/.codex', name), bytes.subarray(0, 65_536))
      if (ref === null) throw new Error(`no rollout: ${name}`)
      return { ref, bytes }
    })
    .sort((a, b) => Number(a.ref.kind === 'subagent') - Number(b.ref.kind === 'subagent'))
}

export const STORIES = ['plan', 'interrupted', 'subagents-v1', 'subagents-v2'] as const

/** What a file says when it is read at once; `carry` is that of the lines before. */
export const parse = ({ ref, bytes }: Rollout, offset = 0, carry: string | null = null): ParsedLines =>
  codex.parseLines(bytes, { ref, offset, carry })

/** Everything that the files of a story say. @throws Error when a line is broken */
export function observe(rollouts: Rollout[]): Observation[] {
  return rollouts.flatMap((rollout) => {
    const { observations, malformed } = parse(rollout)
    if (malformed.length > 0) throw new Error(JSON.stringify(malformed))
    return observations
  })
}

/** An id of version 7, as the CLI makes them of the time. */
export function idAt(at: number, serial = 1): string {
  const time = at.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(serial).padStart(12, '0')}`
}

/** 2026-06-01. */
export const AT = Date.UTC(2026, 5, 1)

export const line = (at: number, type: string, payload: object): string =>
  JSON.stringify({ timestamp: new Date(at).toISOString(), type, payload })
export const item = (at: number, payload: object): string => line(at, 'response_item', payload)
export const event = (at: number, payload: object): string => line(at, 'event_msg', payload)
export const says = (at: number, role: 'user' | 'assistant', text: string): string =>
  item(at, { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] })
export const meta = (at: number, id: string, more: object = {}): string =>
  line(at, 'session_meta', { id, timestamp: new Date(at).toISOString(), cwd: '/home/user/project', ...more })
export const turn = (at: number, serial: number, model = 'gpt-5.2-codex'): string =>
  line(at, 'turn_context', { turn_id: idAt(at, serial), cwd: '/home/user/project', model })
/** Tokens of the last answer, and of the thread so far: input, of it from the cache, output. */
export const tokens = (at: number, last: [number, number, number], sum: [number, number, number]): string =>
  event(at, { type: 'token_count', info: { last_token_usage: counts(last), total_token_usage: counts(sum) } })

const counts = ([input, cached, output]: [number, number, number]) => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
  reasoning_output_tokens: 0,
  total_tokens: input + output,
})

/** A rollout of the thread `id` with these lines. */
export function rollout(id: string, lines: readonly string[]): Rollout {
  const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''))
  const path = `/home/user/.codex/sessions/2026/06/01/rollout-2026-06-01T00-00-00-${id}.jsonl`
  const ref = codex.classify(path, bytes.subarray(0, 65_536))
  if (ref === null) throw new Error('no rollout')
  return { ref, bytes }
}
