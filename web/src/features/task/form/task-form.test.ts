import { describe, expect, test } from 'bun:test'
import * as fields from '#api/contract/fields'
import { newTask } from '#api/contract/operations/tasks'
import { AppError } from '#domain/errors'
import { EMPTY_TASK, refusedFields, taskRequest } from './task-form'

const filled = {
  ...EMPTY_TASK,
  text: '  Ship it\nto all ',
  title: 'Ship',
  priority: '70',
  dir: '/home/mara/shop',
  model: 'opus',
  permissionMode: 'plan',
  agent: 'w1',
  parent: 't-7f3k9q2m',
  continueNow: true,
  issue: 'ld-3k9q',
  epic: 'ld-1',
  after: 't-11111111, t-22222222  t-33333333',
  isPatient: true,
  tags: 'two words, one',
  type: 'chore',
  capabilities: 'gpu',
  clis: 'codex, claude-code',
  maxTurns: '20',
  maxCostUsd: '$2.50',
  timeoutMs: '30m',
  attempts: '5',
  notBefore: '2026-12-01T18:30',
  worktree: true,
  base: 'main',
  backlog: true,
}

describe('the form of a new task', () => {
  test('says the least that it can', () => {
    expect(taskRequest({ ...EMPTY_TASK, text: 'say hello', dir: '/p' })).toEqual({
      request: { task: 'say hello', source: 'dashboard', dir: '/p' },
    })
  })

  test('asks for a folder, unless a parent gives its own', () => {
    const made = taskRequest({ ...EMPTY_TASK, text: 'say hello' })
    expect(made).toEqual({ problems: { dir: expect.stringContaining('folder') } })
    expect('request' in taskRequest({ ...EMPTY_TASK, text: 'say hello', parent: 't-7f3k9q2m' })).toBe(true)
  })

  test('says all that was typed, as the API takes it', () => {
    const made = taskRequest(filled)
    expect(made).toEqual({
      request: {
        task: '  Ship it\nto all ',
        source: 'dashboard',
        title: 'Ship',
        priority: 70,
        dir: '/home/mara/shop',
        model: 'opus',
        permissionMode: 'plan',
        agentId: 'w1',
        parentTaskId: 't-7f3k9q2m',
        continuity: 'continue',
        continueNow: true,
        issueId: 'ld-3k9q',
        epicId: 'ld-1',
        dependsOn: ['t-11111111', 't-22222222', 't-33333333'],
        onDependencyFailure: 'wait',
        tags: ['two words', 'one'],
        taskType: 'chore',
        requiredCapabilities: ['gpu'],
        agentClis: ['codex', 'claude-code'],
        maxTurns: 20,
        maxCostUsd: 2.5,
        timeoutMs: 1_800_000,
        retryPolicy: { maximumAttempts: 5 },
        notBefore: new Date('2026-12-01T18:30').toISOString(),
        worktree: { base: 'main' },
        status: 'backlog',
      },
    })
    const schema = newTask(fields)
    expect(schema.safeParse('request' in made ? made.request : null).success).toBe(true)
  })

  test('offers instead of assigning, and begins anew below a parent', () => {
    expect(taskRequest({ ...filled, isOffer: true, continuity: 'fresh', worktree: true, base: '' })).toMatchObject({
      request: { offeredTo: 'w1', continuity: 'fresh', worktree: true },
    })
    const made = taskRequest({ ...filled, isOffer: true, continuity: 'fresh' })
    expect('request' in made && ('agentId' in made.request || 'continueNow' in made.request)).toBe(false)
  })

  test('says at each field what is wrong with it', () => {
    const wrong = { ...EMPTY_TASK, text: ' ', priority: 'high', maxTurns: '-1', maxCostUsd: 'much', timeoutMs: 'soon' }
    expect(taskRequest(wrong)).toEqual({
      problems: {
        text: expect.any(String),
        dir: expect.any(String),
        priority: expect.any(String),
        maxTurns: expect.any(String),
        maxCostUsd: expect.any(String),
        timeoutMs: expect.any(String),
      },
    })
  })

  test('takes durations with their units, and with blanks', () => {
    const typed = ['90s', '30m', '30 min', '1.5h', '1h 30m', '2d', '5', 'm', '-1m', '1e3s', '0s']
    const made = typed.map((timeoutMs) => taskRequest({ ...filled, timeoutMs }))
    expect(made.map((one) => ('request' in one ? one.request.timeoutMs : null))).toEqual([
      90_000,
      1_800_000,
      1_800_000,
      5_400_000,
      5_400_000,
      172_800_000,
      null,
      null,
      null,
      null,
      null,
    ])
  })

  test('names the bounds of a number that is outside of them', () => {
    const made = taskRequest({ ...filled, priority: '101', attempts: '0' })
    expect(made).toEqual({
      problems: { priority: 'A whole number from 0 to 100.', attempts: 'A whole number from 1 to 1,000.' },
    })
  })
})

describe('a refusal of the server', () => {
  test('stands at the field that it is about', () => {
    const error = new AppError('invalid', 'dir "shop" is not absolute.', {
      hint: 'Give the full path.',
      details: { field: 'dir' },
    })
    expect(refusedFields(error)).toEqual({ dir: 'dir "shop" is not absolute. Give the full path.' })
  })

  test('of several fields stands at each', () => {
    const issues = [
      { field: 'body "priority"', problem: 'must be at most 100' },
      { field: 'body "retryPolicy.maximumAttempts"', problem: 'must be at least 1' },
    ]
    const error = new AppError('invalid', 'body "priority" must be at most 100', { details: { issues } })
    expect(refusedFields(error)).toEqual({ priority: 'must be at most 100', attempts: 'must be at least 1' })
  })

  test('of no field of the form stands nowhere in it', () => {
    expect(refusedFields(new AppError('not_found', 'There is no agent "w9".'))).toEqual({})
    expect(refusedFields(new AppError('invalid', 'x', { details: { field: 'spawnedBy.sessionId' } }))).toEqual({})
    expect(refusedFields(new Error('gone'))).toEqual({})
  })
})
