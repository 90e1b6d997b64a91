/** Sessions for tests: those that Copilot CLI wrote, and lines made by hand. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import type { JournalRef } from '../../../src/domain/harness/harness'
import type { Observation, ParsedLines } from '../../../src/domain/record/observation'
import { copilot } from '../../../src/harness/copilot'

export const COPILOT_FIXTURES = join(import.meta.dir, '../../fixtures/copilot')

export interface SessionFile {
  ref: JournalRef
  bytes: Buffer
}

export const STORIES = [
  'background',
  'compaction',
  'continued',
  'killed',
  'nested',
  'plan',
  'refused',
  'stopped',
  'subagent',
  'todos',
] as const

/** The recorded session of a story. */
export function sessionOf(story: (typeof STORIES)[number], version = '1.0.102'): SessionFile {
  const folder = join(COPILOT_FIXTURES, version, story)
  const [name = ''] = [...new Glob('session-state/*/events.jsonl').scanSync(folder)]
  const ref = copilot.classify(join('/home/user/.copilot', name))
  if (ref === null) throw new Error(`no session: ${name}`)
  return { ref, bytes: readFileSync(join(folder, name)) }
}

export const parse = ({ ref, bytes }: SessionFile, offset = 0, carry: string | null = null): ParsedLines =>
  copilot.parseLines(bytes, { ref, offset, carry })

/** Everything that a file says. @throws Error when a line is broken */
export function observe(file: SessionFile): Observation[] {
  const { observations, malformed } = parse(file)
  if (malformed.length > 0) throw new Error(JSON.stringify(malformed))
  return observations
}

export const SESSION = '5e551011-0000-4000-8000-000000000000'
/** 2026-06-01. */
export const AT = Date.UTC(2026, 5, 1)

let count = 0
export const line = (at: number, type: string, data: object, more: object = {}): string =>
  JSON.stringify({
    ...{ type, data, id: `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}` },
    ...{ timestamp: new Date(at).toISOString(), parentId: null, ...more },
  })

/** A session with these lines. */
export function session(lines: readonly string[], id = SESSION): SessionFile {
  const ref = copilot.classify(`/home/user/.copilot/session-state/${id}/events.jsonl`)
  if (ref === null) throw new Error('no session')
  return { ref, bytes: Buffer.from(lines.map((one) => `${one}\n`).join('')) }
}
