import { expect, test } from 'bun:test'
import { sessionId } from '../../src/domain/ids'
import { wasAsked } from '../../src/engine/recall/exchange'
import { freshPrompt, snapshotPrompt } from '../../src/engine/recall/prompt'
import { MemoryStore, someEvent, someSession } from '../api/memory-store'
import { facts, SESSION, someTask } from './sample'

const LONG = 'Carry every stone of the old wall to the harbour, '.repeat(100)

function asked(...prompts: { text: string; inherited?: boolean }[]) {
  const store = new MemoryStore()
  store.rows.push(someSession(SESSION))
  store.eventRows.push(
    ...prompts.map(({ text, inherited = false }, n) =>
      someEvent(SESSION, n, { type: 'prompt', text: text.slice(0, 2_000), inherited }),
    ),
  )
  return (text: string) => wasAsked(store, sessionId(SESSION), text)
}

test.each(['fix it', LONG])('a text is found again in each form in which we give it: %p', async (text) => {
  const parent = someTask()
  for (const given of [
    freshPrompt(facts({ task: someTask({ task: text }) })),
    freshPrompt(facts({ task: someTask({ task: text, parentTaskId: parent.id }) })),
    snapshotPrompt(facts({ task: someTask({ task: text, parentTaskId: parent.id }), parent })),
  ])
    expect(await asked({ text: 'before' }, { text: given })(text)).toBe(true)
})

test('a short text is not found in one that holds it, nor in what a copy brought along', async () => {
  expect(await asked({ text: 'please fix it at once' })('fix it')).toBe(false)
  expect(await asked({ text: 'fix it', inherited: true })('fix it')).toBe(false)
  expect(await asked({ text: LONG })(`${LONG.slice(0, 150)} but otherwise`)).toBe(false)
})
