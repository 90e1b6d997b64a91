import { type RawBuilder, sql } from 'kysely'
import { type AttemptId, type QuestionId, type TaskId, toolUseId } from '../../../domain/ids'
import { alwaysRules } from '../../../domain/policy/always-rule'
import { dangersOf } from '../../../domain/policy/danger'
import type { Page, PageRequest } from '../../../domain/port'
import type { Question } from '../../../domain/task/task'
import type { QuestionFilter } from '../../../domain/task/task-store'
import { isTaskOf } from '../../of-agent-cli'
import { pick } from '../../sql/columns'
import { checkLimit, decodeCursor, encodeCursor } from '../../sql/cursor'
import { isoTime, type ReadContext } from '../../sql/read-context'
import { QUESTION } from '../rows'

interface ShownQuestion {
  sortKey: number
  taskId: TaskId
  attemptId: AttemptId
  /** The id of its task. */
  dir: string | null
}

/** The newest first. */
export async function listQuestions(
  context: ReadContext,
  filter: QuestionFilter,
  page: PageRequest,
): Promise<Page<Question>> {
  const limit = checkLimit(page.limit)
  const conditions: RawBuilder<unknown>[] = [sql`1 = 1`]
  if (filter.taskId !== undefined)
    conditions.push(sql`q.task_id = (select id from tasks where public_id = ${filter.taskId})`)
  if (filter.agent !== undefined) conditions.push(isTaskOf('t', filter.agent))
  if (filter.status !== undefined) conditions.push(sql`q.status = ${filter.status}`)
  if (page.cursor !== undefined) conditions.push(sql`q.id < ${decodeCursor(page.cursor, filter, ['number'])[0]}`)
  const rows = await selectQuestions(
    context,
    sql`${sql.join(conditions, sql` and `)} order by q.id desc limit ${limit + 1}`,
  )
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { rows: shown.map(toQuestion), nextCursor: last === undefined ? null : encodeCursor(filter, [last.sortKey]) }
}

export async function findQuestion(context: ReadContext, id: QuestionId): Promise<Question | undefined> {
  const rows = await selectQuestions(context, sql`q.public_id = ${id}`)
  return rows[0] && toQuestion(rows[0])
}

export async function selectQuestions({ db }: ReadContext, where: RawBuilder<unknown>): Promise<ShownQuestion[]> {
  const { rows } = await sql<ShownQuestion>`
    select ${sql.raw(QUESTION.select('q'))}, q.id as "sortKey", t.public_id as "taskId", a.public_id as "attemptId", t.dir as "dir"
      from questions q join tasks t on t.id = q.task_id join attempts a on a.id = q.attempt_id where ${where}
  `.execute(db)
  return rows
}

/** What a question shows as its row has it. */
const ALIKE = QUESTION.names(
  'attemptKey',
  'taskKey',
  'toolUseId',
  'input',
  'deadline',
  'behavior',
  'message',
  'askedAt',
  'answeredAt',
  'isTaken',
  'callHash',
) satisfies readonly (keyof Question)[]

export function toQuestion(selected: ShownQuestion): Question {
  const row = QUESTION.read(selected)
  const input = parseInput(row.input)
  return {
    ...pick(row, ALIKE),
    taskId: row.taskId,
    attemptId: row.attemptId,
    toolUseId: row.toolUseId === null ? null : toolUseId(row.toolUseId),
    input,
    dangers: dangersOf(row.toolName, input, row.isCut),
    alwaysRules: alwaysRules(row.toolName, input, row.isCut, row.dir),
    deadline: isoTime(row.deadline),
    answer: row.behavior === null ? null : { behavior: row.behavior, message: row.message },
    askedAt: isoTime(row.askedAt),
    answeredAt: isoTime(row.answeredAt),
  }
}

/** What was cut is JSON no longer: its text then. */
function parseInput(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
