import { type AgentId, type AgentName, sessionId, type TaskId, type TaskKey, toolUseId } from '../../domain/ids'
import { shownWork } from '../../domain/overview/shown-status'
import type { ShownTaskStatus, Task, TaskStatus } from '../../domain/task/task'
import type { TaskRow } from '../../domain/task/task-store'
import { pick } from '../sql/columns'
import { perDialect, type TaskDialect } from '../sql/dialect'
import { first, type Program } from '../sql/program'
import { isoTime } from '../sql/read-context'
import { TASK } from './rows'
import type { ReadTasks } from './writes/read-tasks'

/** What other tables say of a task. */
export interface TaskLinks {
  agentId: AgentId | null
  agentName: string | null
  agentCli: AgentName | null
  creatorAgentId: AgentId | null
  offeredTo: AgentId | null
  offerExpiresAt: number | null
  /** JSON. */
  dependsOn: string
  project: string | null
  specialist: string | null
  hasQuestion: number
}

/** Statuses of tasks that are still to be taken, or to go on; with an offer they are shown as offered. */
export const WAITING_STATUSES = ['backlog', 'unassigned', 'pending', 'paused'] as const satisfies TaskStatus[]

/** 1 = a run of the task `t` asked a person and has no answer yet. */
export const HAS_QUESTION = `case when t.status = 'in_progress' and exists (select 1 from questions q
  where q.task_id = t.id and q.status = 'open') then 1 else 0 end`

/** The tables that `shownColumns` reads. */
export const SHOWN_FROM = `tasks t
  left join agents g on g.id = t.agent_id
  left join agents c on c.id = t.creator_agent_id
  left join offers o on o.task_id = t.id
  left join agents f on f.id = o.agent_id`

/**
 * The project in which a task `t` works: that of its conversation, else the nearest one around the folder asked for.
 * @param column  `root` or `id` of it
 */
export const projectOf = (column: 'root' | 'id'): string => `coalesce(
  (select p.${column} from sessions s join projects p on p.id = s.project_id
    where s.native_id = t.last_session_native_id limit 1),
  case when t.dir is not null then (select p.${column} from projects p
    where p.root = t.dir or substr(t.dir, 1, length(p.root) + 1) = p.root || '/'
    order by length(p.root) desc, p.id limit 1) end)`

const linkColumns = (db: Pick<TaskDialect, 'list'>): string => `
  g.public_id as "agentId", g.name as "agentName",
  (select a.agent_cli from attempts a where a.task_id = t.id and a.number = t.attempt_count) as "agentCli", c.public_id as "creatorAgentId", f.public_id as "offeredTo",
  o.expires_at as "offerExpiresAt", ${HAS_QUESTION} as "hasQuestion", ${projectOf('root')} as project,
  (select s.name from agents s where s.public_id = t.specialist) as specialist,
  (select ${db.list('n.public_id', 'n.id')} from task_dependencies d join tasks n on n.id = d.depends_on
    where d.task_id = t.id) as "dependsOn"`

/** Columns of a select from `SHOWN_FROM`, for `toTask`. @param without  as of `Columns.select` */
export const shownColumns = (db: Pick<TaskDialect, 'list'>, without: readonly (keyof TaskRow)[] = []): string =>
  `${TASK.select('t', without)},${linkColumns(db)}`

export function* shown(db: TaskDialect, read: ReadTasks, key: TaskKey): Program<Task> {
  const known = read.get(key)
  const row = yield* first<object>(known === undefined ? SHOWN(db) : LINKS(db), key)
  if (row === undefined) throw new Error(`there is no task with the key ${key}`)
  return known === undefined ? toTask(row) : shownTask(known, row as TaskLinks)
}

const SHOWN = perDialect((db) => `select ${shownColumns(db)} from ${SHOWN_FROM} where t.id = ?`)
const LINKS = perDialect((db) => `select ${linkColumns(db)} from ${SHOWN_FROM} where t.id = ?`)

/** A row of `shownColumns`, as the API gives it. */
export function toTask(selected: object): Task {
  const row = TASK.read(selected as TaskRow & TaskLinks)
  return shownTask(row, row)
}

/** What a task shows as its row has it. */
const ALIKE = TASK.names(
  'key',
  'text',
  'agentKey',
  'creatorAgentKey',
  'parentKey',
  'depth',
  'unmetCount',
  'spawnedSessionId',
  'spawnedToolUseId',
  'lastSessionId',
  'nextSessionId',
  'startRung',
  'isWorktree',
  'worktreeBase',
  'triesUsed',
  'lostCount',
  'replyTo',
  'onChildDone',
  'specialistId',
  'share',
) satisfies readonly (keyof Task)[]

/** A task as the API gives it. */
export function shownTask(row: TaskRow, links: TaskLinks): Task {
  return {
    // What a person looks for first comes first.
    ...pick(row, ['id', 'title']),
    task: row.text,
    ...pick(row, ALIKE),
    status: shownStatus(row.status, {
      isOffered: links.offeredTo !== null,
      hasQuestion: Number(links.hasQuestion) === 1,
    }),
    project: links.project,
    agentId: links.agentId,
    agentName: links.agentName,
    agentCli: links.agentCli,
    creatorAgentId: links.creatorAgentId,
    offeredTo: links.offeredTo,
    offerExpiresAt: isoTime(links.offerExpiresAt),
    dependsOn: JSON.parse(links.dependsOn) as TaskId[],
    specialist: links.specialist,
    spawnedBy:
      row.spawnedSessionId === null
        ? null
        : {
            sessionId: sessionId(row.spawnedSessionId),
            toolUseId: row.spawnedToolUseId === null ? null : toolUseId(row.spawnedToolUseId),
          },
    claudeSessionId: row.nextSessionId ?? row.lastSessionId,
    progressAt: isoTime(row.progressAt),
    notBefore: isoTime(row.notBefore),
    worktree: row.isWorktree ? { base: row.worktreeBase } : null,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
    startedAt: isoTime(row.startedAt),
    finishedAt: isoTime(row.finishedAt),
  }
}

/** The status that a task shows. SQL filters go by `isShownAs` (`reads/tasks.ts`). */
export const shownStatus = (
  status: TaskStatus,
  { isOffered, hasQuestion }: { isOffered: boolean; hasQuestion: boolean },
): ShownTaskStatus =>
  isOffered && (WAITING_STATUSES as readonly TaskStatus[]).includes(status) ? 'offered' : shownWork(status, hasQuestion)
