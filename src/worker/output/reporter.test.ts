import { describe, expect, test } from 'bun:test'
import { AppError } from '../../domain/errors'
import { questionId } from '../../domain/ids'
import type { AttemptEnd, AttemptReport } from '../../domain/task/worker-protocol'
import { endBeforeRun } from '../run/attempt-end'
import { Reporter } from './reporter'

const END: AttemptEnd = endBeforeRun('completed', 'done')

function reporter(answer: (report: AttemptReport, call: number) => unknown = () => {}) {
  const sent: AttemptReport[] = []
  const refused: unknown[] = []
  let calls = 0
  const made = new Reporter({
    send: async (report) => {
      const outcome = answer(report, ++calls)
      if (outcome instanceof Error) throw outcome
      sent.push(report)
    },
    onRefused: (error) => refused.push(error),
    now: () => 0,
  })
  return { made, sent, refused }
}

describe('reports of an attempt', () => {
  test('keep their order and come together', async () => {
    const { made, sent } = reporter()
    for (const n of [1, 2, 3]) made.log('text', `line ${n}`)
    made.log('run', '   ')
    await made.end(END)
    expect(sent).toHaveLength(1)
    expect(sent[0]?.log?.map(({ text, kind, at }) => `${at} ${kind} ${text}`)).toEqual([
      '1970-01-01T00:00:00.000Z text line 1',
      '1970-01-01T00:00:00.000Z text line 2',
      '1970-01-01T00:00:00.000Z text line 3',
    ])
    expect(sent[0]?.ended).toEqual(END)
  })

  test('go at once when they are asked for', async () => {
    const { made, sent } = reporter()
    made.log('text', 'before')
    made.flush()
    await new Promise((resolve) => setImmediate(resolve))
    made.log('text', 'after')
    await made.end(END)
    expect(sent.map((report) => report.log?.map(({ text }) => text))).toEqual([['before'], ['after']])
    made.flush()
    expect(sent).toHaveLength(2)
  })

  test('are told again until the server is back, each thing once', async () => {
    const { made, sent, refused } = reporter((_report, call) =>
      call < 4 ? new AppError('unavailable', 'away') : undefined,
    )
    made.log('text', 'before')
    const told = made.report({
      process: { pid: 1, startedAt: null, cwd: '/', branch: null, base: null, cliVersion: null },
    })
    made.taken(questionId('q-1'))
    made.input('u1', 'sent')
    made.log('text', 'after')
    await told
    await made.end(END)
    expect(sent.flatMap((report) => report.log ?? []).map(({ text }) => text)).toEqual(['before', 'after'])
    expect(sent.flatMap((report) => report.taken ?? [])).toEqual([{ questionId: questionId('q-1') }])
    expect(sent.flatMap((report) => report.inputs ?? [])).toEqual([{ uuid: 'u1', status: 'sent' }])
    expect(sent.filter((report) => report.process !== undefined)).toHaveLength(1)
    expect(sent.at(-1)?.ended).toEqual(END)
    expect(refused).toEqual([])
  })

  test('end for good once the attempt is lost', async () => {
    const { made, sent, refused } = reporter(() => new AppError('lease_lost', 'a later attempt holds the lease'))
    const told = made.report({})
    expect(await told.catch((error: AppError) => error.code)).toBe('lease_lost')
    expect(refused).toHaveLength(1)
    made.log('text', 'more')
    expect(await made.end(END).catch((error: Error) => error.message)).toBe('stopped')
    expect(sent).toEqual([])
  })

  test('that the server breaks on are told without their lines rather than not at all', async () => {
    const { made, sent } = reporter((report) => (report.log ? new AppError('internal', 'no') : undefined))
    made.log('text', 'poison')
    await made.end(END)
    expect(sent).toEqual([{ ended: END }])
  })

  test('cut what is too long, and say how much was left out while the server was away', async () => {
    let isAway = true
    const { made, sent } = reporter(() => (isAway ? new AppError('unavailable', 'away') : undefined))
    made.log('text', 'x'.repeat(10_000))
    for (let n = 0; n < 6_000; n++) made.log('tool', `line ${n}`)
    isAway = false
    await made.end(END)
    const lines = sent.flatMap((report) => report.log ?? [])
    expect(Math.max(...lines.map(({ text }) => text.length))).toBeLessThanOrEqual(4_000)
    expect(lines[0]?.text).toMatch(/^\d+ lines were dropped while the server was away$/)
    expect(lines.at(-1)?.text).toBe('line 5999')
    expect(sent.at(-1)?.ended).toEqual(END)
    expect(sent.slice(0, -1).every((report) => report.ended === undefined)).toBe(true)
  })

  test('that could not be told are given to who ends the worker', async () => {
    const { made } = reporter(() => new AppError('unavailable', 'away'))
    made.log('text', 'last')
    const ended = made.end(END)
    const left = made.stop()
    expect(await ended.catch((error: Error) => error.message)).toBe('stopped')
    expect(await left).toMatchObject({ ended: END, log: [{ text: 'last' }] })
  })
})
