import { expect, test } from 'bun:test'
import { draftKey, parseDraft } from './task-draft'
import { EMPTY_TASK } from './task-form'

test('what was typed comes back, also beside fields that the form does not have any more', () => {
  const typed = { ...EMPTY_TASK, text: 'say hello', worktree: true, continuity: 'fresh' as const }
  expect(parseDraft(JSON.stringify({ ...typed, colour: 'red' }), EMPTY_TASK)).toEqual(typed)
})

test('what is no draft leaves the form as it begins', () => {
  const start = { ...EMPTY_TASK, parent: 't-7f3k9q2m' }
  for (const text of [null, '', '{', '7', '[]', '{"text":7,"worktree":"yes","continuity":"often"}'])
    expect(parseDraft(text, start)).toEqual(start)
})

test('each parent and issue has a draft of its own', () => {
  expect(new Set([draftKey('', ''), draftKey('t-1', ''), draftKey('', 't-1')]).size).toBe(3)
})
