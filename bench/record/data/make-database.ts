import { statSync } from 'node:fs'
import { OpencodeRows } from '../../../test/harness/opencode/database'
import type { Random } from '../../common/random'
import { code, prose } from './words'

/** A day of 2026, in milliseconds. */
const BEGIN = Date.UTC(2026, 5, 1)
const STEPS = 8

/**
 * Makes a database of opencode: conversations with prompts, and calls with results of code.
 *
 * @returns the size of its file, and the events of the record that its rows are
 */
export function makeDatabase(
  root: string,
  random: Random,
  { files, bytes }: { files: number; bytes: number },
): { files: number; bytes: number; events: number } {
  using rows = new OpencodeRows(root)
  const { db } = rows
  const session = db.prepare(
    `insert into session (id, project_id, slug, directory, title, version, time_created, time_updated)
      values (?, 'p', 's', '/home/user/project', 'A session', '1.18.33', ?, ?)`,
  )
  const message = db.prepare(
    'insert into message (id, session_id, time_created, time_updated, data) values (?, ?, ?, ?, ?)',
  )
  const part = db.prepare(
    'insert into part (id, message_id, session_id, time_created, time_updated, data) values (?, ?, ?, ?, ?, ?)',
  )
  let at = BEGIN
  let serial = 0
  let events = 0
  const id = (kind: string): string => `${kind}_${(at * 4_096 + serial++).toString(16).padStart(26, '0')}`
  for (let each = 0; each < files; each++) {
    const own = id('ses')
    session.run(own, at, at)
    const says = (role: 'user' | 'assistant', parts: object[]): void => {
      const time = { created: at, ...(role === 'assistant' && { completed: at + 1 }) }
      const tokens = { total: 1_020, input: 1_000, output: 20, reasoning: 0, cache: { read: 0, write: 0 } }
      const said = { role, time, ...(role === 'assistant' && { modelID: 'gpt-5.2', tokens, finish: 'stop' }) }
      const of = id('msg')
      message.run(of, own, at, at, JSON.stringify(said))
      for (const data of parts) part.run(id('prt'), of, own, at, at++, JSON.stringify(data))
    }
    db.transaction(() => {
      for (let written = 0; written < bytes / files; ) {
        const prompt = prose(random, 300)
        says('user', [{ type: 'text', text: prompt }])
        written += prompt.length
        events++
        for (let step = 0; step < STEPS; step++) {
          const output = code(random, 9_000)
          const time = { start: at, end: at }
          const state = { status: 'completed', input: { command: 'make test' }, output, metadata: {}, time }
          says('assistant', [{ type: 'tool', tool: 'bash', callID: id('call'), state }])
          written += output.length + 500
          events += 2
        }
        const time = { start: at, end: at }
        says('assistant', [{ type: 'text', text: prose(random, 600), time }])
        events++
      }
    })()
  }
  db.run('pragma wal_checkpoint(truncate)')
  return { files, bytes: statSync(rows.path).size, events }
}
