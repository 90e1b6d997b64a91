import { describe, expect, test } from 'bun:test'
import { AppError } from '../domain/errors'
import { type AttemptId, attemptId } from '../domain/ids'
import type { Assignment, Command, PollAnswer, PollInput } from '../domain/worker-protocol'
import { silentLogger } from '../util/log'
import { PollLoop, type PollLoopOptions } from './poll-loop'

const ID = attemptId('t-00000000.1')
const answer = (more: Partial<PollAnswer> = {}): PollAnswer => ({
  assignments: [],
  commands: [],
  lost: [],
  leaseMs: 15_000,
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
  let silences = 0
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
    onSilence: () => {
      silences++
    },
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
    silences: () => silences,
    atEnd: atEnd.promise,
    async stop() {
      made.stop()
      await run
    },
    run,
  }
}

/** Until what was begun has got as far as it can. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('polls', () => {
  test('renew at the latest every third of a lease, and bring what there is', async () => {
    const cancel: Command = { kind: 'cancel', attemptId: ID, reason: 'no' }
    const assignment = { attemptId: attemptId('t-00000001.1') } as Assignment
    const it = loop([answer({ assignments: [assignment], commands: [cancel], lost: [ID], leaseMs: 9_000 })])
    await it.atEnd
    await it.stop()
    expect(it.polls).toEqual([
      { capacity: 1, attempts: [{ id: ID, generation: 1 }], waitMs: 5_000 },
      { capacity: 1, attempts: [{ id: ID, generation: 1 }], waitMs: 3_000 },
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
    expect(it.silences()).toBe(0)
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

  test('take silence of a whole lease for the loss of all attempts, a refused connection for a server that is down', async () => {
    let now = 0
    const silent = new AppError('unavailable', 'no answer', { cause: new DOMException('timed out', 'TimeoutError') })
    const refused = new AppError('unavailable', 'no answer', {
      cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
    })
    const script = [refused, refused, refused, silent, silent, answer()]
    const it = loop(script, {
      now: () => {
        now += 5_100
        return now
      },
    })
    await it.atEnd
    await it.stop()
    expect(it.silences()).toBe(1)
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
