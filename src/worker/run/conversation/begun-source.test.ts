import { expect, test } from 'bun:test'
import { type EventId, eventId, sessionId, taskId } from '../../../domain/ids'
import type { Attempt, AttemptConversation } from '../../../domain/task/task'
import type { Assignment, ConversationSource } from '../../../domain/task/worker-protocol'
import { begunSource } from './begun-source'

const PARENT = sessionId('aaaaaaaa-1111-4111-8111-111111111111')
const FIRST = sessionId('bbbbbbbb-1111-4111-8111-111111111111')
const SECOND = sessionId('cccccccc-1111-4111-8111-111111111111')

const own = (session = FIRST, startRung: 'preamble' | null = null): ConversationSource => ({
  kind: 'own',
  sessionId: session,
  cwd: null,
  hostName: null,
  startRung,
  whyNot: [],
})
const attempt = (number: number, conversation: Partial<AttemptConversation> | null): Attempt =>
  ({
    number,
    cwd: `/p${number}`,
    conversation: conversation && {
      forked: false,
      forkPoint: null,
      resumedSessionId: null,
      whyNot: [],
      ...conversation,
    },
  }) as Attempt

/** @param begun  conversations that hold something */
function find(
  conversation: ConversationSource,
  attempts: Attempt[],
  begun: string[],
  parentTaskId: string | null = null,
  forkAt: EventId | null = null,
) {
  const task = { parentTaskId: parentTaskId && taskId(parentTaskId), continuity: 'continue', forkAt }
  return begunSource({ conversation, task } as Assignment, {
    look: async () => ({ attempts }),
    isBegun: async (session) => begun.includes(session),
  })
}

test('a conversation that was begun is continued', async () => {
  const attempts = [attempt(1, { rung: 'fresh', sessionId: FIRST })]
  expect(await find(own(), attempts, [FIRST])).toEqual({ source: own(), passed: [] })
})

test('nothing is continued where the first attempt ended before its conversation began', async () => {
  const { source, passed } = await find(own(), [attempt(1, { rung: 'fresh', sessionId: FIRST })], [])
  expect(source).toEqual({ kind: 'none', reason: 'first' })
  const why = { reason: 'not_begun', detail: 'attempt 1 ended before its session began' }
  expect(passed).toEqual([
    { rung: 'native', ...why },
    { rung: 'restored', ...why },
  ])
})

test("a child's copy that was never made is made again from its parent", async () => {
  const attempts = [attempt(1, { rung: 'snapshot', sessionId: FIRST, resumedSessionId: PARENT }), attempt(2, null)]
  const { source } = await find(own(), attempts, [PARENT], 't-parent00')
  expect(source).toMatchObject({ kind: 'parent', sessionId: PARENT, parentTaskId: 't-parent00', startRung: null })
})

test('a copy of a session that was cut at a line, and never made, is cut there again', async () => {
  const at = eventId('5c1f0d5e-2b7a-4f3e-9f43-0a6c1d2e3f40')
  const attempts = [attempt(1, { rung: 'snapshot', sessionId: FIRST, resumedSessionId: PARENT })]
  const { source } = await find(own(), attempts, [PARENT], null, at)
  expect(source).toMatchObject({ kind: 'fork', sessionId: PARENT, at, startRung: null })
})

test('a copy of its own conversation that was never made leads back to that', async () => {
  const attempts = [
    attempt(1, { rung: 'snapshot', sessionId: FIRST, resumedSessionId: PARENT }),
    attempt(2, { rung: 'snapshot', sessionId: SECOND, resumedSessionId: FIRST }),
  ]
  const { source } = await find(own(SECOND), attempts, [PARENT, FIRST], 't-parent00')
  expect(source).toMatchObject({ kind: 'own', sessionId: FIRST, cwd: '/p1' })
})

test('the way goes back over as many as were never begun', async () => {
  const attempts = [
    attempt(1, { rung: 'snapshot', sessionId: FIRST, resumedSessionId: PARENT }),
    attempt(2, { rung: 'preamble', sessionId: SECOND, resumedSessionId: FIRST }),
  ]
  const { source, passed } = await find(own(SECOND), attempts, [PARENT], 't-parent00')
  expect(source).toMatchObject({ kind: 'parent', sessionId: PARENT })
  expect(passed).toHaveLength(4)
})

test('a conversation that was saturated or refused is summed up again, not resumed', async () => {
  const whyNot: AttemptConversation['whyNot'] = [{ rung: 'native', reason: 'prompt_too_long', detail: null }]
  const attempts = [
    attempt(1, { rung: 'fresh', sessionId: FIRST }),
    attempt(2, { rung: 'preamble', sessionId: SECOND, resumedSessionId: FIRST, whyNot }),
  ]
  const { source } = await find(own(SECOND), attempts, [FIRST])
  expect(source).toMatchObject({ kind: 'own', sessionId: FIRST, startRung: 'preamble', whyNot })
})

test('one that an operator named, or that is to be summed up, is left to the ladder', async () => {
  expect((await find(own(), [], [])).source).toEqual(own())
  const summed = own(FIRST, 'preamble')
  expect((await find(summed, [attempt(1, { rung: 'fresh', sessionId: FIRST })], [])).source).toEqual(summed)
})
