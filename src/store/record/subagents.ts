import type { SessionKey, SubagentKey } from '../../domain/ids'
import { subagentKey } from '../../domain/ids'
import { type Launch, LINK_EVIDENCE, type LinkEvidence } from '../../domain/record/observation'
import type { SubagentKind, SubagentRow } from '../../domain/record/record-store'
import { foldRuns } from '../../domain/subagent/run-fold'
import { first, insert, type Program, rows, run } from '../sql/program'
import { FLAG_FINAL, type Grown, growth, saveGrowth } from './events'
import { addMarks, continuingCalls, readMarks, writeRuns } from './runs'

export function* subagent(
  session: SessionKey,
  nativeId: string,
  kind: SubagentKind,
): Program<{ key: SubagentKey; toolUseId: string | null }> {
  const found = yield* first<{ id: number; kind: SubagentKind; tool_use_id: string | null }>(
    'select id, kind, tool_use_id from subagents where session_id = ? and native_id = ?',
    session,
    nativeId,
  )
  if (found) {
    const better = found.tool_use_id === null ? betterKind(found.kind, kind) : found.kind
    if (better !== found.kind) {
      yield* run('update subagents set kind = ? where id = ?', better, found.id)
      yield* countAgents(session, Number(better === 'agent') - Number(found.kind === 'agent'))
    }
    return { key: subagentKey(found.id), toolUseId: found.tool_use_id }
  }
  const id = yield* insert(
    'insert into subagents (session_id, native_id, kind) values (?, ?, ?) on conflict (session_id, native_id) do nothing',
    session,
    nativeId,
    kind,
  )
  if (id === null) return yield* subagent(session, nativeId, kind)
  if (kind === 'agent') yield* countAgents(session, 1)
  return { key: subagentKey(id), toolUseId: null }
}

/** A file's lines say only "some agent"; what knows that it is a shell, or the CLI's own fork, says more. */
const KIND_ORDER: SubagentKind[] = ['agent', 'shell', 'monitor', 'internal']
const betterKind = (a: SubagentKind, b: SubagentKind): SubagentKind =>
  KIND_ORDER.indexOf(a) >= KIND_ORDER.indexOf(b) ? a : b

function* countAgents(session: SessionKey, by: number): Program<void> {
  if (by !== 0) yield* run('update sessions set subagent_count = subagent_count + ? where id = ?', by, session)
}

export function* subagentByToolUse(session: SessionKey, toolUseId: string): Program<SubagentKey | null> {
  const row = yield* first<{ id: number }>(
    'select id from subagents where session_id = ? and tool_use_id = ? order by id limit 1',
    session,
    toolUseId,
  )
  return row ? subagentKey(row.id) : null
}

interface Stored {
  kind: SubagentKind
  tool_use_id: string | null
  link_rank: number | null
  evidence: string
  parent_native_id: string | null
  depth: number | null
  type: string | null
  description: string | null
  prompt: string | null
  model: string | null
  is_background: number | null
  output_file: string | null
  reported_tokens: number | null
  first_started_at: number | null
  last_started_at: number | null
  end_status: string | null
  end_at: number | null
  end_evidence: string | null
  result: string | null
  hook_started_at: number | null
  hook_end_status: string | null
  hook_end_at: number | null
  hook_end_evidence: string | null
  hook_result: string | null
}

const COLUMNS: (keyof Stored)[] = [
  'kind',
  'tool_use_id',
  'link_rank',
  'evidence',
  'parent_native_id',
  'depth',
  'type',
  'description',
  'prompt',
  'model',
  'is_background',
  'output_file',
  'reported_tokens',
  'first_started_at',
  'last_started_at',
  'end_status',
  'end_at',
  'end_evidence',
  'result',
  'hook_started_at',
  'hook_end_status',
  'hook_end_at',
  'hook_end_evidence',
  'hook_result',
]
const SELECT = `select ${COLUMNS.join(', ')} from subagents where id = ?`
const UPDATE = `update subagents set ${COLUMNS.map((name) => `${name} = ?`).join(', ')} where id = ?`

/** Merges what sources say; returns the native ids of rows that changed. */
export function* mergeSubagents(said: SubagentRow[]): Program<string[]> {
  const changed = new Set<string>()
  for (const row of said) {
    const { key } = yield* subagent(row.sessionKey, row.nativeId, row.kind)
    const stored = yield* first<Stored>(SELECT, key)
    if (!stored) continue
    const continuing = yield* noteRuns(key, row, changed)
    const next = merged(stored, row, continuing)
    if (next.end_at !== null && next.last_started_at !== null && next.last_started_at > next.end_at)
      if (yield* hasEnded(key)) next.last_started_at = next.end_at
    if (COLUMNS.every((name) => next[name] === stored[name])) continue
    changed.add(row.nativeId)
    if (next.kind !== stored.kind) yield* countAgents(row.sessionKey, 1)
    yield* run(UPDATE, ...COLUMNS.map((name) => next[name]), key)
    if (next.tool_use_id !== stored.tool_use_id) {
      yield* adopt(row.sessionKey, key, next.tool_use_id)
      if (next.tool_use_id !== null) yield* describeLaunched(row.sessionKey, next.tool_use_id)
    }
  }
  return [...changed]
}

/**
 * Whether its newest run has an end. What is over at once may have its notice before the answer of the call that launched it, which
 * is no second run: the calls tell, not the times.
 */
function* hasEnded(key: SubagentKey): Program<boolean> {
  const newest = foldRuns(yield* readMarks(key)).at(-1)
  return newest?.status != null && !newest.evidence.startsWith('hook:')
}

/** Keeps the runs of a sub-agent in step with what is said of them. Returns the calls that continued it. */
function* noteRuns(key: SubagentKey, row: SubagentRow, changed: Set<string>): Program<ReadonlySet<string>> {
  if (row.marks.length === 0) return row.link === null ? NO_CALLS : continuingCalls(yield* readMarks(key))
  const { marks, isNew } = yield* addMarks(key, row.marks)
  if (isNew) {
    changed.add(row.nativeId)
    yield* writeRuns(row.sessionKey, key, marks)
  }
  return continuingCalls(marks)
}

const NO_CALLS: ReadonlySet<string> = new Set()

/** The launching call became known: the node's events follow, and so do lines that knew only the call. */
function* adopt(session: SessionKey, node: SubagentKey, toolUseId: string | null): Program<void> {
  yield* run(
    'update conversation_events set parent_tool_use_id = ? where session_id = ? and subagent_id = ?',
    toolUseId,
    session,
    node,
  )
  if (toolUseId === null) return
  const strays = yield* rows<Omit<Grown, 'isFinal'> & { flags: number }>(
    'select at, type, role, text, flags from conversation_events where session_id = ? and parent_tool_use_id = ? and subagent_id is null',
    session,
    toolUseId,
  )
  if (strays.length === 0) return
  yield* run(
    'update conversation_events set subagent_id = ? where session_id = ? and parent_tool_use_id = ? and subagent_id is null',
    node,
    session,
    toolUseId,
  )
  const grown: Parameters<typeof growth>[0] = new Map()
  for (const stray of strays) growth(grown, node, { ...stray, isFinal: (stray.flags & FLAG_FINAL) !== 0 })
  yield* saveGrowth(grown)
}

/** What the launching call asked for, told to what it launched; from both sides, since either may come first. */
export function* describeLaunched(session: SessionKey, toolUseId: string): Program<void> {
  const call = yield* first<{ launch: string | null }>(
    'select launch from tool_uses where session_id = ? and tool_use_id = ?',
    session,
    toolUseId,
  )
  if (!call?.launch) return
  const said = JSON.parse(call.launch) as Launch
  const launched = yield* rows<Pick<Stored, 'type' | 'description' | 'prompt'> & { id: number }>(
    'select id, type, description, prompt from subagents where session_id = ? and tool_use_id = ?',
    session,
    toolUseId,
  )
  for (const old of launched)
    yield* run(
      'update subagents set type = ?, description = ?, prompt = ? where id = ?',
      pick(old.type, said.type ?? null),
      pick(old.description, said.description ?? null),
      pick(old.prompt, said.prompt ?? null),
      old.id,
    )
}

function merged(old: Stored, row: SubagentRow, continuing: ReadonlySet<string>): Stored {
  const next: Stored = { ...old, ...mergedLink(old, row.link, continuing) }
  // Only what a model's tool call launched has a link, so it is no fork of the CLI's own.
  if (next.kind === 'internal' && next.tool_use_id !== null) next.kind = 'agent'
  next.parent_native_id ??= row.parentNativeId
  next.depth ??= row.depth
  next.type = pick(old.type, row.type)
  next.description = pick(old.description, row.description)
  next.prompt = pick(old.prompt, row.prompt)
  next.model = pick(old.model, row.model)
  next.output_file = pick(old.output_file, row.outputFile)
  if (row.reportedTokens !== null) next.reported_tokens = Math.max(old.reported_tokens ?? 0, row.reportedTokens)
  // Once in the background is background: an answer that the work goes on outweighs any other word.
  if (row.isBackground !== null) next.is_background = Math.max(old.is_background ?? 0, Number(row.isBackground))
  const known: End = row.source === 1 ? old : hookEnd(old)
  if (row.startedAt !== null) noteStart(next, row.startedAt, row.source)
  if (row.end && beatsEnd(row.end, known)) noteEnd(next, row.end, row.source)
  const result = row.source === 1 ? old.result : old.hook_result
  if (row.end?.result && (result === null || beatsEnd(row.end, known)))
    next[row.source === 1 ? 'result' : 'hook_result'] = row.end.result
  return next
}

type End = Pick<Stored, 'end_status' | 'end_at' | 'end_evidence'>

const hookEnd = (old: Stored): End => ({
  end_status: old.hook_end_status,
  end_at: old.hook_end_at,
  end_evidence: old.hook_end_evidence,
})

function noteStart(next: Stored, at: number, source: 0 | 1): void {
  if (source === 0) {
    next.hook_started_at = Math.max(next.hook_started_at ?? at, at)
    return
  }
  next.first_started_at = Math.min(next.first_started_at ?? at, at)
  next.last_started_at = Math.max(next.last_started_at ?? at, at)
}

function noteEnd(next: Stored, end: NonNullable<SubagentRow['end']>, source: 0 | 1): void {
  const prefix = source === 1 ? '' : 'hook_'
  Object.assign(next, {
    [`${prefix}end_status`]: end.status,
    [`${prefix}end_at`]: end.at,
    [`${prefix}end_evidence`]: end.evidence,
  })
}

/** First word stays, unless a longer one comes (previews are cut); then order of arrival does not matter. */
function pick(old: string | null, said: string | null): string | null {
  if (old === null || said === null) return old ?? said
  if (said.length !== old.length) return said.length > old.length ? said : old
  return said > old ? said : old
}

/** The newest end counts; one without a time only while none has a time; failed or killed beats completed at the same time. */
function beatsEnd(end: NonNullable<SubagentRow['end']>, old: End): boolean {
  if (old.end_status === null) return true
  if (end.at === null) return old.end_at === null && end.status > old.end_status
  if (old.end_at === null || end.at !== old.end_at) return end.at > (old.end_at ?? -1)
  return `${end.status} ${end.evidence}` > `${old.end_status} ${old.end_evidence}`
}

/**
 * The strongest evidence names the launching call; every source's word is kept, so that a contradiction shows. A call that
 * continued the agent launched nothing, though notices and task lines of that run name it.
 */
function mergedLink(
  old: Stored,
  link: SubagentRow['link'],
  continuing: ReadonlySet<string>,
): Pick<Stored, 'tool_use_id' | 'link_rank' | 'evidence'> {
  const known = JSON.parse(old.evidence) as [LinkEvidence, string][]
  const said = known.filter(([, id]) => !continuing.has(id))
  if (link && !continuing.has(link.toolUseId)) {
    const isKnown = said.some(([source, id]) => source === link.evidence && id === link.toolUseId)
    // Bounded: a hostile file may name thousands of calls.
    if (!isKnown && said.length < 20) said.push([link.evidence, link.toolUseId])
  }
  said.sort(([a, x], [b, y]) => LINK_EVIDENCE.indexOf(a) - LINK_EVIDENCE.indexOf(b) || (x < y ? -1 : x > y ? 1 : 0))
  const [best] = said
  return {
    tool_use_id: best?.[1] ?? null,
    link_rank: best ? LINK_EVIDENCE.indexOf(best[0]) : null,
    evidence: said.length === known.length && !link ? old.evidence : JSON.stringify(said),
  }
}
