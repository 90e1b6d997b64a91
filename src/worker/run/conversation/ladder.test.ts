import { describe, expect, test } from 'bun:test'
import { sessionId, taskId } from '../../../domain/ids'
import type { ConversationSource } from '../../../domain/task/worker-protocol'
import { climb, type LadderSteps } from './ladder'

const OLD = sessionId('11111111-1111-4111-8111-111111111111')
const NEW = sessionId('22222222-2222-4222-8222-222222222222')
const own = (more: Partial<Extract<ConversationSource, { kind: 'own' }>> = {}): ConversationSource => ({
  kind: 'own',
  sessionId: OLD,
  cwd: '/p',
  hostName: 'h',
  startRung: null,
  whyNot: [],
  ...more,
})
const parent = (more: Partial<Extract<ConversationSource, { kind: 'parent' }>> = {}): ConversationSource => ({
  kind: 'parent',
  sessionId: OLD,
  parentTaskId: taskId('t-parent00'),
  cwd: '/p',
  startRung: null,
  whyNot: [],
  ...more,
})
const no = (reason: string) => ({ reason, detail: null })
function steps(facts: Partial<LadderSteps> = {}): LadderSteps & { done: string[] } {
  const done: string[] = []
  return {
    done,
    openedBy: () => null,
    localObstacle: async () => {
      done.push('look')
      return null
    },
    restore: async () => {
      done.push('restore')
      return null
    },
    snapshot: async () => {
      done.push('snapshot')
      return { path: '/s.jsonl', lastUuid: 'u1' }
    },
    ...facts,
  }
}

describe("a task's own conversation", () => {
  test('is resumed where it lies', async () => {
    const facts = steps()
    expect(await climb(own(), facts, NEW)).toEqual({
      conversation: {
        rung: 'native',
        sessionId: OLD,
        resumedSessionId: OLD,
        forked: false,
        forkPoint: null,
        whyNot: [],
      },
      launch: { kind: 'resume', sessionId: OLD },
      words: 'resuming own session 11111111',
    })
    expect(facts.done).toEqual(['look'])
  })

  test('is restored when it is not there, and the reason is kept', async () => {
    const { conversation, launch, words } = await climb(
      own(),
      steps({ localObstacle: async () => no('transcript_missing') }),
      NEW,
    )
    expect(conversation).toMatchObject({
      rung: 'restored',
      sessionId: OLD,
      whyNot: [{ rung: 'native', reason: 'transcript_missing' }],
    })
    expect(launch.kind).toBe('resume')
    expect(words).toBe('restored session 11111111 from the record')
  })

  test('that somebody has open goes on in a copy, and the open one is not touched', async () => {
    const facts = steps({ openedBy: () => ({ pid: 7, kind: 'interactive' }) })
    const { conversation, launch, words } = await climb(own(), facts, NEW)
    expect(facts.done).toEqual(['snapshot'])
    expect(conversation).toMatchObject({
      rung: 'snapshot',
      forked: true,
      sessionId: NEW,
      resumedSessionId: OLD,
      forkPoint: 'u1',
    })
    expect(conversation.whyNot.map(({ rung, reason }) => `${rung} ${reason}`)).toEqual([
      'native session_open',
      'restored session_open',
    ])
    expect(conversation.whyNot[0]?.detail).toContain('pid 7')
    expect(launch).toEqual({ kind: 'fork', path: '/s.jsonl', sessionId: NEW })
    expect(words).toContain('open elsewhere')
  })

  test('falls rung by rung to a summary, never silently to nothing', async () => {
    const facts = steps({
      localObstacle: async () => no('transcript_missing'),
      restore: async () => no('transcript_differs'),
      snapshot: async () => no('no_finished_turn'),
    })
    const { conversation, launch, words } = await climb(own(), facts, NEW)
    expect(conversation).toMatchObject({ rung: 'preamble', sessionId: NEW, resumedSessionId: OLD })
    expect(conversation.whyNot.map(({ rung, reason }) => `${rung} ${reason}`)).toEqual([
      'native transcript_missing',
      'restored transcript_differs',
      'snapshot no_finished_turn',
    ])
    expect(launch).toEqual({ kind: 'new', sessionId: NEW })
    expect(words).toContain("can't be resumed")
  })

  test('begins no higher than the rung that is left', async () => {
    const facts = steps()
    const whyNot = [{ rung: 'native' as const, reason: 'resume_refused', detail: 'No conversation found' }]
    const saturated = await climb(own({ startRung: 'preamble', whyNot }), facts, NEW)
    expect(saturated.conversation).toMatchObject({ rung: 'preamble', whyNot })
    expect((await climb(own({ startRung: 'fresh', whyNot }), facts, NEW)).conversation).toMatchObject({
      rung: 'fresh',
      whyNot,
    })
    expect(facts.done).toEqual([])
  })
})

describe("a parent's conversation", () => {
  test('is forked from a snapshot', async () => {
    const { conversation, words } = await climb(parent(), steps(), NEW)
    expect(conversation).toEqual({
      rung: 'snapshot',
      sessionId: NEW,
      resumedSessionId: OLD,
      forked: true,
      forkPoint: 'u1',
      whyNot: [],
    })
    expect(words).toBe('resuming parent session 11111111 (fork)')
  })

  test('without a snapshot gives a summary', async () => {
    const { conversation } = await climb(parent(), steps({ snapshot: async () => no('no_finished_turn') }), NEW)
    expect(conversation).toMatchObject({ rung: 'preamble', resumedSessionId: OLD, forked: false })
  })
})

describe('a conversation of another agent CLI', () => {
  const over = (translate: NonNullable<LadderSteps['translate']>) => steps({ translate, holder: 'Other' })

  test('goes on translated, its own files left alone', async () => {
    for (const source of [own(), parent()]) {
      const facts = over(async () => ({ carried: '2 messages', sessionId: NEW }))
      const { conversation, launch, words } = await climb(source, facts, NEW)
      expect(facts.done).toEqual([])
      expect(conversation).toMatchObject({
        rung: 'translated',
        sessionId: NEW,
        resumedSessionId: OLD,
        carried: '2 messages',
      })
      expect(conversation.whyNot.map(({ rung, detail }) => `${rung}: ${detail}`)).toEqual(
        ['native', 'restored', 'snapshot'].map((rung) => `${rung}: the conversation is one of Other`),
      )
      expect(launch).toEqual({ kind: 'resume', sessionId: NEW })
      expect(words).toBe(`session 11111111 of Other continues here as ${NEW}: 2 messages`)
    }
  })

  test('that can not be translated goes on by its summary', async () => {
    const { conversation } = await climb(
      own(),
      over(async () => no('cannot_translate')),
      NEW,
    )
    expect(conversation).toMatchObject({ rung: 'preamble', resumedSessionId: OLD })
    expect(conversation.whyNot.at(-1)).toMatchObject({ rung: 'translated', reason: 'cannot_translate' })
  })

  test('that was refused is not translated again', async () => {
    const never = over(() => Promise.reject(new Error('translated')))
    expect((await climb(own({ startRung: 'preamble' }), never, NEW)).conversation.rung).toBe('preamble')
  })
})

describe('a task with nothing to continue', () => {
  test('starts fresh and says why', async () => {
    const words = async (reason: Extract<ConversationSource, { kind: 'none' }>['reason']) => {
      const { conversation, words: said } = await climb({ kind: 'none', reason }, steps(), NEW)
      expect(conversation).toMatchObject({ rung: 'fresh', sessionId: NEW, resumedSessionId: null })
      return [said, conversation.whyNot.map(({ reason: why }) => why).join()]
    }
    expect(await words('first')).toEqual(['starting session 22222222', ''])
    expect(await words('fresh_asked')).toEqual(['starting session 22222222', 'fresh_asked'])
    expect(await words('parent_not_found')).toEqual(['parent session not found: starting fresh', 'parent_not_found'])
    expect(await words('parent_has_no_session')).toEqual([
      'the parent has no session: starting fresh',
      'parent_has_no_session',
    ])
  })
})
