import { basename, dirname } from 'node:path'
import type { HarnessHooks } from '../../../domain/harness/harness-hooks'
import { sessionOf } from '../classify'
import { readHook } from './read-hook'

/** The calls of our extension in Pi, which has no hooks: what it is answered, it puts in. */
export const piHooks: HarnessHooks = {
  read: readHook,
  // The CLI cuts nothing. A person waits for no long text.
  answerLimit: 9_900,
  late: null,
  answer: (_event, text) => text.slice(0, piHooks.answerLimit),
  // No launch is read: the CLI has no sub-agents.
  answerLaunch: () => '',
  processOf: () => null,
  arguments: readArguments,
  // The CLI names its session to the commands that it runs: PI_SESSION_ID.
  exportVariable() {},
  // <root>/sessions/<folder>/<file>
  rootOf: (transcript) => dirname(dirname(dirname(transcript))),
}

const RESUMES = /^--(session|session-id|fork)$/

/** Sessions are named by their id, or by the path of their file. */
function readArguments(words: readonly string[]): ReturnType<HarnessHooks['arguments']> {
  const at = words.findIndex((word) => RESUMES.test(word))
  const named = at < 0 ? undefined : words[at + 1]
  const id = named === undefined ? null : (sessionOf(basename(named)) ?? named)
  return {
    resumes: id !== null && /^[\w.-]{1,100}$/.test(id) ? id : null,
    isFork: words[at] === '--fork',
    isOneShot: words.some((word) => word === '-p' || word === '--print'),
  }
}
