import { type AttemptId, attemptId, type ToolUseId, toolUseId } from '../ids'

/**
 * What carries messages, as the `target` of their flight names it. What comes behind it tells the calls of one carrier apart.
 *
 * - `<attempt>` or `<attempt> <call>`: a run; its call may be a tool's
 * - `<host> <pid> <start>` or `<host> <pid> <start> <call>`: a process, `host` being its machine's random name, which alone can tell
 *   whether it lives, `start` as `util/process/process-tree.ts` has it
 * - `toolu_…`, also behind an agent's id: a tool call, which is over when its answer is in the transcript
 * - anything else: a call of a program that says no more of itself
 */
export type Carrier =
  | { kind: 'attempt'; attemptId: AttemptId; toolUseId: ToolUseId | null }
  | { kind: 'process'; host: string; pid: number; startedAt: string }
  | { kind: 'call'; toolUseId: ToolUseId | null }

const ATTEMPT = /^(t-[0-9a-z]{8,}\.\d{1,9})(?: (.*))?$/s
const PROCESS = /^([0-9a-f]{32}) (\d{1,10}) (\S{1,100})(?: .*)?$/s
const TOOL_USE = /^(?:a-[0-9a-z]{8,} )?(toolu_[0-9A-Za-z_]{1,100})(?: .*)?$/s

export function carrierOf(target: string): Carrier {
  const [, attempt, call] = ATTEMPT.exec(target) ?? []
  if (attempt !== undefined) return { kind: 'attempt', attemptId: attemptId(attempt), toolUseId: toolUseIn(call ?? '') }
  const [, host, pid, startedAt] = PROCESS.exec(target) ?? []
  if (host !== undefined && pid !== undefined && startedAt !== undefined)
    return { kind: 'process', host, pid: Number(pid), startedAt }
  return { kind: 'call', toolUseId: toolUseIn(target) }
}

function toolUseIn(call: string): ToolUseId | null {
  const id = TOOL_USE.exec(call)?.[1]
  return id === undefined ? null : toolUseId(id)
}
