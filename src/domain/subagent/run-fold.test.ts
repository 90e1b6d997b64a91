import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { foldRuns } from './run-fold'
import type { SubagentMark } from './subagent-run'

const mark = (kind: 'start' | 'end', at: number | null, more: Partial<SubagentMark> = {}): SubagentMark => ({
  kind,
  at,
  seenAt: null,
  status: kind === 'end' ? 'completed' : null,
  evidence: kind === 'end' ? 'transcript:notification' : 'transcript:tool_result',
  toolUseId: null,
  trigger: 'unknown',
  result: null,
  line: null,
  ...more,
})

const launch = mark('start', 1_000, { toolUseId: 'toolu_1', trigger: 'launch' })
const notice = mark('end', 2_050, { toolUseId: 'toolu_1', line: 'line-1', result: 'first' })
const message = mark('start', 3_000, { toolUseId: 'toolu_2', trigger: 'message' })
const second = mark('end', 4_040, { toolUseId: 'toolu_2', line: 'line-2', result: 'second' })
const hooks = [
  mark('start', 1_020, { evidence: 'hook:SubagentStart' }),
  mark('end', 2_000, { evidence: 'hook:SubagentStop' }),
  mark('start', 3_030, { evidence: 'hook:SubagentStart' }),
  mark('end', 4_000, { evidence: 'hook:SubagentStop' }),
]

describe('the runs of a sub-agent', () => {
  test('an agent that was continued has two, told apart by the calls that began them', () => {
    const runs = foldRuns([launch, notice, message, second])
    expect(
      runs.map(({ number, trigger, toolUseId, startedAt, endedAt, result }) => [
        number,
        trigger,
        toolUseId,
        startedAt,
        endedAt,
        result,
      ]),
    ).toEqual([
      [1, 'launch', 'toolu_1', 1_000, 2_050, 'first'],
      [2, 'message', 'toolu_2', 3_000, 4_040, 'second'],
    ])
    expect(runs.map(({ notices }) => notices.map(({ line }) => line))).toEqual([['line-1'], ['line-2']])
  })

  test('hooks change nothing of runs that lines tell, and tell them alone where there are none', () => {
    expect(foldRuns([...hooks, launch, notice, message, second])).toEqual(foldRuns([launch, notice, message, second]))
    expect(foldRuns(hooks).map(({ startedAt, endedAt, status }) => [startedAt, endedAt, status])).toEqual([
      [1_020, 2_000, 'completed'],
      [3_030, 4_000, 'completed'],
    ])
  })

  test('who read its output has read the result: of a shell once it had ended, of an agent where the result stands there', () => {
    const look = (seenAt: number, evidence: string, line: string) =>
      mark('end', null, { seenAt, status: null, evidence, line })
    const notices = (...marks: SubagentMark[]) => foldRuns([launch, ...marks])[0]?.notices.map(({ line }) => line)
    const end = { ...notice, line: null }
    expect(notices(end, look(2_000, 'transcript:look', 'early'), look(2_100, 'transcript:look', 'late'))).toEqual([
      'late',
    ])
    expect(notices(look(2_100, 'transcript:look', 'late'))).toEqual([])
    expect(notices(look(2_000, 'transcript:read', 'whole'))).toEqual(['whole'])
    // It reports no end.
    expect(foldRuns([launch, look(2_000, 'transcript:read', 'whole')])[0]?.status).toBeNull()
  })

  test("a notice that came after the next run had begun is the former's", () => {
    const late = { ...notice, at: 3_500 }
    expect(foldRuns([launch, late, message]).map(({ status }) => status)).toEqual(['completed', null])
  })

  test("a hook's start just before its call's answer belongs to that call", () => {
    const early = mark('start', 2_990, { evidence: 'hook:SubagentStart' })
    expect(foldRuns([launch, notice, early, message])).toHaveLength(2)
  })

  test('an agent that a Stop hook sent on ended when it stopped last', () => {
    const stops = [2_000, 2_500].map((at) => mark('end', at, { evidence: 'hook:SubagentStop' }))
    expect(foldRuns([...hooks.slice(0, 1), ...stops])).toMatchObject([{ endedAt: 2_500 }])
  })

  test('a failure outweighs the word that it is over', () => {
    const finished = mark('end', null, { evidence: 'meta:finished' })
    const failed = { ...notice, status: 'failed' as const }
    expect(foldRuns([launch, finished, failed])).toMatchObject([{ status: 'failed', endedAt: 2_050 }])
    expect(foldRuns([finished])).toMatchObject([{ status: 'completed', endedAt: null, evidence: 'meta:finished' }])
  })

  test('a look at an output tells of the run of its time that it is over, and not when it ended', () => {
    const look = mark('end', null, { seenAt: 5_000, evidence: 'transcript:tool_result', line: 'line-3' })
    const runs = foldRuns([launch, notice, message, look])
    expect(runs).toMatchObject([{ endedAt: 2_050 }, { status: 'completed', endedAt: null }])
    expect(runs[1]?.notices).toEqual([{ line: 'line-3', at: 5_000, kind: 'content' }])
  })

  test('nothing said, no run', () => expect(foldRuns([])).toEqual([]))

  test('any order and any doubling of any marks gives the same runs, numbered from 1', () => {
    const anyMark = fc.record({
      kind: fc.constantFrom('start' as const, 'end' as const),
      at: fc.option(fc.integer({ min: 0, max: 12 }).map((n) => n * 1_000)),
      seenAt: fc.option(fc.integer({ min: 0, max: 12 }).map((n) => n * 1_000)),
      status: fc.constantFrom('completed' as const, 'failed' as const, 'killed' as const),
      evidence: fc.constantFrom('hook:SubagentStop', 'transcript:notification', 'stream:task_updated', 'meta:finished'),
      toolUseId: fc.option(fc.constantFrom('toolu_1', 'toolu_2', 'toolu_3')),
      trigger: fc.constantFrom('launch' as const, 'message' as const, 'unknown' as const),
      result: fc.option(fc.string({ maxLength: 3 })),
      line: fc.option(fc.constantFrom('line-1', 'line-2')),
    })
    fc.assert(
      fc.property(
        fc
          .array(anyMark, { maxLength: 12 })
          .chain((marks) =>
            fc.tuple(fc.constant(marks), fc.shuffledSubarray([...marks, ...marks], { minLength: 2 * marks.length })),
          ),
        ([marks, shuffled]) => {
          const runs = foldRuns(marks)
          expect(foldRuns(shuffled)).toEqual(runs)
          expect(runs.map(({ number }) => number)).toEqual(runs.map((_, at) => at + 1))
        },
      ),
      { numRuns: 500 },
    )
  })
})
