/** Moments of a CLI that lets words in with a prompt only. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hooksOf } from '../../harness/registry'
import { hookAnswer } from './hook-answer'
import { AWAITED_LIMIT_MS } from './hook-call'
import { awaitMoment, leaveMoment, takeMoment } from './late-moment'

const SESSION = '11111111-1111-4111-8111-111111111111'

let home: string
let server: Bun.Server<undefined>
beforeEach(() => {
  home = mkdtempSync('/tmp/ld-')
  mkdirSync(join(home, 'run'))
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => new Response(`told of ${new URL(url).searchParams.get('moment')}`),
  })
})
afterEach(async () => {
  await server.stop(true)
  rmSync(home, { recursive: true, force: true })
})

const transcript = () => join(home, 'events.jsonl')

/** How the worker began the run; none = it is of a release that does not say. */
let begun: string | undefined
afterEach(() => {
  begun = undefined
})

/** What the hook of an event in a run says. */
const hook = async (event: string, more: object = {}): Promise<string | undefined> => {
  const text = await hookAnswer({
    agent: 'copilot',
    payload: Buffer.from(JSON.stringify({ hook_event_name: event, session_id: SESSION, cwd: home, ...more })),
    env: {
      LODELINE_URL: `http://127.0.0.1:${server.port}`,
      LODELINE_TOKEN: 'lat_x',
      LODELINE_TASK_ID: 't-1',
      LODELINE_RUN_DIR: join(home, 'run'),
      LODELINE_RUN_MOMENT: begun,
    },
    home,
    elapsedMs: 0,
  })
  return text === '' ? undefined : JSON.parse(text).additionalContext
}
const prompt = () => hook('UserPromptSubmit')
const compacts = () => hook('PreCompact', { transcript_path: transcript() })
const ended = (success: boolean) =>
  appendFileSync(transcript(), `${JSON.stringify({ type: 'session.compaction_complete', data: { success } })}\n`)

test('a start is told of with the next prompt, once, however many hooks heard of it', async () => {
  expect(await prompt()).toBeUndefined()
  expect(await hook('SessionStart', { source: 'resume' })).toBeUndefined()
  expect(await hook('SessionStart', { source: 'resume' })).toBeUndefined()
  expect((await Promise.all([prompt(), prompt()])).filter((text) => text !== undefined)).toEqual(['told of resume'])
  expect(await prompt()).toBeUndefined()
})

test('the first prompt of a run is told of its start where no hook heard of it, once', async () => {
  begun = 'fork'
  expect((await Promise.all([prompt(), prompt()])).filter((text) => text !== undefined)).toEqual(['told of fork'])
  expect(await hook('SessionStart', { source: 'new' })).toBeUndefined()
  expect(await prompt()).toBeUndefined()
})

test('a run whose start a hook of the person heard of is told of it once', async () => {
  begun = 'resume'
  await hook('SessionStart', { source: 'resume' })
  expect(await prompt()).toBe('told of resume')
  expect(await prompt()).toBeUndefined()
})

test('a compaction is told of once it was done; one that failed is not', async () => {
  writeFileSync(transcript(), '')
  ended(true)
  await compacts()
  expect(await prompt()).toBeUndefined()
  ended(false)
  expect(await prompt()).toBeUndefined()
  ended(true)
  expect(await prompt()).toBe('told of compact')
  expect(await prompt()).toBeUndefined()
})

test('a start that waits is told of though a compaction after it failed; sub-agents are told nothing', async () => {
  writeFileSync(transcript(), '')
  await hook('SessionStart', { source: 'new' })
  await compacts()
  ended(false)
  expect(await hook('UserPromptSubmit', { agent_id: 'a1' })).toBeUndefined()
  expect(await prompt()).toBe('told of startup')
})

test('the first prompt of a process waits for its start, which may be heard later, and no other prompt does', async () => {
  const hooks = await hooksOf('copilot')
  if (hooks === null) throw new Error('Copilot CLI has hooks')
  const work = { agent: 'copilot', payload: Buffer.alloc(0), env: {}, home, elapsedMs: 0, hooks }
  const facts = { sessionId: SESSION, cwd: home, transcript: null }
  const place = { runFolder: null, subject: SESSION }
  const asked = (sessionId = SESSION, elapsedMs = 0) =>
    awaitMoment({ ...work, elapsedMs }, { ...facts, kind: 'prompt', sessionId }, { ...place, subject: sessionId })
  const leave = (moment: 'resume' | 'fork') =>
    leaveMoment(work, { ...facts, kind: 'start', moment, promptId: '' }, place)
  const first = asked()
  await Bun.sleep(50)
  leave('resume')
  expect(await first).toMatchObject({ kind: 'start', moment: 'resume' })
  const second = asked()
  await Bun.sleep(50)
  leave('fork')
  expect(await second).toBeNull()
  // No hook hears of this one's start, and of that one's there is no time left.
  expect(await asked('another')).toBeNull()
  expect(await asked('third', AWAITED_LIMIT_MS)).toBeNull()
})

test('a start that is heard just when its prompt has looked is not missed', async () => {
  const hooks = await hooksOf('copilot')
  if (hooks === null) throw new Error('Copilot CLI has hooks')
  const work = { agent: 'copilot', payload: Buffer.alloc(0), env: {}, home, elapsedMs: 0, hooks }
  const facts = { sessionId: SESSION, cwd: home, transcript: null }
  const place = { runFolder: null, subject: SESSION }
  const event = { ...facts, kind: 'prompt' } as const
  expect(takeMoment(work, event, place)).toBeNull()
  leaveMoment(work, { ...facts, kind: 'start', moment: 'startup', promptId: '' }, place)
  expect(await awaitMoment(work, event, place)).toMatchObject({ moment: 'startup' })
})
