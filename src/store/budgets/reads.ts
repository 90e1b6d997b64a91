import { sql } from 'kysely'
import { budgetState, periodAt } from '../../domain/budget/budget'
import type { BudgetReads } from '../../domain/budget/budget-store'
import { type AgentName, type TaskId, taskId } from '../../domain/ids'
import { isoTime, type ReadContext } from '../sql/read-context'
import { selectRows } from '../sql/row-statements'
import { findProject, readProjects } from '../tree-levels/projects'
import { BUDGET } from './rows'

/** Tasks that a budget names as waiting for it. */
const MOST_HELD = 1_000
/** Tasks of one tree that are counted. */
const MOST_OF_TREE = 10_000

/** Reads the budgets, and what they mean. */
export function budgetReads(context: ReadContext): BudgetReads {
  const { db } = context
  const rows = async () => (await selectRows(db, BUDGET).orderBy('t.name').execute()).map((row) => BUDGET.read(row))
  return {
    rows,

    async all(now, counts) {
      const [budgets, projects, held] = await Promise.all([rows(), readProjects(context), readHeld(context)])
      const newer = new Map(counts.map(({ key, name: _, ...count }) => [key, { ...count, countedAt: now }]))
      return budgets.map((stored) => {
        const row = { ...stored, ...newer.get(stored.key) }
        const { key: _, extraUntil, usedUntil, overSince: __, countedAt, createdAt, ...budget } = row
        const isOver = usedUntil !== null && usedUntil <= now
        return {
          ...budget,
          extra: extraUntil === null || extraUntil > now ? row.extra : 0,
          used: isOver ? null : row.used,
          projectName: row.project === null ? null : (projects.groups.get(row.project)?.name ?? null),
          state: budgetState(row, now),
          periodUntil: isoTime(periodAt(row, now).until),
          countedAt: isOver ? null : isoTime(countedAt),
          heldTasks: held.get(row.name) ?? [],
          createdAt: isoTime(createdAt),
        }
      })
    },

    async projectKey(given) {
      return findProject(await readProjects(context), given)?.key
    },

    async usageLimits(now) {
      const agents = await db
        .selectFrom('agents')
        .select(['name', 'limited_until as until', 'cli_limits as ofClis'])
        .where((eb) => eb.or([eb('limited_until', '>', now), eb('cli_limits', '<>', '{}')]))
        .orderBy('name')
        .execute()
      return agents.flatMap(({ name: agentName, until, ofClis }) => [
        ...(until !== null && until > now ? [{ agentName, agentCli: null, until: isoTime(until) }] : []),
        ...Object.entries(JSON.parse(ofClis) as Record<string, number>)
          .filter(([, end]) => end > now)
          .map(([cli, end]) => ({ agentName, agentCli: cli as AgentName, until: isoTime(end) })),
      ])
    },

    async tree(task) {
      const { rows: found } = await sql<{ id: TaskId }>`
        with recursive below(key, id) as (
          select id, public_id from tasks where public_id = ${task}
          union
          select t.id, t.public_id from below b join tasks t on t.parent_id = b.key or t.reply_to = b.id
        )
        select id from below limit ${sql.lit(MOST_OF_TREE)}
      `.execute(db)
      return found.map(({ id }) => id)
    },
  }
}

async function readHeld({ db }: ReadContext): Promise<ReadonlyMap<string, TaskId[]>> {
  const rows = await db
    .selectFrom('budget_holds as h')
    .innerJoin('tasks as t', 't.id', 'h.task_id')
    .select(['h.budget', 't.public_id as id'])
    .orderBy('t.id')
    .limit(MOST_HELD)
    .execute()
  const held = new Map<string, TaskId[]>()
  for (const { budget, id } of rows) held.set(budget, [...(held.get(budget) ?? []), taskId(id)])
  return held
}
