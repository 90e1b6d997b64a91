import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { issueKey, sessionId, taskId } from '../../src/domain/ids'
import { GUIDANCE_LIMIT, LEAD_GUIDANCE, WORKER_GUIDANCE } from '../../src/domain/recall/guidance'
import { RECALL_MOMENTS } from '../../src/domain/recall/recall'
import { buildRecall, RECALL_LIMITS } from '../../src/engine/recall/recall'
import { conversation, facts, running, someAttempt, someIssue, someTask, todo } from './sample'

const REMINDING = RECALL_MOMENTS.filter((moment) => moment !== 'startup')

describe('what an agent is told', () => {
  test.each(REMINDING)(
    'at %s opens with the goal reminder and has the task, its state and what still runs',
    (moment) => {
      const text = buildRecall(
        facts({
          task: someTask({ progress: 'half of it is done', progressAt: '2026-01-01T10:30:00.000Z' }),
          issue: someIssue(),
          children: [
            someTask({ id: taskId('t-child001'), title: 'measure it', status: 'pending' }),
            someTask({ id: taskId('t-child002'), title: 'an old one', status: 'completed' }),
          ],
        }),
        conversation({
          todos: [todo(1, 'completed', 'read it'), todo(2, 'pending', 'write it'), todo(3, 'in_progress', 'change it')],
          background: [
            running('a1b2c3', { type: 'Explore', description: 'looks around', outputFile: '/tmp/a1b2c3.output' }),
            running('bash_1', { kind: 'shell', description: 'npm run watch' }),
          ],
        }),
        moment,
      )
      expect(text.split('\n')[0]).toContain('GOAL REMINDER')
      expect(text.split('\n')[0]).toContain('t-7f3k9q2m')
      expect(text).toContain('```\nMake the parser faster\n```')
      expect(text).toContain('Progress stored at 2026-01-01 10:30 UTC:\n```\nhalf of it is done\n```')
      expect(text).toContain('To-dos, 1 of 3 done:\n- [>] "change it" (in progress)\n- [ ] "write it"\n- [x] "read it"')
      const left = moment === 'resume' || moment === 'fork' ? ', no end seen' : ''
      expect(text).toContain(`- agent a1b2c3 ("Explore")${left}: "looks around", output in "/tmp/a1b2c3.output"`)
      expect(text).toContain(`- shell bash_1${left}: "npm run watch"`)
      expect(text).toContain('Linked epic ld-3k9q (open): "Speed"')
      expect(text).toContain('t-child001 (pending): "measure it"')
      expect(text).not.toContain('t-child002')
      expect(text.includes(WORKER_GUIDANCE)).toBe(moment !== 'precompact')
      expect(text).not.toContain('Left out')
    },
  )

  test.each(REMINDING)('at %s has what is known of others on its issue', (moment) => {
    const fellow = { sessionId: sessionId('s-1'), title: 'Another', lastEventAt: null, todoTotal: 1 }
    const company = {
      earlier: [{ ...fellow, todos: [{ content: 'Carry on', status: 'pending' as const }], work: [] }],
      live: [
        { ...fellow, sessionId: sessionId('s-2'), todos: [{ content: 'Write it!', status: 'in_progress' as const }] },
      ],
    }
    const change = { at: '2026-01-01T10:30:00.000Z', by: 'ann', event: 'commented', old: null, new: { text: 'Hurry' } }
    const issue = { ...someIssue(), key: issueKey(1), evidence: [] }
    const about = { issue, company, changes: { changes: [change], total: 1, upTo: 1 } }
    const own = conversation({ todos: [todo(1, 'pending', 'write it')] })
    const text = buildRecall(facts({ issue: someIssue() }), own, moment, about)
    for (const part of [
      '--from s-1',
      '[ ] "Carry on"',
      'session s-2',
      'on both lists: "Write it!"',
      '"ann" commented: "Hurry"',
    ])
      expect(text).toContain(part)
    expect(buildRecall(facts({ issue: someIssue() }), own, moment, null)).not.toMatch(/s-1|s-2|Hurry/)
  })

  test('at the start of a new conversation is how to use the tools, without the task that the prompt gives', () => {
    const text = buildRecall(facts({ issue: someIssue() }), null, 'startup')
    expect(text).toContain('task t-7f3k9q2m')
    expect(text).toContain('Linked epic ld-3k9q')
    expect(text).toContain(WORKER_GUIDANCE)
    expect(text).not.toContain('Make the parser faster')
  })

  test('says after a fork whose conversation it was, and that background work of an ended process is gone', () => {
    const parent = someTask({ id: taskId('t-parent01') })
    const forked = someAttempt(1, { isLive: true })
    if (forked.conversation !== null) forked.conversation.forked = true
    const untold = someAttempt(1, { isLive: true, conversation: null })
    for (const [moment, attempt] of [
      ['fork', forked],
      ['resume', forked],
      ['resume', untold],
    ] as const) {
      const text = buildRecall(
        facts({ parent, attempts: [attempt] }),
        conversation({ background: [running('x')] }),
        moment,
      )
      expect(text).toContain('began as a copy of the conversation of task t-parent01')
      expect(text).toContain('which has ended. You will not be notified')
      expect(text).toMatch(/- agent x.*, no end seen/)
    }
  })
})

describe('the budget', () => {
  const long = fc.string({ unit: fc.constantFrom('a', '`', '\n', '\u001b', 'é', ' '), maxLength: 9_000 })
  test('holds at every moment whatever the record holds, and what was left out is named', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...RECALL_MOMENTS),
        long,
        long,
        fc.array(long, { maxLength: 30 }),
        (moment, task, progress, contents) => {
          const text = buildRecall(
            facts({ task: someTask({ task, progress }), issue: someIssue({ title: task }) }),
            conversation({
              todos: contents.map((content, n) => todo(n, 'pending', content)),
              background: contents.map((description, n) => running(`b${n}`, { description })),
            }),
            moment,
          )
          expect(text.length).toBeLessThanOrEqual(RECALL_LIMITS[moment])
          if (moment !== 'startup' && task.trim().length > RECALL_LIMITS[moment])
            expect(text).toContain('eft out for length')
        },
      ),
      { numRuns: 60 },
    )
  })

  test('cuts the task text last: beside a long one the rest shrinks to what it is sure of', () => {
    const text = buildRecall(
      facts({ task: someTask({ task: 'T'.repeat(200_000), progress: 'P'.repeat(20_000) }) }),
      conversation({
        todos: Array.from({ length: 100 }, (_, n) => todo(n, n === 70 ? 'in_progress' : 'pending', `to-do ${n}`)),
        background: [running('a1', { description: 'still at it' })],
      }),
      'compact',
    )
    const count = (letter: string) => text.split('\n').find((line) => line.startsWith(letter.repeat(20)))?.length ?? 0
    expect(count('T')).toBeGreaterThan(1_500)
    expect(count('P')).toBeGreaterThan(350)
    expect(text).toContain('"to-do 70" (in progress)')
    expect(text).toContain('still at it')
    expect(text).toMatch(
      /Left out for length: task text \(\d+ more characters\), progress \(\d+ more characters\), to-dos \(\d+ more\)/,
    )
  })

  test('guidance fits where the CLI cuts instructions at 2,048 characters', () => {
    for (const text of [WORKER_GUIDANCE, LEAD_GUIDANCE]) expect(text.length).toBeLessThanOrEqual(GUIDANCE_LIMIT)
  })
})
