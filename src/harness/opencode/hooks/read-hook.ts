import { isAbsolute } from 'node:path'
import type { HarnessHooks, HookEvent } from '../../../domain/harness/harness-hooks'
import { isRecord } from '../../json-lines/json-value'

/** The hooks of opencode: what our plugin of `setup` calls. It puts what they print into the conversation. */
export const opencodeHooks: HarnessHooks = {
  read: readHook,
  answerLimit: 9_900,
  late: null,
  answer: (_event, text) => text.slice(0, opencodeHooks.answerLimit),
  // No launch is reported.
  answerLaunch: () => '',
  processOf: ({ OPENCODE_PID: pid }) => pid ?? null,
  arguments: readArguments,
  // The plugin names the session to the commands that it runs.
  exportVariable() {},
  // Its conversations are in no files of their own.
  rootOf: (transcript) => transcript,
}

/** An id that can be no path. */
const SESSION = /^ses_\w{1,200}$/

function readHook(payload: unknown): HookEvent | null {
  if (!isRecord(payload)) return null
  const { session_id: sessionId, cwd, source } = payload
  if (typeof sessionId !== 'string' || !SESSION.test(sessionId)) return null
  const isPath = typeof cwd === 'string' && isAbsolute(cwd) && !cwd.includes('\0')
  const facts = { sessionId, cwd: isPath ? cwd : null, transcript: null }
  if (payload.hook_event_name === 'UserPromptSubmit') return { ...facts, kind: 'prompt' }
  if (payload.hook_event_name !== 'SessionStart') return null
  return source === 'startup' || source === 'resume' || source === 'compact'
    ? { ...facts, kind: 'start', moment: source, promptId: '' }
    : null
}

function readArguments(words: readonly string[]): ReturnType<HarnessHooks['arguments']> {
  const at = words.findIndex((word) => word === '-s' || word === '--session')
  const id = at < 0 ? undefined : words[at + 1]
  return {
    resumes: id !== undefined && SESSION.test(id) ? id : null,
    isFork: words.includes('--fork'),
    isOneShot: words[1] === 'run',
  }
}
