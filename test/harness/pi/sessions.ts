/** Sessions of Pi for tests: those that it wrote, and lines of other releases made by hand. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import type { JournalRef } from '../../../src/domain/harness/harness'
import type { Observation, ParsedLines } from '../../../src/domain/record/observation'
import { pi } from '../../../src/harness/pi'

export const PI_FIXTURES = join(import.meta.dir, '../../fixtures/pi')

export const STORIES = ['tools', 'stopped', 'compacted'] as const

export interface SessionFile {
  ref: JournalRef
  bytes: Buffer
}

/** The files of one recorded story, oldest first. */
export function filesOf(story: (typeof STORIES)[number]): SessionFile[] {
  const folder = join(PI_FIXTURES, '0.87.1', story)
  return [...new Glob('sessions/**/*.jsonl').scanSync(folder)].sort().map((name) => {
    const ref = pi.classify(join('/home/user/.pi/agent', name))
    if (ref === null) throw new Error(`no session: ${name}`)
    return { ref, bytes: readFileSync(join(folder, name)) }
  })
}

/** What a file says when it is read at once; `carry` is that of the lines before. */
export const parse = ({ ref, bytes }: SessionFile, offset = 0, carry: string | null = null): ParsedLines =>
  pi.parseLines(bytes, { ref, offset, carry })

/** Everything that a file says. @throws Error when a line is broken */
export function observe(file: SessionFile | undefined): Observation[] {
  if (file === undefined) throw new Error('no such file')
  const { observations, malformed } = parse(file)
  if (malformed.length > 0) throw new Error(JSON.stringify(malformed))
  return observations
}

/** 2026-06-01. */
export const AT = Date.UTC(2026, 5, 1)
export const SESSION = '019e7000-0000-7000-8000-000000000001'

const time = (at: number): string => new Date(at).toISOString()

export const header = (at: number, more: object = {}): string =>
  JSON.stringify({ type: 'session', version: 3, id: SESSION, timestamp: time(at), cwd: '/home/user/project', ...more })
export const entry = (at: number, type: string, id: string, parentId: string | null, fields: object): string =>
  JSON.stringify({ type, id, parentId, timestamp: time(at), ...fields })
export const says = (at: number, id: string, parentId: string | null, message: object): string =>
  entry(at, 'message', id, parentId, { message: { ...message, timestamp: at } })
export const user = (text: string): object => ({ role: 'user', content: [{ type: 'text', text }] })
export const assistant = (text: string, more: object = {}): object => ({
  ...{ role: 'assistant', content: [{ type: 'text', text }], model: 'claude-sonnet-4-5', provider: 'anthropic' },
  ...{ usage: { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 }, stopReason: 'stop', ...more },
})

/** A file with these lines. */
export function session(lines: readonly string[], id = SESSION): SessionFile {
  const ref = pi.classify(`/home/user/.pi/agent/sessions/--home-user-project--/2026-06-01T00-00-00-000Z_${id}.jsonl`)
  if (ref === null) throw new Error('no session')
  return { ref, bytes: Buffer.from(lines.map((line) => `${line}\n`).join('')) }
}
