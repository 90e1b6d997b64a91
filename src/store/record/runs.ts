import type { SessionKey, SubagentKey } from '../../domain/ids'
import type { EndStatus, RunTrigger } from '../../domain/record/observation'
import { foldRuns, markName } from '../../domain/subagent/run-fold'
import { type FoldedRun, MARK_LIMIT, type SubagentMark } from '../../domain/subagent/subagent-run'
import { uuidBytes, uuidText } from '../../util/uuid'
import { type Program, rows, run } from '../sql/program'

interface StoredMark {
  mark: string
  kind: SubagentMark['kind']
  at: number | null
  seen_at: number | null
  status: EndStatus | null
  evidence: string
  tool_use_id: string | null
  trigger_kind: RunTrigger
  result: string | null
  line: Uint8Array | null
}

/** Everything that was said about the runs of a sub-agent. */
export function* readMarks(subagent: SubagentKey): Program<SubagentMark[]> {
  const stored = yield* rows<StoredMark>(
    'select kind, at, seen_at, status, evidence, tool_use_id, trigger_kind, result, line from subagent_marks where subagent_id = ?',
    subagent,
  )
  return stored.map((row) => ({
    kind: row.kind,
    at: row.at,
    seenAt: row.seen_at,
    status: row.status,
    evidence: row.evidence,
    toolUseId: row.tool_use_id,
    trigger: row.trigger_kind,
    result: row.result,
    line: row.line === null ? null : uuidText(row.line),
  }))
}

/** Keeps marks that are not there yet. Returns all that the sub-agent has now, and whether any is new. */
export function* addMarks(
  subagent: SubagentKey,
  said: readonly SubagentMark[],
): Program<{ marks: SubagentMark[]; isNew: boolean }> {
  const marks = yield* readMarks(subagent)
  const names = new Set(marks.map(nameOf))
  const before = marks.length
  for (const mark of said) {
    const name = nameOf(mark)
    if (names.has(name) || marks.length >= MARK_LIMIT) continue
    names.add(name)
    marks.push(mark)
    yield* run(
      `insert into subagent_marks (subagent_id, mark, kind, at, seen_at, status, evidence, tool_use_id, trigger_kind, result, line)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (subagent_id, mark) do nothing`,
      subagent,
      name,
      mark.kind,
      mark.at,
      mark.seenAt,
      mark.status,
      mark.evidence,
      mark.toolUseId,
      mark.trigger,
      mark.result,
      mark.line === null ? null : uuidBytes(mark.line),
    )
  }
  return { marks, isNew: marks.length > before }
}

/** The same line read as a whole and in part has results of different lengths: both are kept, and the fold takes the longer. */
const nameOf = (mark: SubagentMark): string => `${markName(mark)} ${mark.result?.length ?? ''}`

/** Calls that continued an agent: they launched nothing, whatever source takes them for a launch. */
export function continuingCalls(marks: readonly SubagentMark[]): ReadonlySet<string> {
  const calls = marks.flatMap((mark) => (mark.trigger === 'message' && mark.toolUseId !== null ? mark.toolUseId : []))
  return new Set(calls)
}

interface StoredRun {
  number: number
  tool_use_id: string | null
  notice_uuid: Uint8Array | null
  read_at: number | null
  read_evidence: string | null
  manifest_state: string | null
}

/**
 * Writes the rows of a sub-agent's runs. A run that is found to be another number (an earlier one became known) takes along what
 * was noted of it: it is known by its call. A reading is found anew where the notice turned out to be another line.
 */
export function* writeRuns(session: SessionKey, subagent: SubagentKey, marks: readonly SubagentMark[]): Program<void> {
  const folded = foldRuns(marks)
  const stored = yield* rows<StoredRun>(
    'select number, tool_use_id, notice_uuid, read_at, read_evidence, manifest_state from subagent_runs where subagent_id = ?',
    subagent,
  )
  if (stored.length > folded.length)
    yield* run('delete from subagent_runs where subagent_id = ? and number > ?', subagent, folded.length)
  for (const one of folded) yield* writeRun(session, subagent, one, formerOf(stored, one))
}

function formerOf(stored: readonly StoredRun[], now: FoldedRun): StoredRun | undefined {
  const sameCall = now.toolUseId === null ? undefined : stored.find((row) => row.tool_use_id === now.toolUseId)
  // Another call's run that had this number is no former self of this one.
  return sameCall ?? stored.find((row) => row.number === now.number && row.tool_use_id === null)
}

function* writeRun(
  session: SessionKey,
  subagent: SubagentKey,
  now: FoldedRun,
  former: StoredRun | undefined,
): Program<void> {
  const [notice] = now.notices
  const isSameNotice = former?.notice_uuid != null && uuidText(former.notice_uuid) === notice?.line
  yield* run(
    `insert into subagent_runs (subagent_id, number, session_id, trigger_kind, tool_use_id, started_at, ended_at, status, evidence,
       result, notice_uuid, noticed_at, read_at, read_evidence, manifest_state)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (subagent_id, number) do update set trigger_kind = excluded.trigger_kind, tool_use_id = excluded.tool_use_id,
       started_at = excluded.started_at, ended_at = excluded.ended_at, status = excluded.status, evidence = excluded.evidence,
       result = excluded.result, notice_uuid = excluded.notice_uuid, noticed_at = excluded.noticed_at, read_at = excluded.read_at,
       read_evidence = excluded.read_evidence, manifest_state = excluded.manifest_state`,
    subagent,
    now.number,
    session,
    now.trigger,
    now.toolUseId,
    now.startedAt,
    now.endedAt,
    now.status,
    now.evidence,
    now.result,
    notice ? uuidBytes(notice.line) : null,
    notice?.at ?? null,
    isSameNotice ? former.read_at : null,
    isSameNotice ? former.read_evidence : null,
    former?.manifest_state ?? null,
  )
}
