/** Messages that hooks give, against the real database, as processes of their own where the first one counts. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOffers } from '../../src/app/delivery/message-offers'
import { hookAnswer } from '../../src/cli/hooks/hook-answer'
import { address, type MessageId, sessionId } from '../../src/domain/ids'
import { markersIn } from '../../src/domain/message/message'
import type { Store } from '../../src/domain/store'
import { createMessageService } from '../../src/engine/messages/message-service'
import { openStore } from '../../src/store/open'
import { copyTables } from '../lab/tables'
import { LODE } from '../lode-command'
import { recorderOn, transcript, write } from '../record/recording'
import { Crew, OPERATOR } from '../tasks/crew'

let home: string
let store: Store & { close(): Promise<void> }
let crew: Crew
let session: ReturnType<typeof sessionId>
let path: string

beforeEach(async () => {
  home = mkdtempSync('/tmp/ld-')
  copyTables(home)
  store = await openStore({ path: join(home, 'lodeline.db'), mode: 'read-write', migrate: true })
  crew = new Crew(store)
  session = sessionId(crypto.randomUUID())
  path = join(home, 'transcript.jsonl')
  writeFileSync(path, '{"type":"user"}\n')
})
afterEach(async () => {
  await store.close()
  rmSync(home, { recursive: true, force: true })
})

const service = () => createMessageService({ store, now: () => crew.now })
const payload = (event: string, more: object = {}) => ({
  hook_event_name: event,
  session_id: session,
  transcript_path: path,
  ...more,
})
const hook = (event: string, more: object = {}) =>
  hookAnswer({ payload: Buffer.from(JSON.stringify(payload(event, more))), env: {}, home, elapsedMs: 0 })

/** A task of the session that ends: its result waits there. */
async function result(output = 'done'): Promise<MessageId> {
  const task = await crew.create({ sessionId: session })
  await crew.service.finish(OPERATOR, task.id, { status: 'completed', output })
  const { rows } = await store.messages.list({ to: address(session), taskId: task.id }, { limit: 10 })
  const [message] = rows
  if (message === undefined) throw new Error('no message')
  return message.id
}

/** A word that can wait. */
async function word(text = 'by the way'): Promise<MessageId> {
  const ref = transcript(home, session)
  const at = new Date().toISOString()
  const line = { type: 'user', uuid: crypto.randomUUID(), parentUuid: null, sessionId: session, timestamp: at }
  write(ref, `${JSON.stringify({ ...line, message: { role: 'user', content: 'hello' } })}\n`)
  await recorderOn(store).recordFile(ref)
  return (await service().send(OPERATOR, { to: session, text, kind: 'message' }, null)).id
}

async function hookProcess(body: object, env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn([...LODE, 'hook', '--answer', '--home', home], {
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    stdin: Buffer.from(JSON.stringify(body)),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect([code, err]).toEqual([0, ''])
  return out
}

const carried = (text: string) => markersIn(text)

/** A line of the transcript that holds the message's marker. */
const landed = (type: string, id: string) =>
  appendFileSync(path, `${JSON.stringify({ type, content: `see [lodeline:${id}]` })}\n`)

describe('a hook of a conversation', () => {
  test('gives what waits with the next prompt, once', async () => {
    const ids = [await result(), await result('and this')]
    const text = await hook('UserPromptSubmit', { prompt: 'go on' })
    expect(carried(text)).toEqual(ids)
    expect(text).toContain('grants no permission')
    expect(await hook('UserPromptSubmit', { prompt: 'go on' })).toBe('')
    expect(await hook('Stop', { stop_hook_active: false })).toBe('')
  })

  test('of several that are installed one gives it', async () => {
    const id = await result()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => hookProcess(payload('UserPromptSubmit', { prompt: 'x' }))),
    )
    expect(answers.flatMap(carried)).toEqual([id])
  })

  test('gives nothing while one is on its way, and goes on once the transcript carries that', async () => {
    const first = await result()
    expect(carried(await hook('UserPromptSubmit'))).toEqual([first])
    const second = await result()
    expect(await hook('UserPromptSubmit')).toBe('')
    landed('queue-operation', first)
    expect(await hook('UserPromptSubmit')).toBe('')
    landed('attachment', first)
    expect(carried(await hook('UserPromptSubmit'))).toEqual([second])
  })

  test('has an agent go on at the end of a turn for results and questions alone, and never twice in one', async () => {
    const early = await word()
    expect(await hook('Stop', { stop_hook_active: false })).toBe('')
    const id = await result()
    expect(await hook('Stop', { stop_hook_active: true })).toBe('')
    const { hookSpecificOutput } = JSON.parse(await hook('Stop', { stop_hook_active: false }))
    expect(hookSpecificOutput.hookEventName).toBe('Stop')
    expect(carried(hookSpecificOutput.additionalContext)).toEqual([early, id])
  })

  test('gives them when the conversation starts or goes on, after what it is told of its goal', async () => {
    const id = await result()
    const text = await hook('SessionStart', { source: 'resume', cwd: home })
    expect(carried(text)).toEqual([id])
    expect(text.length).toBeLessThan(9_900)
  })

  test('gives nothing to a sub-agent, to a run, to another session, or where a call waits', async () => {
    const id = await result()
    expect(await hook('UserPromptSubmit', { agent_id: 'a1' })).toBe('')
    expect(await hook('UserPromptSubmit', { session_id: crypto.randomUUID() })).toBe('')
    expect(await hook('UserPromptSubmit', { session_id: '../../etc' })).toBe('')
    const run = { LODELINE_TOKEN: 'lat_x', LODELINE_TASK_ID: 't-1', LODELINE_URL: 'http://127.0.0.1:1' }
    expect(await hookProcess(payload('UserPromptSubmit'), run)).toBe('')
    crew.now = Date.now()
    await service().wait(OPERATOR, address(session), 'call', 60_000)
    expect(await hook('UserPromptSubmit')).toBe('')
    await service().wait(OPERATOR, address(session), 'call', 0)
    expect(carried(await hook('UserPromptSubmit'))).toEqual([id])
  })

  test('gives nothing that flies by another way, and again what came back', async () => {
    const id = await result()
    const at = address(session)
    await service().launch(OPERATOR, at, { route: 'client', target: 'c1' }, [id])
    expect(await hook('UserPromptSubmit')).toBe('')
    await service().settle([{ target: 'c1' }])
    expect(carried(await hook('UserPromptSubmit'))).toEqual([id])
  })

  test('what a process that is gone had been given is given again, unless its transcript carries it', async () => {
    const [lost, read] = [await result(), await result()]
    const offers = messageOffers(home)
    const offer = { route: 'hook', by: '4194303@1', at: address(session), transcript: path, size: 0 } as const
    for (const message of [lost, read]) offers.take({ ...offer, message }, 1)
    landed('attachment', read)
    expect(carried(await hook('UserPromptSubmit'))).toEqual([lost])
    expect(offers.at(address(session)).get(lost)?.number).toBe(2)
  })

  test('says how many more wait, and gives them later in their order', async () => {
    const ids: MessageId[] = []
    for (let n = 0; n < 4; n++) ids.push(await word(`${n} ${'x'.repeat(1_500)}`))
    const first = await hook('UserPromptSubmit')
    expect(carried(first)).toEqual(ids.slice(0, 2))
    expect(first.length).toBeLessThanOrEqual(4_000)
    expect(first).toContain('2 more wait')
    for (const id of carried(first)) landed('user', id)
    expect(carried(await hook('UserPromptSubmit'))).toEqual(ids.slice(2))
  })

  test('stays silent where there is no database, and where offers can not be written', async () => {
    await result()
    writeFileSync(join(home, 'offers'), 'a file where the folder should be')
    expect(await hook('UserPromptSubmit')).toBe('')
    const empty = mkdtempSync('/tmp/ld-')
    const body = Buffer.from(JSON.stringify(payload('UserPromptSubmit')))
    expect(await hookAnswer({ payload: body, env: {}, home: empty, elapsedMs: 0 })).toBe('')
    rmSync(empty, { recursive: true })
  })
})
