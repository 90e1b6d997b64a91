import { expect, test } from 'bun:test'
import { sessionId } from '../../src/domain/ids'
import { wasAsked } from '../../src/engine/recall/exchange'
import { freshPrompt, snapshotPrompt } from '../../src/engine/recall/prompt'
import { putSession } from '../api/seed'
import { openTestStore } from '../api/test-store'
import { sampleEvent } from '../store-contract/sample'
import { facts, SESSION, someTask } from './sample'

const LONG = 'Carry every stone of the old wall to the harbour, '.repeat(100)

async function asked(text: string, ...prompts: { text: string; inherited?: boolean }[]): Promise<boolean> {
  const store = await openTestStore()
  await store.write(async (tx) => {
    const session = await putSession(tx, SESSION)
    await tx.record.insertEvents(
      prompts.map(({ text, inherited = false }, n) =>
        sampleEvent(session, { at: n, type: 'prompt', text: text.slice(0, 2_000), isInherited: inherited }),
      ),
    )
  })
  return await wasAsked(store, sessionId(SESSION), text)
}

test.each(['fix it', LONG])('a text is found again in each form in which we give it: %p', async (text) => {
  const parent = someTask()
  for (const given of [
    freshPrompt(facts({ task: someTask({ task: text }) })),
    freshPrompt(facts({ task: someTask({ task: text, parentTaskId: parent.id }) })),
    snapshotPrompt(facts({ task: someTask({ task: text, parentTaskId: parent.id }), parent })),
  ])
    expect(await asked(text, { text: 'before' }, { text: given })).toBe(true)
})

test('a short text is not found in one that holds it, nor in what a copy brought along', async () => {
  expect(await asked('fix it', { text: 'please fix it at once' })).toBe(false)
  expect(await asked('fix it', { text: 'fix it', inherited: true })).toBe(false)
  expect(await asked(`${LONG.slice(0, 150)} but otherwise`, { text: LONG })).toBe(false)
})
