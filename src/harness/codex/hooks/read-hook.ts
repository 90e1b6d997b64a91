import { isAbsolute } from 'node:path'
import type { HookEvent } from '../../../domain/harness/harness-hooks'
import { RECALL_MOMENTS, type RecallMoment } from '../../../domain/recall/recall'

/** An id that can be no path. */
const SESSION = /^[\w-]{1,200}$/

/** @see HarnessHooks.read */
export function readHook(payload: unknown): HookEvent | null {
  if (typeof payload !== 'object' || payload === null) return null
  const said = payload as Readonly<Record<string, unknown>>
  const { session_id: sessionId, turn_id: turnId } = said
  // A sub-agent's goal is another one, and messages are not for it. Its session is that of the root.
  if (typeof sessionId !== 'string' || !SESSION.test(sessionId) || said.agent_id != null) return null
  const facts = { sessionId, cwd: pathOf(said.cwd), transcript: pathOf(said.transcript_path) }
  const promptId = typeof turnId === 'string' ? turnId : ''
  switch (said.hook_event_name) {
    case 'SessionStart':
      return isStart(said.source) ? { ...facts, kind: 'start', moment: said.source, promptId } : null
    case 'UserPromptSubmit':
      return { ...facts, kind: 'prompt' }
    case 'Stop':
      // It goes on by a hook's word already: once in a turn is enough.
      return said.stop_hook_active === true ? null : { ...facts, kind: 'turnEnd' }
    default:
      return null
  }
}

const isStart = (source: unknown): source is Exclude<RecallMoment, 'precompact'> =>
  source !== 'precompact' && (RECALL_MOMENTS as readonly unknown[]).includes(source)

const pathOf = (path: unknown): string | null =>
  typeof path === 'string' && isAbsolute(path) && !path.includes('\0') ? path : null
