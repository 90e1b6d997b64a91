import { type RawBuilder, sql } from 'kysely'
import type { CostRequest } from '../../domain/cost'
import { treeId } from '../../domain/tree-id'
import { isoTime, type ReadContext } from '../read-context'
import type { Projects } from '../tree-levels/projects'
import { MESSAGE_SUMS, type MessageSums, ONE_MESSAGE, selectMessages } from './message-sums'
import { type TaskSpan, taskAt } from './task-spans'

/** Sums with what they are of: a text, or the key of a session or task, which is named later; `null` = of none. */
export type Grouped = MessageSums & { of: string | number | null }

/** What groupings look things up in. */
export interface CostFacts {
  projects: Projects
  spans: ReadonlyMap<number, TaskSpan[]>
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** Sums of the messages by what is asked for. */
export async function groupMessages(
  context: ReadContext,
  request: Pick<CostRequest, 'by' | 'utcOffset'>,
  where: RawBuilder<unknown>,
  { projects, spans }: CostFacts,
): Promise<Grouped[]> {
  const select = async <Key>(of: string, joins = '') =>
    await selectMessages<{ of: Key }>(context, `${of} as of, ${MESSAGE_SUMS}`, { joins, where, groupBy: of })
  switch (request.by) {
    case 'project':
      return (await select<number | null>('s.project_id', 'join sessions s on s.id = u.session_id')).map((row) => ({
        ...row,
        of: projects.ofRow(row.of),
      }))
    case 'day': {
      const shifted = `(u.at + ${Math.trunc(request.utcOffset) * MINUTE_MS})`
      // Rounded down before 1970 as well.
      const day = `(${shifted} - case when ${shifted} < 0 then ${DAY_MS - 1} else 0 end) / ${DAY_MS}`
      return (await select<number | null>(day)).map((row) => ({ ...row, of: row.of === null ? null : dayOf(row.of) }))
    }
    case 'model':
      return await select<string>('u.model')
    case 'subagent':
      return await byAgent(context, await select<number>('u.subagent_id'))
    case 'session':
      return await select<number>('u.session_id')
    case 'task':
      return await byTask(context, where, spans)
  }
}

const dayOf = (day: number): string => isoTime(day * DAY_MS).split('T')[0] ?? ''

/** Under `main`, `internal` (the CLI's own), or `agent:` with the type that it was launched as. To join each message was slower. */
async function byAgent({ db, capabilities }: ReadContext, rows: readonly (MessageSums & { of: number })[]) {
  const agents = await db
    .selectFrom('subagents')
    .select(['id', 'kind', 'type'])
    .where((eb) => capabilities.inKeys(eb.ref('id'), [...new Set(rows.map(({ of }) => of))]))
    .execute()
  const keys = new Map(agents.map(({ id, kind, type }) => [id, kind === 'internal' ? kind : `${kind}:${type ?? ''}`]))
  return rows.map((row) => ({ ...row, of: row.of === 0 ? 'main' : (keys.get(row.of) ?? 'agent:') }))
}

/** Sessions of one task are added up whole; of those that went through several each message is looked at. */
async function byTask(
  context: ReadContext,
  where: RawBuilder<unknown>,
  spans: ReadonlyMap<number, TaskSpan[]>,
): Promise<Grouped[]> {
  const shared = [...spans].filter(([, all]) => all.length > 1).map(([key]) => key)
  const isShared = context.capabilities.inKeys(sql.ref<number>('u.session_id'), shared)
  const whole = await selectMessages<{ of: number }>(context, `u.session_id as of, ${MESSAGE_SUMS}`, {
    joins: '',
    where: shared.length === 0 ? where : sql`${where} and not ${isShared}`,
    groupBy: 'u.session_id',
  })
  const parts =
    shared.length === 0
      ? []
      : await selectMessages<{ of: number }>(context, `u.session_id as of, ${ONE_MESSAGE}`, {
          joins: '',
          where: sql`${where} and ${isShared}`,
          groupBy: null,
        })
  const taskOf = (session: number, at: number | null) => taskAt(spans.get(session) ?? [], at) ?? null
  return [
    ...whole.map((row) => ({ ...row, of: taskOf(row.of, null) })),
    ...parts.map((row) => ({ ...row, of: taskOf(row.of, row.last_at) })),
  ]
}

/** A row's key as it is told, where it needs no look-up. */
export function keyOf(by: CostRequest['by'], of: string | number | null): string {
  if (by === 'project') return treeId({ kind: 'project', key: of === null ? null : String(of) })
  return of === null ? '' : String(of)
}
