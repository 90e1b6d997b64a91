import fc from 'fast-check'
import type { AttemptEnd } from '../../src/domain/task/worker-protocol'

/** Something that somebody does. Numbers choose among what is there. */
export type Step =
  | {
      do: 'create'
      parent: number
      continues: boolean
      on: number[]
      caps: number
      agent: number
      wait: boolean
      late: boolean
      by: number
    }
  | { do: 'poll'; agent: number; capacity: number; forgets: boolean }
  | { do: 'claim'; agent: number; task: number }
  | { do: 'end'; held: number; outcome: AttemptEnd['outcome']; failureClass: AttemptEnd['failureClass'] }
  | { do: 'finish'; held: number; status: 'completed' | 'failed' }
  | { do: 'write'; held: number }
  | { do: 'offer' | 'accept' | 'reject' | 'assign'; task: number; agent: number }
  | {
      do: 'cancel' | 'pause' | 'resume' | 'retry' | 'release' | 'shelve' | 'queue' | 'unassign'
      task: number
      by: number
    }
  | { do: 'depend'; task: number; on: number[] }
  | { do: 'pass'; seconds: number }
  | { do: 'outage'; seconds: number }
  | { do: 'restart'; agent: number; isFormerGone: boolean }

const at = fc.nat(30)
const agent = fc.nat(3)
const by = fc.nat(6)
const some = fc.array(at, { maxLength: 2 })
const outcome = fc.constantFrom('completed', 'failed', 'paused', 'released', 'lost', 'cancelled') as fc.Arbitrary<
  AttemptEnd['outcome']
>
const failureClass = fc.constantFrom(
  null,
  'crash',
  'overloaded',
  'usage_limit',
  'login',
  'prompt_too_long',
  'resume_refused',
  'timeout',
) as fc.Arbitrary<AttemptEnd['failureClass']>
const held = fc.nat(12)

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      parent: fc.nat(60),
      continues: fc.boolean(),
      on: fc.oneof(fc.constant<number[]>([]), some),
      caps: fc.nat(2),
      agent: fc.nat(12),
      wait: fc.boolean(),
      late: fc.nat(5).map((n) => n === 0),
      by,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('poll' as const),
      agent,
      capacity: fc.nat(3),
      forgets: fc.nat(8).map((n) => n === 0),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('claim' as const), agent, task: at }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('end' as const), held, outcome, failureClass }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('finish' as const),
      held,
      status: fc.constantFrom('completed' as const, 'failed' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('write' as const), held }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('offer' as const, 'accept' as const, 'reject' as const, 'assign' as const),
      task: at,
      agent,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'cancel' as const,
        'pause' as const,
        'resume' as const,
        'retry' as const,
        'retry' as const,
        'release' as const,
        'shelve' as const,
        'queue' as const,
        'unassign' as const,
      ),
      task: at,
      by,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('depend' as const), task: at, on: some }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), seconds: fc.constantFrom(1, 3, 16) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('outage' as const), seconds: fc.constantFrom(20, 600) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), agent, isFormerGone: fc.boolean() }) },
)
