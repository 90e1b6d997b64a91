import { dirname } from 'node:path'
import type { HarnessHooks, HookEvent } from '../../../domain/harness/harness-hooks'
import { readHook } from './read-hook'

/** The hooks of Codex. */
export const codexHooks: HarnessHooks = {
  read: readHook,
  // The rows of `setup` lift the CLI's own limit of 2,500 tokens. A person reads a long text at the end of no turn.
  answerLimit: 9_900,
  late: null,
  answer,
  // No launch is read: the CLI may encrypt a sub-agent's assignment.
  answerLaunch: () => '',
  processOf: () => null,
  arguments: readArguments,
  // The CLI names its session to the commands that it runs: CODEX_THREAD_ID.
  exportVariable() {},
  // <root>/sessions/<year>/<month>/<day>/rollout-….jsonl
  rootOf: (transcript) => dirname(dirname(dirname(dirname(dirname(transcript))))),
}

function answer({ kind }: Pick<HookEvent, 'kind'>, text: string): string {
  const cut = text.slice(0, codexHooks.answerLimit)
  if (cut === '') return ''
  if (kind === 'turnEnd') return JSON.stringify({ decision: 'block', reason: cut })
  const hookEventName = kind === 'prompt' ? 'UserPromptSubmit' : 'SessionStart'
  return JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext: cut } })
}

/** @see HarnessRun.startAnswer */
export const startAnswer = (text: string): string => answer({ kind: 'start' }, text)

const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function readArguments(words: readonly string[]): ReturnType<HarnessHooks['arguments']> {
  const verb = words.findIndex((word) => word === 'resume' || word === 'fork')
  const id = verb < 0 ? undefined : words.slice(verb + 1).find((word) => SESSION_ID.test(word))
  return { resumes: id ?? null, isFork: words[verb] === 'fork', isOneShot: words.includes('exec') }
}
