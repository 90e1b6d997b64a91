import { appendFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import type { HarnessHooks, HookEvent } from '../../../domain/harness/harness-hooks'
import { readHook } from './read-hook'

/** The hooks of Claude Code. */
export const claudeCodeHooks: HarnessHooks = {
  read: readHook,
  // The CLI puts more than 10,000 characters into a file and gives the model its beginning.
  answerLimit: 9_900,
  late: null,
  answer,
  answerLaunch: (verdict, text) =>
    output(
      'PreToolUse',
      verdict === 'refuse'
        ? { permissionDecision: 'deny', permissionDecisionReason: text }
        : { additionalContext: text },
    ),
  processOf: ({ CLAUDE_PID: pid = '' }) => (/^[1-9]\d{0,9}$/.test(pid) ? pid : null),
  arguments: readArguments,
  exportVariable,
  // <root>/projects/<project>/<session>.jsonl
  rootOf: (transcript) => dirname(dirname(dirname(transcript))),
}

function answer({ kind }: HookEvent, text: string): string {
  // At the end of a turn plain text reaches nobody; as context it has the agent go on.
  if (kind === 'turnEnd') return text === '' ? '' : output('Stop', { additionalContext: text })
  // Text that begins like JSON is read as JSON by the CLI; ours never does.
  return text.startsWith('{') ? '' : text.slice(0, claudeCodeHooks.answerLimit)
}

const output = (hookEventName: string, said: Readonly<Record<string, string>>): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName, ...said } })

const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function readArguments(words: readonly string[]): ReturnType<HarnessHooks['arguments']> {
  const valueAfter = (option: RegExp): string | undefined => {
    const at = words.findIndex((word) => option.test(word))
    return at < 0 ? undefined : (words[at]?.split('=')[1] ?? words[at + 1])
  }
  const resumes = valueAfter(/^(--resume|-r)(=|$)/)
  return {
    resumes: resumes !== undefined && SESSION_ID.test(resumes) ? resumes : null,
    isFork: words.includes('--fork-session'),
    isOneShot:
      words.some((word) => word === '-p' || word === '--print') && valueAfter(/^--input-format(=|$)/) !== 'stream-json',
  }
}

/** Appends to the file that the CLI gives to the hooks of a session's start. Before 2.1.132 the CLI itself named the session nowhere. */
function exportVariable(
  { CLAUDE_ENV_FILE: file }: Readonly<Record<string, string | undefined>>,
  name: string,
  value: string,
) {
  if (!file || !isAbsolute(file) || !/^[\w-]{1,200}$/.test(value)) return
  try {
    // A pipe or device in its place would hang the agent.
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat !== undefined && !stat.isFile()) return
    appendFileSync(file, `export ${name}='${value}'\n`, { mode: 0o600 })
  } catch {
    // Its commands then ask for --session.
  }
}
