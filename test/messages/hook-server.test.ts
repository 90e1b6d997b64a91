/** Hooks where the record is on PostgreSQL, which several servers may share: they ask this machine's server, over its API. */
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
let other: Lode
beforeEach(async () => {
  lab = new Lab()
  const databaseUrl = await lab.addDatabase('postgres')
  lodeline = lab.addLode('l', { databaseUrl })
  other = lab.addLode('o', { databaseUrl })
  home = lodeline.home
  for (const server of [lodeline, other]) await server.up(['serve'])
})
afterEach(() => lab.stop(), 30_000)

test('are given what waits by the server, once, whatever another server is asked for, and nothing when it is away', async () => {
  const session = sessionId(crypto.randomUUID())
  const transcript = join(home, 'transcript.jsonl')
  writeFileSync(transcript, '')
  const env = { LODELINE_DATABASE_URL: lodeline.databaseUrl }
  const hook = async (event: string) => {
    const payload = { hook_event_name: event, session_id: session, transcript_path: transcript }
    return await hookAnswer({ payload: Buffer.from(JSON.stringify(payload)), env, home, elapsedMs: 0 })
  }
  const result = async (): Promise<string> => {
    const { task } = await lodeline.client.tasks.create({ task: 'sail', sessionId: session })
    await lodeline.client.tasks.cancel(task.id)
    return (await lodeline.client.messages.list({ taskId: task.id })).messages[0]?.id ?? ''
  }
  const take = async (call: string) =>
    (await other.client.messages.take(session, { call })).messages.map(({ id }) => id as string)
  await other.client.sessions.put(session, { title: 'The crossing' })
  expect(await hook('UserPromptSubmit')).toBe('')
  const results = [await result(), await result()]
  expect(markersIn(await hook('UserPromptSubmit'))).toEqual(results)
  expect(await take('call-1')).toEqual([])
  expect(await hook('Stop')).toBe('')
  // A call that has them is not told by a hook either.
  await other.client.messages.acknowledge(session, { ids: results as never[] })
  const third = await result()
  expect(await take('call-2')).toEqual([third])
  expect(await hook('UserPromptSubmit')).toBe('')
  await other.client.messages.acknowledge(session, { ids: [third] as never[] })
  for (let round = 0; round < 8; round++) {
    const id = await result()
    const [said, taken] = await Promise.all([hook('UserPromptSubmit'), take(`round-${round}`)])
    expect([...markersIn(said), ...taken]).toEqual([id])
    await other.client.messages.acknowledge(session, { ids: [id] as never[] })
  }

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
})
