import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BilledUsage } from '../../src/domain/cost/usage'
import type { JournalRef } from '../../src/domain/harness/harness'
import type { EventObservation, Observation } from '../../src/domain/record/observation'
import { LINK_EVIDENCE } from '../../src/domain/record/observation'
import { foldTodos } from '../../src/domain/todo/todo'
import type { TodoStep } from '../../src/domain/todo/todo-step'
import { claudeCode } from '../../src/harness/claude-code'

export const FIXTURES = join(import.meta.dir, '../fixtures/claude-code')
export const VERSIONS = ['2.0.30', '2.1.10', '2.1.197', '2.1.328'] as const

/** A file of a recording as the parsers see it: under the path that it has below `~/.claude`. */
export interface RecordedFile {
  ref: JournalRef
  bytes: Uint8Array
}

const FOLDERS_OF_ROOT = new Set(['tasks', 'todos'])

/** All files of one recorded session. */
export function transcriptFiles(version: string, scenario: string): RecordedFile[] {
  const folder = join(FIXTURES, 'transcripts', version, scenario)
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
  const session = names.find((name) => /^[0-9a-f-]{36}\.jsonl$/.test(name))?.slice(0, 36) ?? ''
  return names.map((name) => {
    const [first = '', ...rest] = name.split('/')
    const place = first === 'tasks' ? `tasks/${session}/${rest.join('/')}` : name
    const root = FOLDERS_OF_ROOT.has(first) ? '/home/user/.claude' : '/home/user/.claude/projects/-home-user-project'
    const bytes = readFileSync(join(folder, name))
    const ref = claudeCode.classify(`${root}/${place}`, bytes)
    if (!ref) throw new Error(`not recognised: ${name}`)
    return { ref, bytes }
  })
}

export function streamFile(version: string, scenario: string): RecordedFile {
  const bytes = readFileSync(join(FIXTURES, 'stream', version, `${scenario}.jsonl`))
  return {
    ref: { agent: 'claude-code', kind: 'stream', path: '/tmp/run.jsonl', sessionId: null, subagentId: null },
    bytes,
  }
}

export const scenariosOf = (kind: 'transcripts' | 'stream', version: string): string[] =>
  readdirSync(join(FIXTURES, kind, version)).map((name) => name.replace(/\.jsonl$/, ''))

/** Everything that the files say, file by file. */
export function observe(files: RecordedFile[]): Observation[] {
  return files.flatMap(({ ref, bytes }) => {
    if (ref.path.endsWith('.json')) return claudeCode.parseDocument(bytes, { ref, offset: 0 }) ?? []
    const parsed = claudeCode.parseLines(bytes, { ref, offset: 0 })
    if (parsed.malformed.length > 0) throw new Error(`${ref.path}: ${JSON.stringify(parsed.malformed)}`)
    return parsed.observations
  })
}

export const pick = <Kind extends Observation['kind']>(observations: Observation[], kind: Kind) =>
  observations.filter((seen): seen is Extract<Observation, { kind: Kind }> => seen.kind === kind)

export interface SubagentSummary {
  toolUseId?: string
  parentAgentId?: string
  depth?: number
  type?: string
  description?: string
  isBackground?: boolean
  end?: string
  result?: string
}

/** Sub-agents as their sources together report them: the strongest link wins. */
export function subagentsOf(observations: Observation[]): Record<string, SubagentSummary> {
  const agents: Record<string, SubagentSummary> = {}
  const ranks = new Map<string, number>()
  const internal = new Set(pick(observations, 'subagent').flatMap((seen) => (seen.isInternal ? seen.subagentId : [])))
  for (const seen of pick(observations, 'subagent')) {
    if (internal.has(seen.subagentId)) continue
    agents[seen.subagentId] ??= {}
    const agent = agents[seen.subagentId] as SubagentSummary
    const rank = seen.evidence ? LINK_EVIDENCE.indexOf(seen.evidence) : 99
    if (seen.toolUseId && rank < (ranks.get(seen.subagentId) ?? 99)) {
      agent.toolUseId = seen.toolUseId
      ranks.set(seen.subagentId, rank)
    }
    if (seen.parentAgentId) agent.parentAgentId = seen.parentAgentId
    if (seen.depth) agent.depth = seen.depth
    if (seen.type) agent.type = seen.type
    if (seen.description) agent.description = seen.description
    if (seen.isBackground !== undefined) agent.isBackground = agent.isBackground || seen.isBackground
    if (seen.end) agent.end = seen.end.status
    if (seen.end?.result !== undefined) agent.result = seen.end.result
  }
  return agents
}

/** Usage by message: the maximum of each field, whatever the number of lines. */
export function usageOf(observations: Observation[]): Record<string, BilledUsage> {
  const byMessage: Record<string, BilledUsage> = {}
  for (const { messageId, ...seen } of pick(observations, 'usage')) {
    const fields = [
      'inputTokens',
      'outputTokens',
      'cacheReadTokens',
      'cacheCreationTokens',
      'cacheCreation1hTokens',
      'webSearchCount',
      'statedNanoUsd',
    ] as const
    const before = byMessage[messageId]
    byMessage[messageId] = Object.fromEntries(
      fields.map((field) => [field, Math.max(seen[field], before?.[field] ?? 0)]),
    ) as unknown as BilledUsage
  }
  return byMessage
}

export const totalOf = (usage: Record<string, BilledUsage>): { input: number; output: number } => ({
  input: Object.values(usage).reduce((sum, one) => sum + one.inputTokens, 0),
  output: Object.values(usage).reduce((sum, one) => sum + one.outputTokens, 0),
})

/** The to-dos of a session as they stand in the end. */
export function todosOf(observations: Observation[]): { nativeId: string | null; content: string; status: string }[] {
  const steps = new Map<string, TodoStep>()
  for (const seen of pick(observations, 'todo')) {
    const step = steps.get(seen.toolUseId) ?? { toolUseId: seen.toolUseId, at: null, node: null, parts: [] }
    step.at = Math.max(step.at ?? 0, seen.at ?? 0)
    step.parts.push(seen.change)
    steps.set(seen.toolUseId, step)
  }
  return foldTodos('list', [...steps.values()]).items.map(({ nativeId, content, status }) => ({
    nativeId,
    content,
    status,
  }))
}

/** How many events of each type. */
export function eventTypes(observations: Observation[]): Partial<Record<EventObservation['type'], number>> {
  const counts: Partial<Record<EventObservation['type'], number>> = {}
  for (const { type } of pick(observations, 'event')) counts[type] = (counts[type] ?? 0) + 1
  return counts
}

/** Distinct tool uses. */
export const toolCallCount = (observations: Observation[]): number =>
  new Set(pick(observations, 'tool_call').map((call) => call.toolUseId)).size
