import { isAbsolute } from 'node:path'
import type { HookEvent } from '../../../domain/harness/harness-hooks'

/** An id that can be no path. */
const SESSION = /^[\w-]{1,200}$/

/** How a session begins, in the CLI's words (1.0.102). A conversation that was cleared begins a `new` session. */
const MOMENTS: ReadonlyMap<unknown, 'startup' | 'resume'> = new Map([
  ['new', 'startup'],
  ['startup', 'startup'],
  ['resume', 'resume'],
] as const)

/**
 * A payload as the CLI gives it to events in PascalCase: those in camelCase do not name their event.
 *
 * @see HarnessHooks.read
 */
export function readHook(payload: unknown): HookEvent | null {
  if (typeof payload !== 'object' || payload === null) return null
  const said = payload as Readonly<Record<string, unknown>>
  const { session_id: sessionId } = said
  // A sub-agent's goal is another one, and messages are not for it.
  if (typeof sessionId !== 'string' || !SESSION.test(sessionId) || said.agent_id != null) return null
  const facts = { sessionId, cwd: pathOf(said.cwd), transcript: pathOf(said.transcript_path) }
  switch (said.hook_event_name) {
    case 'SessionStart': {
      const moment = MOMENTS.get(said.source)
      return moment === undefined ? null : { ...facts, kind: 'start', moment, promptId: '' }
    }
    case 'PreCompact':
      return { ...facts, kind: 'compaction', moment: 'precompact', promptId: '' }
    case 'UserPromptSubmit':
      return { ...facts, kind: 'prompt' }
    case 'Stop':
      // It goes on by a hook's word already: once in a turn is enough.
      return said.stop_hook_active === true ? null : { ...facts, kind: 'turnEnd' }
    default:
      return null
  }
}

const pathOf = (path: unknown): string | null =>
  typeof path === 'string' && isAbsolute(path) && !path.includes('\0') ? path : null
