import { KEPT } from '../../domain/record/kept-text'
import type { EndStatus, Observation } from '../../domain/record/observation'
import { GONE } from '../../domain/subagent/subagent-run'
import { idOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'
import { reportedTokens } from './reported-tokens'

/** The line that carries a notification. */
export interface NotificationSource {
  /** `null` for lines without one, and for hooks. */
  uuid: string | null
  at: number | null
  /** The node that launched the task, where the source says it; `null` = the main thread. */
  subagentId: string | null
  /** What makes us say that the task ended, e.g. `transcript:notification`. */
  evidence: string
}

const TAGS = ['task-notification', 'agent-notification', 'bash-notification'] as const
const SYSTEM_PREAMBLE = '[SYSTEM NOTIFICATION - NOT USER INPUT]'
/** How far into a text a notification may begin: newer versions put a notice of their own before it. */
const PREAMBLE_LIMIT = 1_000

/** Whether a prompt is the CLI's notice about background work and not a person's words. */
export function isNotification(text: string): boolean {
  const start = text.slice(0, PREAMBLE_LIMIT).trimStart()
  return start.startsWith(SYSTEM_PREAMBLE) || TAGS.some((tag) => start.startsWith(`<${tag}>`))
}

/** What a resumed session says of work of its former process: 2.1.197 calls it failed, 2.1.328 stopped. */
const GONE_SUMMARY =
  /was running when the previous Claude Code process exited|didn't finish before the previous session ended$|^No completion record was found for this background/

export const isGoneSummary = (summary: string): boolean => GONE_SUMMARY.test(summary)

/** What a notification says about a background agent, shell or monitor; empty for any other text. */
export function readNotification(text: string, source: NotificationSource): Observation[] {
  if (!isNotification(text)) return []
  const tag = TAGS.find((name) => text.slice(0, PREAMBLE_LIMIT).includes(`<${name}>`))
  if (!tag) return []
  const body = text.slice(text.indexOf(`<${tag}>`) + tag.length + 2)
  const resultStart = body.indexOf('<result>')
  // A result is an agent's own words and may hold any tag: the facts are read before it, the result up to its last end tag.
  const facts = body.slice(0, resultStart === -1 ? 20_000 : Math.min(resultStart, 20_000))
  const taskId = idOf(tagOf(facts, 'task-id') ?? tagOf(facts, 'agent-id') ?? tagOf(facts, 'shell-id'))
  if (taskId === undefined) return []
  const summary = tagOf(facts, 'summary') ?? ''
  const kind = kindOf(tag, taskId, summary, tagOf(facts, 'task-type'))
  if (kind === undefined) return []
  const isGone = source.evidence === 'transcript:notification' && isGoneSummary(summary)
  const status = isGone ? 'killed' : endStatusOf(tagOf(facts, 'status'))
  const toolUseId = idOf(tagOf(facts, 'tool-use-id'))
  const outputFile = tagOf(facts, 'output-file')
  const result = resultStart === -1 ? undefined : resultOf(body, resultStart)
  const description = /^(?:Agent|Background command|Monitor) "(.*)" [^"]*$/s.exec(summary)?.[1]
  const common = {
    uuid: source.uuid,
    ...(description && { description: clip(description, 1_000) }),
    ...(toolUseId !== undefined && { toolUseId }),
    ...(outputFile && { outputFile: clip(outputFile, 4_000) }),
    ...(status && {
      end: {
        status,
        at: source.at,
        evidence: isGone ? GONE : source.evidence,
        ...(result !== undefined && { result }),
        // A task that went with its process left no result to read.
        ...(source.uuid !== null && !isGone && { isShown: true }),
      },
    }),
    // It names the call that began this run: of a continued agent, not the one that launched it.
    run: { trigger: 'unknown' as const, ...(toolUseId !== undefined && { toolUseId }) },
  }
  if (kind === 'agent') {
    const link = toolUseId === undefined ? {} : { evidence: 'notification' as const }
    // Behind its own words, which may hold any tag.
    const behind = body.slice(Math.max(0, body.lastIndexOf('</result>'))).slice(0, 2_000)
    const used = reportedTokens(tagOf(behind, 'subagent_tokens'))
    return [{ kind: 'subagent', subagentId: taskId, isBackground: true, ...used, ...common, ...link }]
  }
  return [{ kind: 'background', taskId, taskKind: kind, subagentId: source.subagentId, ...common }]
}

function tagOf(text: string, name: string): string | undefined {
  const start = text.indexOf(`<${name}>`)
  if (start === -1) return undefined
  const from = start + name.length + 2
  const end = text.indexOf(`</${name}>`, from)
  return end === -1 ? undefined : text.slice(from, end).trim()
}

function resultOf(body: string, start: number): string {
  const from = start + '<result>'.length
  const end = body.lastIndexOf('</result>')
  return clip(body.slice(from, end > from ? end : Math.min(body.length, from + KEPT.long)), KEPT.long)
}

/** What a background task's id is of: agents' ids are hexadecimal and begin with `a`, shells' with `b`; 2.0.30 has neither. */
export function isAgentTaskId(taskId: string): boolean {
  return /^a(?:[0-9a-f]{6,16}|[a-z0-9_]+-[0-9a-f]{6,})$/.test(taskId)
}

/** 2.1.10 and later; of 2.0.30 nothing tells them. */
export const isShellTaskId = (taskId: string): boolean => /^b[a-z0-9]{5,12}$/.test(taskId)

/**
 * Forks of a conversation that the CLI runs for itself: to compact it, to suggest a prompt, to answer a question on the side.
 * They write a sub-agent's file that repeats their parent's lines, and are no sub-agents.
 */
export function isInternalAgentId(agentId: string): boolean {
  return /^a(?:compact|prompt_suggestion|side_question)-/.test(agentId)
}

type TaskKind = 'agent' | 'shell' | 'monitor'

/** What the CLI's own name of a kind of task means here; `undefined` for kinds that are none of these (workflows, remote work). */
export function taskKindOf(taskType: string | undefined): TaskKind | undefined {
  if (taskType === 'local_agent' || taskType === 'subagent' || taskType === 'in_process_teammate') return 'agent'
  if (taskType === 'local_bash' || taskType === 'shell') return 'shell'
  if (taskType?.startsWith('monitor')) return 'monitor'
  return undefined
}

function kindOf(tag: string, taskId: string, summary: string, taskType: string | undefined): TaskKind | undefined {
  if (taskType !== undefined) return taskKindOf(taskType)
  if (tag === 'agent-notification' || summary.startsWith('Agent "')) return 'agent'
  if (summary.startsWith('Monitor "')) return 'monitor'
  if (tag === 'bash-notification' || summary.startsWith('Background command ')) return 'shell'
  if (isAgentTaskId(taskId)) return 'agent'
  // What a resumed session says of shells of its former process names neither.
  return isShellTaskId(taskId) ? 'shell' : undefined
}

/** The CLI's word for how a task ended; `undefined` for one that goes on. */
export function endStatusOf(status: unknown): EndStatus | undefined {
  if (status === 'completed') return 'completed'
  if (status === 'failed' || status === 'error') return 'failed'
  if (status === 'killed' || status === 'stopped' || status === 'cancelled' || status === 'canceled') return 'killed'
  return undefined
}
