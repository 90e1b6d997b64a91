/** The task that a session's conversation belongs to, for recalls. */
import { issueId, type SessionId, taskId } from '../../domain/ids'
import type { RecalledTask } from '../../domain/recall/recall'
import { first, type Program } from '../sql/program'

/** Characters of a text that no recall shows more of. */
const TEXT = 8_000

/** Along the index by status: few tasks are under way at a time. */
const TASK = `select public_id, title, substr(text, 1, ${TEXT}) as text, status, progress, progress_at, issue_id, epic_id from tasks
  where status in ('in_progress', 'paused') and last_session_native_id = ? order by id desc limit 1`

/** The task whose conversation this is; `undefined` = none that goes on. */
export function* taskOf(session: SessionId): Program<RecalledTask | undefined> {
  const row = yield* first<TaskRow>(TASK, session)
  if (row === undefined) return undefined
  const issue = row.issue_id ?? row.epic_id
  return {
    id: taskId(row.public_id),
    title: row.title,
    text: row.text,
    status: row.status,
    progress: row.progress,
    progressAt: iso(row.progress_at),
    issueId: issue === null ? null : issueId(issue),
  }
}

interface TaskRow {
  public_id: string
  title: string
  text: string
  status: string
  progress: string | null
  progress_at: number | null
  issue_id: string | null
  epic_id: string | null
}

const iso = (at: number | null): string | null => (at === null ? null : new Date(Number(at)).toISOString())
