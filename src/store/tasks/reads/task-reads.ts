import { sql } from 'kysely'
import { taskId } from '../../../domain/ids'
import type { TaskStatus } from '../../../domain/task/task'
import type { TaskReads } from '../../../domain/task/task-store'
import { gather } from '../../../util/gather'
import { checkLimit } from '../../sql/cursor'
import { programDriver } from '../../sql/program-driver'
import { isoTime, type ReadContext } from '../../sql/read-context'
import { kinship } from '../kinship'
import { issueOf } from '../served-issues'
import { toTask } from '../shown'
import {
  findAgent,
  findAgentRow,
  findAgentsByToken,
  instructionsFor,
  instructionsOf,
  knowingAgents,
  listAgents,
} from './agents'
import { findAttemptsByToken, listAttempts } from './attempts'
import { findIssue, listIssues } from './issues'
import { findPlan } from './plans'
import { findQuestion, listQuestions } from './questions'
import { countOpenFor, standing } from './standing'
import { isSweepDue } from './sweep-due'
import { isChildOf, listTasks, selectShown } from './tasks'
import { taskTree } from './tree'
import { hasWork } from './work'

/** Ids that a prefix may match before it is called ambiguous without saying them all. */
const PREFIX_MATCHES = 20
/** Sorts after every character that an id has. */
const LAST_CHARACTER = '\u{10ffff}'

/** Reads tasks and what belongs to them. */
export function taskReads(context: ReadContext): TaskReads {
  const { db } = context
  const drive = programDriver(db)
  return {
    list: (filter, page, order, textLimit) => listTasks(context, filter, page, order ?? 'newest', textLimit),

    async find(id) {
      const rows = await selectShown(context, [sql`t.public_id = ${id}`], sql`t.id`)
      return rows[0] && toTask(rows[0])
    },

    async matchPrefix(prefix) {
      if (prefix === '') return []
      const rows = await db
        .selectFrom('tasks')
        .select('public_id')
        .where('public_id', '>=', taskId(prefix))
        .where('public_id', '<', taskId(prefix + LAST_CHARACTER))
        .orderBy('public_id')
        .limit(PREFIX_MATCHES)
        .execute()
      return rows.map((row) => taskId(row.public_id))
    },

    attempts: (id) => listAttempts(context, id),

    async children(id) {
      return (await selectShown(context, [isChildOf(id)], sql`t.id`)).map(toTask)
    },

    instructions: (id) => instructionsOf(context, id),
    instructionsFor: (id) => instructionsFor(context, id),

    standing: (of, limit) => standing(context, of, limit),
    countOpenFor: (address) => countOpenFor(context, address),

    findPlan: (id) => findPlan(context, id),

    tree: (id, textLimit) => taskTree(context, id, textLimit),

    ...kinship(context.capabilities, drive),

    async log(id, after, limit) {
      const rows = await db
        .selectFrom('task_log as l')
        .select(['l.id', 'l.at', 'l.attempt', 'l.kind', 'l.text'])
        .where('l.task_id', '=', (eb) => eb.selectFrom('tasks as t').select('t.id').where('t.public_id', '=', id))
        .where('l.id', '>', after)
        .orderBy('l.id')
        .limit(checkLimit(limit, 10_000))
        .execute()
      return rows.map((row) => ({ ...row, at: isoTime(row.at) }))
    },

    async hasOpen() {
      const row = await db
        .selectFrom('tasks')
        .select('id')
        .where('status', 'in', ['backlog', 'unassigned', 'pending', 'in_progress', 'paused'])
        .limit(1)
        .executeTakeFirst()
      if (row !== undefined) return true
      // The run of a task that has ended may still be ending, and its worker may be gone.
      const live = await db
        .selectFrom('attempts')
        .select('id')
        .where('ended_at', 'is', null)
        .limit(1)
        .executeTakeFirst()
      return live !== undefined
    },

    isSweepDue: (lookMs, awayMs) => isSweepDue(context, lookMs, awayMs),

    async countByStatus() {
      const rows = await db
        .selectFrom('tasks')
        .select(['status', (eb) => eb.fn.countAll<number>().as('count')])
        .groupBy('status')
        .execute()
      return counts(rows)
    },

    agents: () => listAgents(context),
    findAgent: (idOrName) => findAgent(context, idOrName),
    isAgent: knowingAgents(context),
    agentByToken: gather((hashes: Uint8Array[]) => findAgentsByToken(context, hashes)),
    agentRow: (id) => findAgentRow(context, id),
    attemptByToken: gather((hashes: Uint8Array[]) => findAttemptsByToken(context, hashes)),
    hasWork: (agent, attempts, canClaim, now, isAssignedOnly) =>
      hasWork(context, agent, { attempts, canClaim, now, isAssignedOnly: isAssignedOnly === true }),

    questions: (filter, page) => listQuestions(context, filter, page),
    findQuestion: (id) => findQuestion(context, id),
    findIssue: (id) => findIssue(context, id),
    issueOf: (task) => drive(issueOf(task)),
    issues: (filter, page) => listIssues(context, filter, page),

    async epicCounts(id) {
      const rows = await db
        .selectFrom('tasks')
        .select(['status', (eb) => eb.fn.countAll<number>().as('count')])
        .where('epic_id', '=', id)
        .groupBy('status')
        .execute()
      return counts(rows)
    },
  }
}

const counts = (rows: { status: TaskStatus; count: number }[]): Partial<Record<TaskStatus, number>> =>
  Object.fromEntries(rows.map(({ status, count }) => [status, count]))
