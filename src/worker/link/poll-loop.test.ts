import { describe, expect, test } from 'bun:test'
import { AppError } from '../../domain/errors'
import { type AttemptId, attemptId } from '../../domain/ids'
import type { Assignment, Command, PollAnswer, PollInput } from '../../domain/task/worker-protocol'
import { silentLogger } from '../../util/log'
import { PollLoop, type PollLoopOptions } from './poll-loop'

const ID = attemptId('t-00000000.1')
const answer = (more: Partial<PollAnswer> = {}): PollAnswer => ({
  assignments: [],
  commands: [],
  lost: [],
  renewed: [],
  leaseMs: 15_000,
  serverInstance: null,
  epoch: null,
  now: '1970-01-01T00:00:00.000Z',
  ...more,
})
type Said = Omit<PollInput, 'bootId'>

/** Answers polls by a script; the last one hangs until it is aborted, as a long poll does. */
function loop(script: (PollAnswer | Error)[], more: Partial<PollLoopOptions> = {}) {
  const polls: Said[] = []
  const assigned: Assignment[] = []
  const commands: Command[] = []
  const lost: AttemptId[] = []
  let rejoined = 0
  const renewed: [AttemptId[], number][] = []
  const atEnd = Promise.withResolvers<void>()
  const made = new PollLoop({
    poll: async (input, signal) => {
      polls.push(input)
      const next = script.shift()
      if (next instanceof Error) throw next
      if (next !== undefined) return next
      atEnd.resolve()
      return new Promise((_resolve, reject) => {
        const end = () => reject(signal.reason)
        if (signal.aborted) end()
        signal.addEventListener('abort', end)
      })
    },
    rejoin: async () => {
      rejoined++
    },
    attempts: () => [{ id: ID, generation: 1 }],
    capacity: () => 1,
    onAssignment: (each) => assigned.push(each),
    onCommand: (each) => commands.push(each),
    onLost: (id) => lost.push(id),
    onRenewed: (acknowledged, sentAt) => renewed.push([acknowledged.renewed, sentAt]),
    leaseMs: 15_000,
    log: silentLogger,
    ...more,
  })
  const run = made.run()
  return {
    made,
    polls,
    assigned,
    commands,
    lost,
    rejoined: () => rejoined,
    renewed,
    atEnd: atEnd.promise,
    async stop() {
      made.stop()
      await run
    },
    run,
  }
}

const unreached = (code: string) =>
  new AppError('unavailable', 'no answer', { cause: Object.assign(new Error(), { code }) })

/** Until what was begun has got as far as it can. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('polls', () => {
  test('renew at the latest every quarter of a lease, and bring what there is', async () => {
    const cancel: Command = { kind: 'cancel', attemptId: ID, reason: 'no' }
    const assignment = { attemptId: attemptId('t-00000001.1') } as Assignment
    const it = loop([answer({ assignments: [assignment], commands: [cancel], lost: [ID], leaseMs: 9_000 })])
    await it.atEnd
    await it.stop()
    expect(it.polls).toEqual([
      { capacity: 1, attempts: [{ id: ID, generation: 1 }], waitMs: 3_750 },
      { capacity: 1, attempts: [{ id: ID, generation: 1 }], waitMs: 2_250 },
    ])
    expect([it.assigned, it.commands, it.lost]).toEqual([[assignment], [cancel], [ID]])
  })

  test('go on after the server was away, and never give up', async () => {
    const away = new AppError('unavailable', 'no answer', {
      cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
    })
    const it = loop([away, away, new Error('an answer that is no JSON'), answer()])
    await it.atEnd
    await it.stop()
    expect(it.polls).toHaveLength(5)
  })

  test('join again when the server does not know the worker any more', async () => {
    const it = loop([new AppError('unauthorized', 'who?'), new AppError('not_found', 'who?'), answer()])
    await it.atEnd
    await it.stop()
    expect(it.rejoined()).toBe(2)
  })

  test('end the worker when it may not join again', async () => {
    const it = loop([new AppError('unauthorized', 'who?')], {
      rejoin: async () => {
        throw new AppError('unauthorized', 'no')
      },
    })
    expect(await it.run.catch((error: AppError) => error.code)).toBe('unauthorized')
  })

  const failures: [string, Error][] = [
    ['refused', unreached('ECONNREFUSED')],
    ['reset', unreached('ECONNRESET')],
    ['timed out', new AppError('unavailable', 'no answer', { cause: new DOMException('timed out', 'TimeoutError') })],
    ['told that the server is unavailable', new AppError('unavailable', 'the database is away')],
    ['told of a mistake of the server', new AppError('internal', 'broken')],
    ['answered with what is none', new Error('no JSON')],
    ['not known, and joined again', new AppError('unauthorized', 'who?')],
    ['not found, and joined again', new AppError('not_found', 'who?')],
  ]
  test.each(failures)(
    'that are %s renew nothing: a lease counts from when the last acknowledged poll was sent',
    async (_how, error) => {
      let now = 0
      const sentAt: number[] = []
      const script = [answer({ renewed: [ID] }), error, error, error, answer({ renewed: [ID] })]
      const it = loop(script, {
        now: () => now,
        // The answer takes its time, and counts from before.
        attempts: () => {
          sentAt.push(now)
          now += 4_000
          return [{ id: ID, generation: 1 }]
        },
      })
      await it.atEnd
      await it.stop()
      expect(it.renewed).toEqual([
        [[ID], sentAt[0] ?? -1],
        [[ID], sentAt[4] ?? -1],
      ])
      // Nothing was acknowledged for more than half a lease: the answer is wanted at once.
      expect(it.polls.map(({ waitMs }) => waitMs)).toEqual([3_750, 3_750, 0, 0, 0, 3_750])
    },
  )

  test('are silent from the first that fails, until one is acknowledged', async () => {
    const seen: boolean[] = []
    const it = loop([answer(), unreached('ECONNREFUSED'), answer()], {
      attempts: () => {
        queueMicrotask(() => seen.push(it.made.isSilent))
        return []
      },
    })
    await it.atEnd
    await it.stop()
    expect(seen).toEqual([false, false, true, false])
  })

  test('that are under way when the machine wakes are asked again at once', async () => {
    const it = loop([])
    await it.atEnd
    it.made.hurry()
    await turn()
    await it.stop()
    expect(it.polls).toHaveLength(2)
  })

  test('that could take nothing are asked again as soon as there is room', async () => {
    let capacity = 0
    const it = loop([], { capacity: () => capacity })
    await it.atEnd
    capacity = 2
    it.made.wake()
    await turn()
    it.made.wake()
    await turn()
    await it.stop()
    expect(it.polls.map((poll) => poll.capacity)).toEqual([0, 2])
  })
})
