/**
 * A second opinion: reads Claude Code's transcript files in the plainest way, one `JSON.parse` per line, and says what the
 * record of that session must be. Slow, all in memory, and with no line in common with `src/harness`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export interface OracleUsage {
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheCreationTokens: number
}

export interface OracleSubagent {
  id: string
  toolUseId: string | null
  parentToolUseId: string | null
  parentId: string | null
  depth: number | null
  background: boolean
  type: string | null
  description: string | null
  events: number
  toolCalls: number
  usage: OracleUsage
}

/** A background shell. `status` is `null` when the transcript reports no end. */
export interface OracleShell {
  id: string
  toolUseId: string
  status: string | null
}

export interface OracleEvent {
  uuid: string
  /** Sub-agent's id; `null` = main thread. */
  node: string | null
  parentToolUseId: string | null
  inherited: boolean
  at: string
}

export interface OracleTodo {
  nativeId: string | null
  content: string
  description: string | null
  activeForm: string | null
  blockedBy: string[]
  status: string
}

export interface OracleSession {
  id: string
  events: OracleEvent[]
  /** Own ones of the main thread and all sub-agents. */
  counts: { events: number; toolCalls: number; subagents: number; compactions: number }
  subagents: OracleSubagent[]
  shells: OracleShell[]
  todos: OracleTodo[]
  usage: OracleUsage
  usageMain: OracleUsage
  /** The last model message of the main thread. */
  model: string | null
  lastEventAt: string | null
}

export interface OracleOptions {
  /** The session that this one was forked from: lines that its file holds too are inherited. */
  forkedFrom?: string
  /** What the main transcript held before it was rewritten. */
  earlier?: string[]
}

type Json = Record<string, unknown>
interface Line {
  node: string | null
  inherited: boolean
  json: Json
}

/** Reads the session whose transcript is `<folder>/<id>.jsonl`. */
export function readOracle(folder: string, id: string, options: OracleOptions = {}): OracleSession {
  const ancestors = new Set<unknown>()
  if (options.forkedFrom) {
    for (const json of parse(readFileSync(join(folder, `${options.forkedFrom}.jsonl`), 'utf8')))
      ancestors.add(json.uuid)
  }
  const files = agentFiles(folder, id)
  const texts: [string | null, string][] = [
    ...(options.earlier ?? []).map((text): [null, string] => [null, text]),
    [null, readFileSync(join(folder, `${id}.jsonl`), 'utf8')],
    ...files.map((file): [string, string] => [file.id, readFileSync(file.path, 'utf8')]),
  ]
  // The first sight of a uuid places it: the main thread's files come first.
  const seen = new Set<string>()
  const lines: Line[] = []
  for (const [node, text] of texts) {
    for (const json of parse(text)) {
      const uuid = string(json.uuid)
      if (uuid === null || seen.has(uuid)) continue
      seen.add(uuid)
      lines.push({ node, inherited: ancestors.has(uuid), json })
    }
  }
  const own = lines.filter((line) => !line.inherited)
  const subagents = readSubagents(own, files)
  const launch = new Map(subagents.map((subagent) => [subagent.id, subagent.toolUseId]))
  const usage = readUsage(own)
  return {
    id,
    events: lines.map((line) => ({
      uuid: String(line.json.uuid),
      node: line.node,
      parentToolUseId: line.node === null ? null : (launch.get(line.node) ?? null),
      inherited: line.inherited,
      at: String(line.json.timestamp),
    })),
    counts: {
      events: own.length,
      toolCalls: new Set(own.flatMap((line) => toolUses(line.json).map((use) => use.id))).size,
      subagents: subagents.length,
      compactions: own.filter((line) => line.json.subtype === 'compact_boundary').length,
    },
    subagents: subagents.map((subagent) => ({ ...subagent, usage: sum(usage, (node) => node === subagent.id) })),
    shells: readShells(own, texts),
    todos: readTodos(own),
    usage: sum(usage, () => true),
    usageMain: sum(usage, (node) => node === null),
    model:
      own
        .filter((line) => line.node === null)
        .map(modelOf)
        .findLast((model) => model !== null) ?? null,
    lastEventAt: own.map((line) => string(line.json.timestamp)).reduce((a, b) => ((b ?? '') > (a ?? '') ? b : a), null),
  }
}

/** Session ids of all main transcripts in a folder, sorted. */
export function sessionsIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names
    .filter((name) => /^[0-9a-f-]{36}\.jsonl$/.test(name))
    .map((name) => basename(name, '.jsonl'))
    .sort()
}

interface AgentFile {
  id: string
  path: string
  meta: Json | null
}

/** `<session>/subagents/agent-*.jsonl`, and beside the session's own file (before 2.1) where the lines name the session. */
function agentFiles(folder: string, session: string): AgentFile[] {
  const found: AgentFile[] = []
  for (const place of [join(folder, session, 'subagents'), folder]) {
    for (const name of existsSync(place) ? readdirSync(place).sort() : []) {
      const id = /^agent-(.+)\.jsonl$/.exec(name)?.[1]
      if (id === undefined) continue
      const path = join(place, name)
      if (place === folder && parse(readFileSync(path, 'utf8'))[0]?.sessionId !== session) continue
      const metaPath = join(place, `agent-${id}.meta.json`)
      found.push({ id, path, meta: existsSync(metaPath) ? object(JSON.parse(readFileSync(metaPath, 'utf8'))) : null })
    }
  }
  return found
}

function readSubagents(lines: Line[], files: AgentFile[]): Omit<OracleSubagent, 'usage'>[] {
  const results = new Map<string, { toolUseId: string; result: Json }>()
  const calls = new Map<string, { node: string | null; input: Json }>()
  for (const { node, json } of lines) {
    for (const use of toolUses(json)) calls.set(use.id, { node, input: use.input })
    const result = object(json.toolUseResult)
    const toolUseId = toolResult(json)
    const agentId = string(result?.agentId)
    // A message to a finished agent names it too; only its launch carries the prompt.
    if (result && toolUseId !== null && agentId !== null && 'prompt' in result)
      results.set(agentId, { toolUseId, result })
  }
  const metas = new Map(files.map((file) => [file.id, file.meta]))
  // Releases before 2.1 warm up two agents of their own at each start: nobody launched them, they are nobody's sub-agents.
  const warm = new Set(
    lines
      .filter(({ json }) => json.parentUuid === null && object(json.message)?.content === 'Warmup')
      .map(({ node }) => node),
  )
  const ids = [...new Set([...metas.keys(), ...results.keys()])].filter((id) => !warm.has(id)).sort()
  const launches = new Map(
    ids.map((id) => [id, string(metas.get(id)?.toolUseId) ?? results.get(id)?.toolUseId ?? null] as const),
  )
  const parentOf = (id: string): string | null => calls.get(launches.get(id) ?? '')?.node ?? null
  const depthOf = (id: string): number => {
    const parent = parentOf(id)
    return parent === null ? 1 : depthOf(parent) + 1
  }
  return ids.map((id) => {
    const toolUseId = launches.get(id) ?? null
    const parent = parentOf(id)
    const input = toolUseId === null ? undefined : calls.get(toolUseId)?.input
    const mine = lines.filter((line) => line.node === id)
    return {
      id,
      toolUseId,
      parentToolUseId: parent === null ? null : (launches.get(parent) ?? null),
      parentId: parent,
      depth: toolUseId === null ? null : depthOf(id),
      background: results.get(id)?.result.status === 'async_launched',
      type: string(metas.get(id)?.agentType) ?? string(input?.subagent_type),
      description: string(metas.get(id)?.description) ?? string(input?.description),
      events: mine.length,
      toolCalls: new Set(mine.flatMap((line) => toolUses(line.json).map((use) => use.id))).size,
    }
  })
}

function readShells(lines: Line[], texts: [string | null, string][]): OracleShell[] {
  const whole = texts.map(([, text]) => text).join('\n')
  const shells: OracleShell[] = []
  for (const { json } of lines) {
    const id = string(object(json.toolUseResult)?.backgroundTaskId)
    const toolUseId = toolResult(json)
    if (id === null || toolUseId === null) continue
    const notice = new RegExp(`<task-id>${id}</task-id>.*?<status>(\\w+)</status>`).exec(whole)
    // What a resumed session says was lost is so called, and is no end; what was stopped is.
    const isLost = new RegExp(
      `<task-id>${id}</task-id>.*?(?:No completion record was found|before the previous session ended)`,
    ).test(whole)
    const status = isLost ? null : notice?.[1] === 'stopped' ? 'killed' : (notice?.[1] ?? null)
    shells.push({ id, toolUseId, status })
  }
  return shells.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Applies the to-do tools' answered calls in the order of the answers. */
function readTodos(lines: Line[]): OracleTodo[] {
  const tasks = new Map<string, OracleTodo>()
  let written: OracleTodo[] = []
  const calls = new Map(lines.flatMap(({ json }) => toolUses(json).map((use) => [use.id, use] as const)))
  const task = (id: string, content = ''): OracleTodo => {
    const known = tasks.get(id) ?? {
      nativeId: id,
      content,
      description: null,
      activeForm: null,
      blockedBy: [],
      status: 'pending',
    }
    tasks.set(id, known)
    return known
  }
  for (const { json } of lines) {
    const call = calls.get(toolResult(json) ?? '')
    const result = object(json.toolUseResult)
    if (!call || !result) continue
    if (call.name === 'TodoWrite') {
      written = list(result.newTodos).map((item) => ({
        nativeId: null,
        content: String(item.content),
        description: null,
        activeForm: string(item.activeForm),
        blockedBy: [],
        status: String(item.status),
      }))
    } else if (call.name === 'TaskCreate') {
      const created = object(result.task)
      const item = task(String(created?.id), String(created?.subject))
      item.description = string(call.input.description)
      item.activeForm = string(call.input.activeForm)
    } else if (call.name === 'TaskUpdate' && result.success === true) {
      const item = task(String(call.input.taskId))
      item.content = string(call.input.subject) ?? item.content
      item.description = string(call.input.description) ?? item.description
      item.activeForm = string(call.input.activeForm) ?? item.activeForm
      item.blockedBy = [...item.blockedBy, ...strings(call.input.addBlockedBy)]
      for (const other of strings(call.input.addBlocks)) task(other).blockedBy.push(String(call.input.taskId))
      const status = string(call.input.status)
      if (status !== null) item.status = status === 'deleted' ? 'removed' : status
    }
  }
  return [...tasks.values(), ...written]
}

/** One entry per model message: the maximum of each field over its lines. */
function readUsage(lines: Line[]): { node: string | null; usage: OracleUsage }[] {
  const messages = new Map<string, { node: string | null; usage: OracleUsage }>()
  for (const { node, json } of lines) {
    const message = object(json.message)
    const raw = object(message?.usage)
    const id = string(message?.id)
    if (json.type !== 'assistant' || raw === null || id === null) continue
    const entry = messages.get(id) ?? { node, usage: { ...NOTHING } }
    messages.set(id, entry)
    const { usage } = entry
    usage.inputTokens = Math.max(usage.inputTokens, number(raw.input_tokens))
    usage.outputTokens = Math.max(usage.outputTokens, number(raw.output_tokens))
    usage.cacheReadTokens = Math.max(usage.cacheReadTokens, number(raw.cache_read_input_tokens))
    usage.cacheCreationTokens = Math.max(usage.cacheCreationTokens, number(raw.cache_creation_input_tokens))
  }
  return [...messages.values()]
}

const NOTHING: OracleUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 }

function sum(usages: { node: string | null; usage: OracleUsage }[], of: (node: string | null) => boolean): OracleUsage {
  const total = { ...NOTHING }
  for (const { node, usage } of usages) {
    if (!of(node)) continue
    total.inputTokens += usage.inputTokens
    total.outputTokens += usage.outputTokens
    total.cacheReadTokens += usage.cacheReadTokens
    total.cacheCreationTokens += usage.cacheCreationTokens
  }
  return total
}

function modelOf({ json }: Line): string | null {
  const model = json.type === 'assistant' ? string(object(json.message)?.model) : null
  return model === '<synthetic>' ? null : model
}

interface ToolUse {
  id: string
  name: string
  input: Json
}

function toolUses(json: Json): ToolUse[] {
  if (json.type !== 'assistant') return []
  return list(object(json.message)?.content)
    .filter((block) => block.type === 'tool_use')
    .map((block) => ({ id: String(block.id), name: String(block.name), input: object(block.input) ?? {} }))
}

/** The tool use that a `user` line answers. */
function toolResult(json: Json): string | null {
  if (json.type !== 'user') return null
  const block = list(object(json.message)?.content).find((candidate) => candidate.type === 'tool_result')
  return string(block?.tool_use_id)
}

function parse(text: string): Json[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => object(JSON.parse(line)) ?? {})
}

const object = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : null
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.map(object).filter((item) => item !== null) : [])
const string = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
const number = (value: unknown): number => (typeof value === 'number' ? value : 0)
