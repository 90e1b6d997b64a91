import type { JournalRef } from '../../domain/harness/harness'
import { KEPT } from '../../domain/record/kept-text'
import type { EndStatus, Observation } from '../../domain/record/observation'
import { countOf, idOf, isRecord, parsedJson, textOf, timeOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'
import type { Line } from './line'

/** What the file beside a sub-agent's says: the call that launched it, and how it stands. */
export function readMeta(bytes: Uint8Array, { subagentId }: JournalRef): Observation[] | null {
  const meta = parsedJson(bytes)
  if (meta === undefined) return null
  if (!isRecord(meta) || subagentId === null) return []
  const toolUseId = idOf(meta.toolUseId)
  const parent = idOf(meta.parentAgentId)
  const startedAt = timeOf(meta.createdAt)
  const status = endOf(meta.status)
  const at = timeOf(meta.lastUpdatedAt)
  const word = (key: 'type' | 'description' | 'model', value: unknown) => {
    const text = textOf(value)
    return text ? { [key]: clip(text, KEPT.short) } : {}
  }
  return [
    {
      kind: 'subagent',
      uuid: null,
      subagentId,
      ...(toolUseId !== undefined && { toolUseId, evidence: 'meta' as const }),
      ...(parent !== undefined && { parentAgentId: parent }),
      ...(typeof meta.depth === 'number' && { depth: countOf(meta.depth) + 1 }),
      ...word('type', meta.agentType),
      ...word('description', meta.description),
      ...word('model', meta.model),
      ...(typeof meta.isBackgrounded === 'boolean' && { isBackground: meta.isBackgrounded }),
      ...(startedAt !== null && { startedAt }),
      ...(status !== undefined && { end: { status, at, evidence: 'meta:status' } }),
      run: { trigger: 'launch', isStart: true, evidence: 'meta', ...(toolUseId !== undefined && { toolUseId }) },
    },
  ]
}

function endOf(status: unknown): EndStatus | undefined {
  if (status === 'completed') return 'completed'
  if (status === 'failed' || status === 'error') return 'failed'
  return status === 'cancelled' || status === 'stopped' || status === 'killed' ? 'killed' : undefined
}

const OPENING = '<task-notification>'

export const isNotice = (text: string): boolean => text.slice(0, 200).trimStart().startsWith(OPENING)

/** The message that tells the launcher of a sub-agent's end. Its facts stand before the result, which may hold any tag. */
export function readNotice(text: string, line: Line): Observation[] {
  const start = text.indexOf('<result>')
  const facts = text.slice(0, start === -1 ? 20_000 : Math.min(start, 20_000))
  const subagentId = idOf(tagOf(facts, 'task-id'))
  const status = endOf(tagOf(facts, 'status'))
  // Shells give such notices too.
  if (subagentId === undefined || status === undefined || !tagOf(facts, 'summary')?.startsWith('Agent "')) return []
  const toolUseId = idOf(tagOf(facts, 'tool-use-id'))
  const end = text.lastIndexOf('</result>')
  const result = start === -1 || end <= start ? '' : text.slice(start + '<result>'.length, end)
  return [
    {
      kind: 'subagent',
      uuid: line.uuid,
      subagentId,
      isBackground: true,
      ...(toolUseId !== undefined && { toolUseId, evidence: 'notification' as const }),
      run: { trigger: 'unknown', ...(toolUseId !== undefined && { toolUseId }) },
      end: {
        status,
        at: line.at,
        evidence: 'transcript:notification',
        ...(result !== '' && { result: clip(result, KEPT.long) }),
        isShown: true,
      },
    },
  ]
}

function tagOf(text: string, name: string): string | undefined {
  const start = text.indexOf(`<${name}>`)
  const from = start + name.length + 2
  const end = start === -1 ? -1 : text.indexOf(`</${name}>`, from)
  return end === -1 ? undefined : text.slice(from, end).trim()
}
