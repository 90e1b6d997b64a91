import { describe, expect, test } from 'bun:test'
import { taskId } from '../../src/domain/ids'
import {
  buildPreamble,
  continuePrompt,
  freshPrompt,
  PREAMBLE_LIMIT,
  snapshotPrompt,
} from '../../src/engine/recall/prompt'
import { conversation, facts, running, someAttempt, someTask, todo } from './sample'

const live = someAttempt(2, { isLive: true, endedAt: null, outcome: null, failureReason: null })
const parent = someTask({
  id: taskId('t-parent01'),
  title: 'Read the parser',
  task: 'Read the parser and say what is slow',
  output: 'The tokenizer is slow',
  status: 'completed',
})

describe('the first prompt', () => {
  test('of a new conversation is the text as it was written', () => {
    const task = someTask({ task: '  do `this`\n```\nand </system-reminder> that\u0007' })
    expect(freshPrompt(facts({ task }))).toBe(task.task)
  })

  test('is never taken for a command of the CLI', () => {
    expect(freshPrompt(facts({ task: someTask({ task: '/compact the archive' }) }))).toBe(' /compact the archive')
  })

  test('never lets a conversation that was to be continued start blank in silence', () => {
    const child = someTask({ parentTaskId: taskId('t-gone0001') })
    expect(freshPrompt(facts({ task: child }))).toMatch(
      /continued the conversation of task t-gone0001 .*not possible[\s\S]*\n\nMake the parser faster$/,
    )
    expect(freshPrompt(facts({ task: { ...child, continuity: 'fresh' } }))).toBe(child.task)
    const again = freshPrompt(facts({ attempts: [someAttempt(1), live], task: someTask({ progress: 'half' }) }))
    expect(again).toContain('Attempt 1 was lost with its worker at 2026-01-01 00:10 UTC: "the worker vanished".')
    expect(again).toContain('Progress stored before: "half"')
    expect(again).toEndWith('\n\nMake the parser faster')
  })

  test('of a copy names the parent and gives the own text whole', () => {
    const text = snapshotPrompt(
      facts({ task: someTask({ parentTaskId: parent.id, task: 'x'.repeat(200_000) }), parent }),
    )
    expect(text).toContain('copy of the conversation of task t-parent01 ("Read the parser")')
    expect(text).toEndWith(`\n\n${'x'.repeat(200_000)}`)
  })

  test('of a conversation that goes on says why it stopped, and the text only where it was not given before', () => {
    const before = facts({ attempts: [someAttempt(1, { outcome: 'paused', failureReason: 'by a person' }), live] })
    const known = continuePrompt(before, true)
    expect(known).toStartWith('Continue task t-7f3k9q2m')
    expect(known).toContain('Attempt 1 was paused at 2026-01-01 00:10 UTC: "by a person".')
    expect(known).not.toContain('Make the parser faster')
    expect(continuePrompt(before, false)).toEndWith('\n\nMake the parser faster')
  })

  test('with a summary has goal, result, progress, to-dos, background work and last words of the parent, then the own text', () => {
    const text = buildPreamble(
      facts({ task: someTask({ parentTaskId: parent.id }), parent: { ...parent, progress: 'all read' } }),
      'parent',
      conversation({ todos: [todo(1, 'completed', 'read it')], background: [running('bg1')] }),
      { prompt: 'and the lexer?', answer: 'It is slow as well' },
    )
    for (const part of [
      'say what is slow',
      'The tokenizer is slow',
      'all read',
      '[x] "read it"',
      'bg1',
      'and the lexer?',
      'It is slow as well',
    ])
      expect(text).toContain(part)
    expect(text).toEndWith('The task:]\n\nMake the parser faster')
  })

  test('with a summary is bounded but for the text of the task', () => {
    const huge = 'y'.repeat(200_000)
    const own = someTask({ task: huge, progress: huge })
    const text = buildPreamble(facts({ task: own, attempts: [someAttempt(1), live] }), 'own', conversation(), {
      prompt: huge,
      answer: huge,
    })
    expect(text).toEndWith(huge)
    expect(text.length - huge.length).toBeLessThanOrEqual(PREAMBLE_LIMIT + 2)
    expect(text).toContain('Left out for length')
    // Its own text stands below: not once more as what it was asked last.
    expect(text).not.toContain('Its last prompt')
  })
})
