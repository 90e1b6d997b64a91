import { sql } from 'kysely'
import { type Cost, UNKNOWN_COST } from '../../../domain/cost/price'
import { subagentId, type ToolUseId, toolUseId } from '../../../domain/ids'
import { signalsAt } from '../../../domain/overview/shown-status'
import type { LinkEvidence } from '../../../domain/record/observation'
import type { Subagent } from '../../../domain/session/session'
import type { StoredSession } from '../../../domain/session/session-store'
import { isoTime, type ReadContext } from '../../sql/read-context'
import { nodeState } from '../run-state'
import { sumUsage } from './usage-totals'

/** Characters of a result that a list shows. */
const RESULT_PREVIEW = 500

/** A session's sub-agents with the node that made the launching tool call, where that call is recorded. */
export function selectSubagents({ db }: ReadContext) {
  return (
    db
      .selectFrom('subagents as a')
      .leftJoin('tool_uses as u', (join) =>
        join.onRef('u.session_id', '=', 'a.session_id').onRef('u.tool_use_id', '=', 'a.tool_use_id'),
      )
      .leftJoin('shell_processes as p', (join) =>
        join.onRef('p.session_id', '=', 'a.session_id').onRef('p.native_id', '=', 'a.native_id'),
      )
      // Not the prompt: it is long, and no list shows it.
      .select([
        'a.id',
        'a.native_id',
        'a.kind',
        'a.tool_use_id',
        'a.evidence',
        'a.parent_native_id',
        'a.depth',
        'a.type',
        'a.description',
        'a.model',
        'a.is_background',
        'a.output_file',
        'a.reported_tokens',
        'a.first_started_at',
        'a.last_started_at',
        'a.end_status',
        'a.end_at',
        'a.end_evidence',
        'a.hook_started_at',
        'a.hook_end_status',
        'a.hook_end_at',
        'a.hook_end_evidence',
        'a.first_event_at',
        'a.last_event_at',
        'a.final_at',
        'a.turn_at',
        'a.event_count',
        'a.tool_call_count',
        'p.state as shell_state',
        'p.at as shell_at',
        'p.process_id as shell_process_id',
        'u.is_error as launch_failed',
        'u.ended_at as launch_ended_at',
        'u.subagent_id as launcher_key',
      ])
      .select(sql<number>`case when u.session_id is null then 0 else 1 end`.as('is_launch_known'))
      .select(
        sql<string | null>`substr(coalesce(a.last_text, a.result, a.hook_result), 1, ${sql.lit(RESULT_PREVIEW)})`.as(
          'result_preview',
        ),
      )
  )
}

export type SubagentRow = Awaited<ReturnType<ReturnType<typeof selectSubagents>['execute']>>[number]

/** In the order in which they were first recorded. Here and not in the query: the database sorted whole rows, texts and all. */
export const inOrder = (rows: SubagentRow[]): SubagentRow[] => rows.sort((a, b) => a.id - b.id)

/** A sub-agent's place among its session's sub-agents. */
export interface NodePlace<Row = SubagentRow> {
  /** The sub-agent that launched it; `undefined` = the main thread, or not known. */
  parent: Row | undefined
  /** 1 = launched by the main thread; `null` while unknown. */
  depth: number | null
}

/** The entry of a sub-agent that is in no tree. */
export const NOWHERE: NodePlace<never> = { parent: undefined, depth: null }

/** What a place is found by. */
export type PlaceColumns = Pick<
  SubagentRow,
  'id' | 'native_id' | 'parent_native_id' | 'depth' | 'is_launch_known' | 'launcher_key'
>

/**
 * Finds each sub-agent's parent: the node that made the launching tool call, else the one that the CLI named. Evidence that
 * leads in a circle (no honest record does) is cut where the circle was found, and that node stands as an orphan.
 */
export function placeNodes<Row extends PlaceColumns>(rows: readonly Row[]): Map<number, NodePlace<Row>> {
  const byKey = new Map(rows.map((row) => [row.id, row]))
  let byNativeId: Map<string, Row> | undefined
  const parentOf = ({ launcher_key, parent_native_id }: Row): Row | undefined => {
    if (launcher_key !== null) return byKey.get(launcher_key)
    if (parent_native_id === null) return undefined
    byNativeId ??= new Map(rows.map((row) => [row.native_id, row]))
    return byNativeId.get(parent_native_id)
  }
  const places = new Map<number, NodePlace<Row>>()
  for (const row of rows) {
    if (places.has(row.id)) continue
    const first = parentOf(row)
    if (first === undefined) {
      places.set(row.id, { parent: undefined, depth: depthOf(row, undefined) })
      continue
    }
    const path: [row: Row, parent: Row | undefined][] = []
    const onPath = new Set<number>()
    // Up to a node that has its place, or to the main thread; iterative, since the depth is not ours to bound.
    let at: Row | undefined = row
    while (at !== undefined && !places.has(at.id)) {
      onPath.add(at.id)
      const parent = parentOf(at)
      if (parent !== undefined && onPath.has(parent.id)) {
        places.set(at.id, { parent: undefined, depth: at.depth })
        break
      }
      path.push([at, parent])
      at = parent
    }
    for (const [node, parent] of path.reverse()) {
      places.set(node.id, { parent, depth: depthOf(node, parent && places.get(parent.id)) })
    }
  }
  return places
}

function depthOf(row: PlaceColumns, parent: NodePlace<unknown> | undefined): number | null {
  if (parent !== undefined) return parent.depth === null ? row.depth : parent.depth + 1
  // A recorded launch by no sub-agent is the main thread's, unless the CLI says that it was deeper.
  return row.depth ?? (row.is_launch_known === 0 ? null : 1)
}

/** Values of one node beside its own row. */
export interface NodeFacts {
  place: NodePlace
  totals: Parameters<typeof sumUsage>[0]
}

export function toSubagent(
  row: SubagentRow,
  facts: NodeFacts,
  session: Pick<StoredSession, 'id' | 'signals'>,
  context: ReadContext,
): Subagent {
  const { parent, depth } = facts.place
  // A session that is over by its silence is over for its sub-agents, too.
  const { status, evidence: statusEvidence, at } = nodeState(row, signalsAt(session.signals, Date.now()))
  const evidence = readEvidence(row)
  const isOver = status !== 'running' && status !== 'unknown'
  return {
    id: subagentId(row.native_id),
    sessionId: session.id,
    kind: row.kind === 'internal' ? 'agent' : row.kind,
    toolUseId: toolUse(row.tool_use_id),
    parentToolUseId: toolUse(parent?.tool_use_id ?? null),
    parentId: parent === undefined ? null : subagentId(parent.native_id),
    depth,
    type: row.type,
    description: row.description,
    model: row.model ?? mainModel(facts.totals),
    background: row.is_background === 1,
    status,
    statusEvidence,
    evidence,
    isContradicted: evidence.some(({ toolUseId: id }) => id !== row.tool_use_id),
    outputFile: row.output_file,
    startedAt: isoTime(row.first_event_at ?? row.first_started_at ?? row.hook_started_at),
    endedAt: isOver ? isoTime(at) : null,
    lastEventAt: isoTime(row.last_event_at),
    resultPreview: isOver ? row.result_preview : null,
    counts: { events: row.event_count, toolCalls: row.tool_call_count },
    ...usageOf(row, facts, context),
  }
}

/** Zero is what an agent used that is recorded; of one whose transcript never came nobody knows. Shells ask no model. */
function usageOf(
  row: SubagentRow,
  { totals }: NodeFacts,
  { costOf }: ReadContext,
): Pick<Subagent, 'usage' | 'reportedTokens' | keyof Cost> {
  const isShell = row.kind === 'shell' || row.kind === 'monitor'
  if (totals.length === 0 && row.event_count === 0 && !isShell)
    return { usage: null, reportedTokens: row.reported_tokens, ...UNKNOWN_COST }
  return { ...sumUsage(totals, costOf), reportedTokens: null }
}

/** The model that answered most of its messages, where nothing names its model. */
function mainModel(totals: NodeFacts['totals']): string | null {
  let most: NodeFacts['totals'][number] | undefined
  for (const total of totals) if (most === undefined || total.messages > most.messages) most = total
  return most?.model ?? null
}

const toolUse = (id: string | null): ToolUseId | null => (id === null ? null : toolUseId(id))

/** Most have one source, which names the call that stands in the row as well: there is nothing to parse. */
function readEvidence({ evidence, tool_use_id }: SubagentRow): Subagent['evidence'] {
  if (evidence === '[]') return []
  const end = `","${tool_use_id}"]]`
  if (tool_use_id !== null && PLAIN_ID.test(tool_use_id) && evidence.endsWith(end)) {
    const source = evidence.slice('[["'.length, -end.length)
    if (PLAIN_ID.test(source)) return [{ source: source as LinkEvidence, toolUseId: toolUseId(tool_use_id) }]
  }
  return (JSON.parse(evidence) as [LinkEvidence, string][]).map(([source, id]) => ({
    source,
    toolUseId: toolUseId(id),
  }))
}

/** Nothing in it is written in another way in JSON. */
const PLAIN_ID = /^[\w:.-]+$/
