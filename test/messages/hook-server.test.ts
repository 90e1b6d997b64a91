/** Hooks where the record is not in this folder's database: they ask this machine's server, over its API. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hookAnswer } from '../../src/cli/hooks/hook-answer'
import { sessionId } from '../../src/domain/ids'
import { markersIn } from '../../src/domain/message/message'
import { Lab } from '../lab/lab'
import type { Lode } from '../lab/lode'

let lab: Lab
let home: string
let lodeline: Lode
beforeEach(async () => {
  lab = new Lab()
  lodeline = lab.addLode('l')
  home = lodeline.home
  await lodeline.up(['serve'])
}, 30_000)
afterEach(() => lab.stop(), 30_000)

test('are given what waits by the server, once, and nothing when it is away', async () => {
  const session = sessionId(crypto.randomUUID())
  const transcript = join(home, 'transcript.jsonl')
  writeFileSync(transcript, '')
  // Only the form of the address matters: a hook opens no database of that kind.
  const env = { LODELINE_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
  const hook = async (event: string) => {
    const payload = { hook_event_name: event, session_id: session, transcript_path: transcript }
    return await hookAnswer({ payload: Buffer.from(JSON.stringify(payload)), env, home, elapsedMs: 0 })
  }
  expect(await hook('UserPromptSubmit')).toBe('')
  const results: string[] = []
  for (const text of ['first', 'second']) {
    const { task } = await lodeline.client.tasks.create({ task: text, sessionId: session })
    await lodeline.client.tasks.cancel(task.id)
    const { messages } = await lodeline.client.messages.list({ taskId: task.id })
    results.push(...messages.map(({ id }) => id))
  }
  expect(results).toHaveLength(2)
  expect(markersIn(await hook('UserPromptSubmit'))).toEqual(results)
  expect(await hook('Stop')).toBe('')

  // What others did to its issue comes the same way.
  const { issue } = await lodeline.json<{ issue: { id: string } }>('issue', 'create', 'A wall')
  await lodeline.json('todo', 'link', issue.id, '--session', session)
  await hook('UserPromptSubmit')
  await lodeline.json('comment', 'add', issue.id, 'Higher, please')
  expect(await hook('UserPromptSubmit')).toMatch(
    /^News from Lodeline[^\n]+\nChanged on .+\n- .+ commented: "Higher, please"$/,
  )
  expect(await hook('UserPromptSubmit')).toBe('')
  await lodeline.stop()
  expect(await hook('UserPromptSubmit')).toBe('')
}, 60_000)
