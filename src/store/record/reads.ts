import type { SessionKey, SubagentKey } from '../../domain/ids'
import { subagentKey } from '../../domain/ids'
import { answerConsumedBy, type ChainedLine, consumedBy } from '../../domain/session/consumed'
import { foldRuns } from '../../domain/subagent/run-fold'
import type { RunNotice } from '../../domain/subagent/subagent-run'
import { uuidBytes, uuidText } from '../../util/uuid'
import { first, type Program, rows, run } from '../sql/program'
import { readMarks } from './runs'

/** Runs looked at for one batch of lines, the newest first: those before whose notice nobody went on stay few. */
const RUNS_AT_ONCE = 50
/** Lines after a notice among which the model's is looked for. */
const LINES_AFTER = 300
/** What stands beside a line may have an earlier time. Milliseconds. */
const SLACK_MS = 5_000

/** Types of events that are the model's own words. An error that the CLI writes in its place is none. */
const MODEL_TYPES: ReadonlySet<string> = new Set(['text', 'thinking', 'tool_call'])

interface Waiting {
  subagent_id: number
  number: number
  native_id: string
}

/** Notes which results the session's lines show to be consumed; returns the ids of the sub-agents whose they are. */
export function* settleReads(session: SessionKey): Program<string[]> {
  const waiting = yield* rows<Waiting>(
    `select r.subagent_id, r.number, a.native_id from subagent_runs r join subagents a on a.id = r.subagent_id
      where r.session_id = ? and r.read_at is null and r.notice_uuid is not null
      order by r.noticed_at desc, r.subagent_id, r.number limit ?`,
    session,
    RUNS_AT_ONCE,
  )
  const read = new Set<string>()
  for (const one of waiting) if (yield* settle(session, one)) read.add(one.native_id)
  return [...read]
}

function* settle(session: SessionKey, { subagent_id, number }: Waiting): Program<boolean> {
  const marks = yield* readMarks(subagentKey(subagent_id))
  const notices = foldRuns(marks).find((one) => one.number === number)?.notices ?? []
  let read: { at: number; kind: RunNotice['kind'] } | undefined
  for (const notice of notices) {
    const by = yield* readBy(session, notice)
    if (by && (read === undefined || by.at < read.at)) read = { at: by.at, kind: notice.kind }
  }
  if (!read) return false
  yield* run(
    'update subagent_runs set read_at = ?, read_evidence = ? where subagent_id = ? and number = ?',
    read.at,
    read.kind,
    subagent_id,
    number,
  )
  return true
}

interface Line {
  uuid: Uint8Array
  parent_uuid: Uint8Array | null
  role: string
  type: string
  at: number
}

interface StandingLine extends Line {
  /** The node in whose conversation it stands; `null` = the main thread. */
  subagent_id: number | null
}

function* lineAt(session: SessionKey, uuid: Uint8Array): Program<StandingLine | undefined> {
  return yield* first<StandingLine>(
    'select uuid, parent_uuid, role, type, at, subagent_id from conversation_events where session_id = ? and uuid = ?',
    session,
    uuid,
  )
}

/** The model's line that has read a notice, on the branch of the node in whose conversation it stands. */
export function* readBy(session: SessionKey, { line, kind }: RunNotice): Program<ChainedLine | null> {
  const stands = yield* lineAt(session, uuidBytes(line))
  if (!stands) return null
  const node = stands.subagent_id === null ? null : subagentKey(stands.subagent_id)
  const following = (yield* linesSince(session, node, stands.at - SLACK_MS)).map(chained)
  if (kind === 'notice' || stands.parent_uuid === null) return consumedBy(line, following)
  const call = yield* firstCall(session, stands.parent_uuid, stands.at)
  // The chain to the answer that the model went on from leads over the calls, which an agent's answer comes long after.
  const calls = yield* linesSince(session, node, call.at - SLACK_MS, CALLS_AT_ONCE)
  return answerConsumedBy(uuidText(call.uuid), chained(stands), [...calls.map(chained), ...following])
}

/** Lines of one message of the model that are gone up. */
const CALLS_AT_ONCE = 100

/** The first line of the model's message that made a call: calls made at once follow each other, and may be answered in any order. */
function* firstCall(session: SessionKey, call: Uint8Array, at: number): Program<{ uuid: Uint8Array; at: number }> {
  let top = { uuid: call, at }
  let line = yield* lineAt(session, call)
  if (line) top = line
  for (let steps = 0; steps < CALLS_AT_ONCE && line?.parent_uuid; steps++) {
    const above: StandingLine | undefined = yield* lineAt(session, line.parent_uuid)
    if (!above || !chained(above).isModel) break
    top = above
    line = above
  }
  return top
}

function* linesSince(session: SessionKey, node: SubagentKey | null, at: number, limit = LINES_AFTER): Program<Line[]> {
  const select = 'select uuid, parent_uuid, role, type, at from conversation_events where session_id = ?'
  const order = 'and at >= ? order by at, id limit ?'
  if (node === null) return yield* rows<Line>(`${select} and subagent_id is null ${order}`, session, at, limit)
  return yield* rows<Line>(`${select} and subagent_id = ? ${order}`, session, node, at, limit)
}

const chained = (line: Line): ChainedLine => ({
  uuid: uuidText(line.uuid),
  parentUuid: line.parent_uuid === null ? null : uuidText(line.parent_uuid),
  isModel: line.role === 'assistant' && MODEL_TYPES.has(line.type),
  at: Number(line.at),
})
