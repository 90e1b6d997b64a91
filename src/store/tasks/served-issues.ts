/** Which tasks serve which issues: programs for units, reads and hooks; `domain/task/task-issue.ts` decides. */
import { type IssueId, type IssueKey, issueKey, type TrackerKey, taskId, trackerKey } from '../../domain/ids'
import type { Issue, Task, TaskStatus } from '../../domain/task/task'
import { issuesMeant, type ServedIssue, type TaskAtWork, type TaskPlace } from '../../domain/task/task-issue'
import type { TaskRow } from '../../domain/task/task-store'
import { perDialect, type TaskDialect } from '../sql/dialect'
import { first, type Program, rows } from '../sql/program'
import { ISSUE_COLUMNS, TASK } from './rows'
import { HAS_QUESTION, projectOf, shownStatus } from './shown'

/** Parameters of one statement. */
const PARAMETERS_PER_STATEMENT = 500
/** Tasks of one id that are looked at, the newest: somebody may have dispatched an issue again and again, in several projects. */
const LOOKED_AT = 500

/** Columns of a task `t` that say where it works. */
export const PLACE_COLUMNS = `t.dir as dir, ${projectOf('root')} as project`

interface Candidate {
  key: IssueKey
  tracker: TrackerKey
  path: string | null
}

/** All issues with these ids, by id. */
function* issuesWithIds(ids: readonly string[]): Program<Map<string, Candidate[]>> {
  const found = new Map<string, Candidate[]>()
  for (let at = 0; at < ids.length; at += PARAMETERS_PER_STATEMENT) {
    const some = ids.slice(at, at + PARAMETERS_PER_STATEMENT)
    const issues = yield* rows<{ key: number; id: string; tracker: number; path: string | null }>(
      `select i.id as "key", i.public_id as id, i.tracker_id as tracker, k.path as path
        from issues i join trackers k on k.id = i.tracker_id
        where i.public_id in (${some.map(() => '?').join(', ')}) and i.is_deleted = 0 order by i.tracker_id`,
      ...some,
    )
    for (const { key, id, tracker, path } of issues) {
      const same = found.get(id) ?? []
      same.push({ key: issueKey(Number(key)), tracker: trackerKey(Number(tracker)), path })
      found.set(id, same)
    }
  }
  return found
}

const AT_WORK = `select t.public_id as id, t.issue_id as issue, g.name as "agentName", ${PLACE_COLUMNS}
  from tasks t left join agents g on g.id = t.agent_id
  where t.status = 'in_progress' and t.issue_id is not null order by t.id`

/** The newest task that is at work on each issue with one of these ids. Few tasks are at work at a time, and few of them for issues. */
export function* tasksAtWork(ids: ReadonlySet<IssueId>): Program<Map<IssueKey, TaskAtWork>> {
  const all = yield* rows<TaskPlace & { id: string; issue: IssueId; agentName: string | null }>(AT_WORK)
  const tasks = all.filter(({ issue }) => ids.has(issue))
  const candidates = yield* issuesWithIds([...new Set(tasks.map(({ issue }) => issue))])
  const found = new Map<IssueKey, TaskAtWork>()
  for (const { id, issue, agentName, ...place } of tasks)
    for (const { key } of issuesMeant(place, candidates.get(issue) ?? [])) found.set(key, { id: taskId(id), agentName })
  return found
}

const OF_ISSUE = `select t.public_id as id, t.title as title, t.status as status, t.offered_to as "offeredTo", ${HAS_QUESTION} as "hasQuestion", ${PLACE_COLUMNS}
  from tasks t where t.issue_id = ? order by t.id desc limit ${LOOKED_AT}`

/** As `IssueReads.tasks`. */
export function* tasksOfIssue(
  tracker: TrackerKey,
  issue: IssueId,
  limit: number,
): Program<Pick<Task, 'id' | 'title' | 'status'>[]> {
  const tasks = yield* rows<
    TaskPlace & { id: string; title: string; status: TaskStatus; offeredTo: number | null; hasQuestion: number }
  >(OF_ISSUE, issue)
  const ours = yield* thoseOf(tracker, issue, tasks)
  return ours.slice(0, limit).map(({ id, title, status, offeredTo, hasQuestion }) => ({
    id: taskId(id),
    title,
    status: shownStatus(status, { isOffered: offeredTo !== null, hasQuestion: Number(hasQuestion) === 1 }),
  }))
}

const OPEN_OF_ISSUE = perDialect(
  (db) => `select ${TASK.select('t')}, ${projectOf('root')} as project from tasks t
    where t.issue_id = ? and t.status not in ('completed', 'failed', 'cancelled')
    order by t.id desc limit ${LOOKED_AT}${db.lock}`,
)

/** As `TaskTx.openOfIssue`. */
export function* openOfIssue(db: TaskDialect, tracker: TrackerKey, issue: IssueId): Program<TaskRow[]> {
  const found = yield* rows<TaskRow & TaskPlace>(OPEN_OF_ISSUE(db), issue)
  const ours = yield* thoseOf(tracker, issue, found)
  return ours.map(({ project: _, ...row }) => TASK.read(row))
}

/** Among tasks for issues with this id, those that mean the tracker's. */
function* thoseOf<T extends TaskPlace>(tracker: TrackerKey, issue: IssueId, tasks: readonly T[]): Program<T[]> {
  if (tasks.length === 0) return []
  const candidates = (yield* issuesWithIds([issue])).get(issue) ?? []
  return tasks.filter((task) => issuesMeant(task, candidates).some((meant) => meant.tracker === tracker))
}

/** As `TaskReads.issueOf`. */
export function* issueOf({
  issueId,
  epicId,
  ...place
}: Pick<Task, 'issueId' | 'epicId' | 'dir' | 'project'>): Program<ServedIssue | undefined> {
  const id = issueId ?? epicId
  if (id === null) return undefined
  const [meant] = issuesMeant(place, (yield* issuesWithIds([id])).get(id) ?? [])
  if (meant === undefined) return undefined
  const found = yield* first<Issue & Record<string, never>>(
    `select ${ISSUE_COLUMNS} from issues i where i.id = ?`,
    meant.key,
  )
  return found && { ...found, key: meant.key }
}
