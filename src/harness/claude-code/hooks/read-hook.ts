import { isAbsolute } from 'node:path'
import type { HookEvent, HookLaunch } from '../../../domain/harness/harness-hooks'
import { RECALL_MOMENTS, type RecallMoment } from '../../../domain/recall/recall'

/** An id that can be no path. */
const SESSION = /^[\w-]{1,200}$/
/** The sub-agent type that the tool takes when it is not told. */
const DEFAULT_TYPE = 'general-purpose'

type Payload = Readonly<Record<string, unknown>>
type Facts = Pick<HookEvent, 'sessionId' | 'cwd' | 'transcript'>

/** @see HarnessHooks.read */
export function readHook(payload: unknown): HookEvent | null {
  if (typeof payload !== 'object' || payload === null) return null
  const { hook_event_name: event, session_id: sessionId, cwd, transcript_path, agent_id } = payload as Payload
  if (typeof sessionId !== 'string' || !SESSION.test(sessionId)) return null
  const facts = { sessionId, cwd: pathOf(cwd), transcript: pathOf(transcript_path) }
  if (event === 'PreToolUse') {
    const launch = launchOf(payload as Payload)
    return launch === null ? null : { ...facts, kind: 'launch', launch }
  }
  // A sub-agent's goal is another one, and messages are not for it.
  return agent_id === undefined ? eventOf(facts, payload as Payload) : compactionOf(facts, payload as Payload)
}

function compactionOf(facts: Facts, payload: Payload): HookEvent | null {
  const { hook_event_name: event, source, prompt_id, agent_id: id } = payload
  if (event !== 'SessionStart' || source !== 'compact' || typeof id !== 'string' || !SESSION.test(id)) return null
  return {
    ...facts,
    kind: 'subagentCompacted',
    subagentId: id,
    promptId: typeof prompt_id === 'string' ? prompt_id : '',
  }
}

function eventOf(facts: Facts, payload: Payload): HookEvent | null {
  const { hook_event_name: event, source, reason, prompt_id, stop_hook_active } = payload
  const promptId = typeof prompt_id === 'string' ? prompt_id : ''
  switch (event) {
    case 'SessionStart':
      return isStart(source) ? { ...facts, kind: 'start', moment: source, promptId } : null
    case 'PreCompact':
      return { ...facts, kind: 'compaction', moment: 'precompact', promptId }
    case 'UserPromptSubmit':
      return { ...facts, kind: 'prompt' }
    case 'Stop':
      // It goes on by a hook's word already: once in a turn is enough, or two agents could keep one another at work for ever.
      return stop_hook_active === true ? null : { ...facts, kind: 'turnEnd' }
    case 'SessionEnd':
      return reason === 'clear' ? { ...facts, kind: 'cleared' } : null
    default:
      return null
  }
}

const isStart = (source: unknown): source is Exclude<RecallMoment, 'precompact'> =>
  source !== 'precompact' && (RECALL_MOMENTS as readonly unknown[]).includes(source)

function launchOf({ tool_name: tool, tool_input: input, tool_use_id: toolUseId }: Payload): HookLaunch | null {
  if ((tool !== 'Agent' && tool !== 'Task') || typeof input !== 'object' || input === null) return null
  const { prompt, subagent_type: type } = input as Payload
  if (typeof prompt !== 'string' || prompt.trim() === '') return null
  return {
    type: typeof type === 'string' && type !== '' ? type : DEFAULT_TYPE,
    prompt,
    toolUseId: typeof toolUseId === 'string' ? toolUseId : '',
  }
}

const pathOf = (path: unknown): string | null =>
  typeof path === 'string' && isAbsolute(path) && !path.includes('\0') ? path : null
