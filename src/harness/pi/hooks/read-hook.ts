import { isAbsolute } from 'node:path'
import type { HookEvent } from '../../../domain/harness/harness-hooks'
import { RECALL_MOMENTS, type RecallMoment } from '../../../domain/recall/recall'

/** An id that can be no path. */
const SESSION = /^[\w.-]{1,200}$/

/** A payload as our own extension makes it (`../extension/of-person.ts`). @see HarnessHooks.read */
export function readHook(payload: unknown): HookEvent | null {
  if (typeof payload !== 'object' || payload === null) return null
  const said = payload as Readonly<Record<string, unknown>>
  const { session_id: sessionId } = said
  if (typeof sessionId !== 'string' || !SESSION.test(sessionId)) return null
  const facts = { sessionId, cwd: pathOf(said.cwd), transcript: pathOf(said.transcript_path) }
  switch (said.hook_event_name) {
    case 'SessionStart':
      return isStart(said.source) ? { ...facts, kind: 'start', moment: said.source, promptId: '' } : null
    case 'UserPromptSubmit':
      return { ...facts, kind: 'prompt' }
    default:
      return null
  }
}

const isStart = (source: unknown): source is Exclude<RecallMoment, 'precompact'> =>
  source !== 'precompact' && (RECALL_MOMENTS as readonly unknown[]).includes(source)

const pathOf = (path: unknown): string | null =>
  typeof path === 'string' && isAbsolute(path) && !path.includes('\0') ? path : null
