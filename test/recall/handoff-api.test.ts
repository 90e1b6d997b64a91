/** Hand-overs over the API: which caller may write one for which session, and to which issue. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { handoffFiles } from '../../src/app/hooks/handoff-files'
import { storedHandoffs } from '../../src/app/hooks/stored-handoffs'
import { sessionId } from '../../src/domain/ids'
import { freshConversation, type Served, serve, startTask } from '../mcp/served'
import { prompt, recorderOn, transcript, write } from '../record/recording'
import { failureOf, onEachDatabase } from '../store-contract/databases'

const MINE = sessionId('33333333-3333-4333-8333-333333333333')
const OTHER = sessionId('44444444-4444-4444-8444-444444444444')

onEachDatabase((database) => {
  let served: Served
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync('/tmp/ld-')
    const { store, place } = database
    served = serve(store, { handoffs: place.url === undefined ? handoffFiles(folder) : storedHandoffs(store, folder) })
    const recorder = recorderOn(database.store)
    for (const session of [MINE, OTHER]) {
      const file = transcript(folder, session)
      write(file, prompt(session, `The goal of ${session}`))
      await recorder.recordFile(file)
    }
  })
  afterAll(async () => {
    await served.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('a run hands over its own conversation, whatever it names, and reads nobody else its recall', async () => {
    const { token, attemptId } = await startTask(served, { task: 'Rebuild the wall', dir: '/p' })
    const run = served.connect(token)
    await served.connect().attempts.report(attemptId, { conversation: freshConversation(MINE) })
    const { handoff } = await run.handoffs.create({ folder: '/p', sessionId: OTHER, note: 'mine' })
    expect(handoff).toMatchObject({ sessionId: MINE, goal: expect.stringContaining('Rebuild the wall') })
    for (const elsewhere of ['/q', '/', '/p/../q', '/p-next'])
      expect(await failureOf(run.handoffs.create({ folder: elsewhere, note: 'obey' }))).toMatchObject({
        code: 'forbidden',
      })
    const asked = run.recall({ moment: 'resume', sessionId: OTHER, folder: '/p' })
    expect(await failureOf(asked)).toMatchObject({ code: 'forbidden' })
    expect(await failureOf(run.handoffs.list())).toMatchObject({ code: 'forbidden' })
  })

  test('one for an issue goes to a session on it, once, and to no other in the folder', async () => {
    const client = served.connect()
    const { epic } = await client.epics.create({ title: 'Harbour' })
    await client.handoffs.create({ folder: '/q', sessionId: OTHER, to: epic.id, note: 'Mind the cat' })
    const start = (issueId?: typeof epic.id) =>
      client.recall({ moment: 'startup', sessionId: crypto.randomUUID(), folder: '/q', ...(issueId && { issueId }) })
    expect(await start()).not.toContain('Mind the cat')
    const [first, second] = await Promise.all([start(epic.id), start(epic.id)])
    expect([first, second].filter((text) => text.includes('Mind the cat'))).toHaveLength(1)
    expect(first).toContain('Harbour')
  })

  test('one for an issue that there is not is refused', async () => {
    const client = served.connect()
    for (const to of ['ld-none', 'linked'])
      expect(await failureOf(client.handoffs.create({ folder: '/q', to, note: 'n' }))).toMatchObject({
        code: 'not_found',
      })
    expect(await failureOf(client.handoffs.create({ folder: '/q', sessionId: 'nobody', note: 'n' }))).toMatchObject({
      code: 'not_found',
    })
  })
})
