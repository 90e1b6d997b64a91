import { describe, expect, test } from 'bun:test'
import { AppError } from '../../domain/errors'
import type { PermissionAnswer } from '../../domain/harness/harness-run'
import { questionId } from '../../domain/ids'
import { judge } from '../../domain/policy/tool-rules'
import type { Question } from '../../domain/task/task'
import { Questions, type QuestionsOptions } from './questions'

function questions(more: Partial<QuestionsOptions> = {}) {
  const answers: { requestId: string; answer: PermissionAnswer }[] = []
  const asked: unknown[] = []
  const taken: string[] = []
  const said: string[] = []
  const made = new Questions({
    settings: { questionMs: 60_000, questionDefault: 'deny' },
    judge: (toolName, input) => judge({ allow: ['Skill'], deny: ['WebFetch'] }, toolName, input, null),
    ask: async (question) => {
      asked.push(question)
      return { question: { id: questionId('q-1') } as Question }
    },
    answer: (requestId, answer) => answers.push({ requestId, answer }),
    taken: (id) => taken.push(id),
    log: (text) => said.push(text),
    ...more,
  })
  return { made, answers, asked, taken, said }
}
const request = (toolName: string, requestId = 'r1') => ({
  requestId,
  toolUseId: 'toolu_1',
  toolName,
  input: { command: 'make' },
  description: null,
})

/** Until what was begun has got as far as it can. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('a question of a run', () => {
  test('is answered by the rules first, and nobody is asked', async () => {
    const { made, answers, asked } = questions()
    await made.take(request('Skill'))
    await made.take(request('WebFetch', 'r2'))
    expect(answers.map(({ requestId, answer }) => `${requestId} ${answer.behavior}`)).toEqual(['r1 allow', 'r2 deny'])
    expect(answers[0]?.answer.input).toEqual({ command: 'make' })
    expect(answers[1]?.answer.message).toContain('WebFetch')
    expect(asked).toEqual([])
  })

  test('goes to the server, and its answer to the CLI once, however often it is said', async () => {
    const { made, answers, asked, taken } = questions()
    const over = made.take(request('Bash'))
    await turn()
    expect(asked).toEqual([
      {
        toolUseId: 'toolu_1',
        toolName: 'Bash',
        input: { command: 'make' },
        description: null,
        default: 'deny',
        deadlineMs: expect.any(Number),
      },
    ])
    // What is left of the minute, however slow the machine.
    const [{ deadlineMs }] = asked as [{ deadlineMs: number }]
    expect(deadlineMs).toBeLessThanOrEqual(60_000)
    expect(deadlineMs).toBeGreaterThan(30_000)
    made.settle(questionId('q-1'), 'allow', null)
    made.settle(questionId('q-1'), 'allow', null)
    made.settle(questionId('q-unknown'), 'deny', 'no')
    expect(answers).toEqual([
      { requestId: 'r1', answer: { behavior: 'allow', message: null, input: { command: 'make' } } },
    ])
    expect(taken).toEqual(['q-1', 'q-1', 'q-unknown'])
    made.end()
    await over
    expect(answers).toHaveLength(1)
  })

  test('gets the default when the server is away past the deadline', async () => {
    const { made, answers, said } = questions({
      settings: { questionMs: 30, questionDefault: 'allow' },
      ask: async () => {
        throw new AppError('unavailable', 'away')
      },
    })
    await made.take(request('Bash'))
    expect(answers).toEqual([
      { requestId: 'r1', answer: { behavior: 'allow', message: null, input: { command: 'make' } } },
    ])
    expect(said.at(-1)).toContain('nobody answered')
  })

  test('that the server does not take gets the default at once', async () => {
    const { made, answers } = questions({
      ask: async () => {
        throw new AppError('too_large', 'the input is too large')
      },
    })
    await made.take(request('Bash'))
    expect(answers[0]?.answer.behavior).toBe('deny')
  })

  test('dies with the run', async () => {
    const { made, answers } = questions()
    const over = made.take(request('Bash'))
    await turn()
    made.end()
    await over
    made.settle(questionId('q-1'), 'allow', null)
    expect(answers).toEqual([])
  })
})
