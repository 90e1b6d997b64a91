import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { issueId, issueKey, sessionId, subagentId, taskId } from '../../src/domain/ids'
import {
  type CurrentIssue,
  type Fellow,
  type Handoff,
  RECALL_MOMENTS,
  type RecalledWork,
  type SessionFacts,
} from '../../src/domain/recall/recall'
import type { IssueLinkSource } from '../../src/domain/session/session-issue'
import { composeHandoff } from '../../src/engine/recall/handoff'
import {
  buildSessionRecall,
  SESSION_TOKENS,
  type SessionRecall,
  sessionRecall,
  tokensOf,
} from '../../src/engine/recall/session-recall'

const SESSION = sessionId('11111111-1111-4111-8111-111111111111')
const prompt = (text: string) => ({ text, isCut: false })

const facts = (given: Partial<SessionFacts> = {}): SessionFacts => ({
  sessionId: SESSION,
  project: '/p',
  gitBranch: 'main',
  lastEventAt: '2026-01-01T00:00:00.000Z',
  prompts: { first: prompt('Build a wall'), last: [prompt('Two'), prompt('Three'), prompt('Four')], areAll: false },
  todos: [
    { content: 'Fetch stones', status: 'completed' },
    { content: 'Mix mortar', status: 'in_progress' },
    { content: 'Set stones', status: 'pending' },
  ],
  background: [
    { id: subagentId('a1'), kind: 'agent', type: 'Explore', description: 'Look for sand', outputFile: '/t/a1.output' },
  ],
  lastAnswer: 'The mortar is nearly ready',
  task: null,
  sentTasks: [],
  resumedFrom: null,
  ...given,
})
const issue = (n: number, title = 'A wall', given: Partial<CurrentIssue> = {}): CurrentIssue => ({
  id: issueId(`ld-${n}`),
  type: 'task',
  title,
  status: 'open',
  priority: 1,
  key: issueKey(n),
  evidence: [],
  ...given,
})
const handoff = (given: Partial<Handoff> = {}): Handoff => ({
  id: 'h-00000000',
  at: '2026-01-01T00:00:00.000Z',
  sessionId: sessionId('other'),
  folder: '/p',
  issueId: null,
  goal: 'Old goal',
  state: 'Half done',
  evidence: 'Tests pass',
  next: 'The roof',
  note: 'Mind the cat',
  givenTo: null,
  givenAt: null,
  ...given,
})
const fellow = (n: number, content: string): Fellow => ({
  sessionId: sessionId(n % 2 === 0 ? `s-${n}` : content),
  title: content,
  lastEventAt: '2026-01-01T00:00:00.000Z',
  todos: [{ content, status: 'in_progress' }],
  todoTotal: 1,
})
const recall = (given: Partial<SessionRecall> = {}): SessionRecall => ({
  moment: 'resume',
  folder: '/p',
  session: facts(),
  isCleared: false,
  issue: null,
  changes: null,
  company: { earlier: [], live: [] },
  ready: { issues: [], total: 0 },
  handoff: null,
  ...given,
})

describe('what a session is told', () => {
  test('without a task or issue its goal is the first prompt and the last three, as they were written', () => {
    for (const moment of ['resume', 'fork', 'compact', 'precompact'] as const) {
      const text = buildSessionRecall(recall({ moment }))
      expect(text).toStartWith('GOAL REMINDER from Lodeline.')
      for (const words of ['Build a wall', 'Two', 'Three', 'Four']) expect(text).toContain(`\`\`\`\n${words}\n\`\`\``)
      for (const words of ['"Mix mortar" (in progress)', '[ ] "Set stones"', 'agent a1', '/t/a1.output'])
        expect(text).toContain(words)
    }
  })

  test('with an issue or a task that is the goal', () => {
    const linked = buildSessionRecall(recall({ issue: issue(7) }))
    expect(linked).toContain('Linked task ld-7 (open): "A wall"')
    expect(linked).not.toContain('Build a wall')
    const task = {
      id: taskId('t-12345678'),
      title: 'Wall',
      text: 'Do the wall',
      status: 'paused',
      progress: 'One side',
      progressAt: null,
      issueId: null,
    }
    const text = buildSessionRecall(recall({ session: facts({ task }) }))
    expect(text).toStartWith('GOAL REMINDER from Lodeline: task t-12345678.')
    expect(text).toContain('Do the wall')
    expect(text).toContain('One side')
    expect(text).not.toContain('Build a wall')
  })

  test('each moment has a text of its own, and ready work only where work begins', () => {
    const ready = { issues: [issue(1), issue(2, 'A roof')], total: 5 }
    const texts = RECALL_MOMENTS.map((moment) =>
      buildSessionRecall(recall({ moment, ready, session: moment === 'startup' ? null : facts() })),
    )
    expect(new Set(texts.map((text) => text.split('\n')[0])).size).toBe(RECALL_MOMENTS.length)
    const [startup = ''] = texts
    expect(startup).toContain('Ready to start, 2 of 5:\n- ld-1 P1 task: "A wall"\n- ld-2 P1 task: "A roof"')
    expect(startup).not.toContain('GOAL')
  })

  test('after a clear the goal is repeated only when it is certain whose it was', () => {
    expect(buildSessionRecall(recall({ moment: 'clear', isCleared: true }))).toContain('Build a wall')
    const anew = buildSessionRecall(recall({ moment: 'clear', session: null }))
    expect(anew).not.toContain('GOAL')
    expect(anew).toContain('is a new conversation')
  })

  test('says what makes it an issue of the session, unless a person said so', () => {
    const by = (source: IssueLinkSource) =>
      buildSessionRecall(recall({ issue: issue(7, 'A wall', { evidence: [{ source, place: '', at: 1 }] }) }))
    expect(by('person')).toContain('Linked task ld-7 (open): "A wall"\n')
    expect(by('claim')).toContain('"A wall", which you claimed\n')
    expect(by('prompt')).toContain('"A wall", named in your prompt\n')
    expect(by('branch')).toContain('"A wall", named by the git branch\n')
  })

  test('what runs and what ended unread stand apart, and neither is told as the other', () => {
    const work = (id: string, state: RecalledWork['state']): RecalledWork => ({
      id: subagentId(id),
      kind: 'agent',
      type: null,
      description: id,
      outputFile: null,
      prompt: `Ask ${id}`,
      ...(state && { state }),
    })
    const background = [work('r1', 'running'), work('u1', 'unread'), work('f1', 'failed'), work('l1', 'lost')]
    const [, running = '', ended = ''] =
      /Running in the background[^:]*:\n(.*?)\n\nEnded, but not read by you[^:]*:\n(.*?)\n\n/s.exec(
        buildSessionRecall(recall({ moment: 'compact', session: facts({ background }) })),
      ) ?? []
    expect(running).toBe('- agent r1: "r1", asked "Ask r1"')
    expect(ended.split('\n')).toEqual([
      '- agent u1, finished: "u1", asked "Ask u1"',
      '- agent f1, failed: "f1", asked "Ask f1"',
      '- agent l1, lost with its session: "l1", asked "Ask l1"',
    ])
  })

  test('a compaction of which nothing is known is left alone', () => {
    expect(buildSessionRecall(recall({ moment: 'precompact', session: null }))).toBe('')
  })

  test('a hand-over stands in it whole, as a quotation', () => {
    const text = buildSessionRecall(recall({ moment: 'startup', session: null, handoff: handoff() }))
    for (const words of ['by session other', 'Goal: Old goal', 'Next step: The roof', 'In its own words: Mind the cat'])
      expect(text).toContain(words)
  })

  test('never has more than 2,000 tokens, whatever the record holds, and names what it left out', () => {
    const word = fc.oneof(
      fc.string({ maxLength: 400 }),
      fc.constantFrom('字'.repeat(3_000), '🙂'.repeat(2_000), '```\nx', '\u0000\u202e'.repeat(200), 'x'.repeat(20_000)),
    )
    const property = fc.property(
      fc.constantFrom(...RECALL_MOMENTS),
      fc.array(word, { minLength: 1, maxLength: 6 }),
      fc.array(word, { maxLength: 60 }),
      fc.boolean(),
      (moment, texts, items, hasIssue) => {
        const session = facts({
          prompts: { first: prompt(texts[0] ?? ''), last: texts.slice(0, 3).map(prompt), areAll: false },
          todos: items.map((content) => ({ content, status: 'pending' })),
        })
        const text = buildSessionRecall(
          recall({
            moment,
            session,
            issue: hasIssue ? issue(1, texts.at(-1) ?? '') : null,
            ready: { issues: items.map((title, n) => issue(n, title)), total: 1_000 },
            handoff: handoff({ note: texts.at(-1) ?? '', state: texts[0] ?? '' }),
            company: {
              earlier: items.slice(0, 5).map((content, n) => ({
                ...fellow(n, content),
                work: [{ ...facts().background[0], state: 'unread', prompt: content } as RecalledWork],
              })),
              live: items.slice(0, 20).map((content, n) => fellow(n, content)),
            },
            changes: {
              changes: items.slice(0, 5).map((text) => ({
                at: '2026-01-01T00:00:00.000Z',
                by: text,
                event: 'commented',
                old: null,
                new: { text },
              })),
              total: 9,
              upTo: 9,
              isFirst: hasIssue,
            },
          }),
        )
        expect(tokensOf(text)).toBeLessThanOrEqual(SESSION_TOKENS)
        expect(text.length).toBeLessThan(9_900)
        if (items.length === 60 && items.every((item) => item.length > 200))
          expect(text).toMatch(/[Ll]eft out for length/)
      },
    )
    fc.assert(property, { numRuns: 150 })
  })
})

describe('a hand-over', () => {
  const reads = {
    session: async () => undefined,
    subagent: async () => undefined,
    issue: async () => undefined,
    ready: async () => ({ issues: [], total: 0 }),
    company: async () => ({ earlier: [], live: [] }),
    left: async () => undefined,
    changes: async () => ({ changes: [], total: 0, upTo: 0 }),
  }
  const told = { upTo: () => null, take: () => true }
  const call = { moment: 'startup', origin: null, folder: '/p', named: null } as const

  test('goes to the session that asks, and not when another took it first', async () => {
    const given: string[] = []
    const offered = () => handoff()
    const got = await sessionRecall(
      reads,
      { handoffs: { offered, take: (id, session) => given.push(`${id} ${session}`) > 0 }, notified: told },
      { ...call, sessionId: SESSION },
    )
    expect(got).toContain('Mind the cat')
    expect(given).toEqual([`h-00000000 ${SESSION}`])
    const late = await sessionRecall(
      reads,
      { handoffs: { offered, take: () => false }, notified: told },
      { ...call, sessionId: SESSION },
    )
    expect(late).not.toContain('Mind the cat')
  })

  test('is only shown to a person, and not in the middle of a compaction', async () => {
    const take = () => {
      throw new Error('was taken')
    }
    const box = { offered: () => handoff(), take }
    expect(await sessionRecall(reads, { handoffs: box, notified: told }, { ...call, sessionId: null })).toContain(
      'Mind the cat',
    )
    const compacting = { ...call, moment: 'precompact', sessionId: SESSION } as const
    expect(await sessionRecall(reads, { handoffs: box, notified: told }, compacting)).toBe('')
  })

  test('is made from the record, and its writer has the last word', () => {
    const place = { folder: '/p', to: null, at: '2026-01-01T00:00:00.000Z' }
    const made = composeHandoff(facts(), null, { note: ' Mind the cat ' }, place)
    expect(made).toMatchObject({ goal: 'Build a wall', next: 'Mix mortar', note: 'Mind the cat', sessionId: SESSION })
    for (const words of ['1 of 3 done', '[>] Mix mortar', 'agent a1', 'The mortar is nearly ready'])
      expect(made.state).toContain(words)
    expect(made.evidence).toContain('branch main')
    expect(composeHandoff(facts(), null, { goal: 'G', state: 'S', evidence: 'E', next: 'N' }, place)).toMatchObject({
      goal: 'G',
      state: 'S',
      evidence: 'E',
      next: 'N',
    })
    expect(composeHandoff(facts(), issue(7), {}, place).goal).toBe('ld-7: A wall')
  })

  test('of nothing, or of too much, is refused', () => {
    const place = { folder: '/p', to: null, at: '2026-01-01T00:00:00.000Z' }
    expect(() => composeHandoff(null, null, {}, place)).toThrow(expect.objectContaining({ code: 'invalid' }))
    const long = { note: 'x'.repeat(20_001) }
    expect(() => composeHandoff(null, null, long, place)).toThrow(expect.objectContaining({ code: 'too_large' }))
  })
})
