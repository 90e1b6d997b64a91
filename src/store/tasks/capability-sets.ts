import type { AgentName } from '../../domain/ids'
import { type Able, meets } from '../../domain/machine/needs'
import { type CliHolder, chooseCli } from '../../domain/task/agent-choice'
import type { TaskRow } from '../../domain/task/task-store'
import { sha256Hex } from '../../util/crypto'
import { toJson } from '../sql/columns'
import type { Program } from '../sql/program'
import { statement } from '../sql/statement'

/** The row of the empty set, which the migration made. */
const EMPTY_SET = 0

const FIND = statement<{ digest: string }>()((db, param) =>
  db.selectFrom('capability_sets').select('id').where('digest', '=', param('digest')),
)
const INSERT = statement<{ digest: string; capabilities: string; clis: string; share: string }>()((db, param) =>
  db
    .insertInto('capability_sets')
    .values({
      digest: param('digest'),
      capabilities: param('capabilities'),
      clis: param('clis'),
      share: param('share'),
    })
    .onConflict((conflict) => conflict.column('digest').doNothing()),
)

/** A set as its row has it. */
export function digestOfSet(asked: AskedSet) {
  const capabilities = toJson(asked.requiredCapabilities)
  const clis = toJson(asked.neededClis)
  const share = asked.share ?? ''
  return { digest: sha256Hex(capabilities, clis, share), capabilities, clis, share }
}

/** What of a task says in which set it is. Capabilities are sorted. */
export type AskedSet = Pick<TaskRow, 'requiredCapabilities' | 'neededClis' | 'share'>

export const isEmptySet = ({ requiredCapabilities, neededClis, share }: AskedSet): boolean =>
  requiredCapabilities.length + neededClis.length === 0 && (share ?? '') === ''

/** Finds or makes the set's row. */
export function* capabilitySet(asked: AskedSet): Program<number> {
  if (isEmptySet(asked)) return EMPTY_SET
  const row = digestOfSet(asked)
  const found = yield* FIND.first({ digest: row.digest })
  if (found) return found.id
  return (yield* INSERT.insert(row)) ?? (yield* capabilitySet(asked))
}

/** A set that open tasks ask for: of the pool (`open_to` 0), or of one agent. */
export interface OpenSet {
  open_to: number
  capability_set: number
  /** JSON. */
  capabilities: string
  /** JSON: of these agent CLIs one, the best first. */
  clis: string
  /** Their share, as `shareText` writes it; '' = none. */
  share: string
}

/**
 * A common table `open_sets`: the sets that open tasks ask for, of the pool and of one agent (the parameter: its key). A loose
 * scan of the index `tasks_open`, one look-up for each set, however many tasks ask for it. Its last rows have no set.
 */
export const OPEN_SETS = openSets('select cast(? as bigint) as open_to union all select 0')
/** The same without the pool. */
export const OWN_SETS = openSets('select cast(? as bigint) as open_to')
/** The same for the pool and for every agent, with no parameter: a loose scan of the same index finds the assignees. */
export const ALL_SETS = `open_lanes(open_to) as (
    select (select t.open_to from tasks t where t.open_to is not null order by t.open_to limit 1)
    union all
    select (select t.open_to from tasks t where t.open_to > l.open_to order by t.open_to limit 1)
      from open_lanes l where l.open_to is not null
  ), ${openSets('select open_to from open_lanes where open_to is not null')}`

function openSets(lanes: string): string {
  return `open_sets(open_to, capability_set) as (
    select p.open_to,
        (select t.capability_set from tasks t where t.open_to = p.open_to order by t.capability_set limit 1)
      from (${lanes}) as p
    union all
    select s.open_to, (select t.capability_set from tasks t
                        where t.open_to = s.open_to and t.capability_set > s.capability_set
                        order by t.capability_set limit 1)
      from open_sets s where s.capability_set is not null
  )`
}

/** Whether an agent may take tasks that ask for the set. */
export function isCapable(agent: CliHolder & Able, set: Pick<OpenSet, 'capabilities' | 'clis'>, now: number): boolean {
  const needed = set.clis === '[]' ? [] : (JSON.parse(set.clis) as AgentName[])
  if (chooseCli(needed, agent, now) === undefined) return false
  if (set.capabilities === '[]') return true
  return (JSON.parse(set.capabilities) as string[]).every((need) => meets(agent, need))
}
