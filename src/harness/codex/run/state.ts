import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { CliPlace, CliState, RunArguments, StateOptions, Unboxed } from '../../../domain/harness/harness-run'
import { DAY_MS } from '../../../domain/time-units'
import { packedNow } from '../../../util/files/packed-file'
import { headOf, namesIn } from '../../../util/files/quiet-looks'
import { recordOf, uuidOf } from '../../json-lines/json-value'
import { rolloutOf } from '../files'
import { THREAD_LOCKS } from '../reach/presence'
import { threadIn } from './cut'
import { isReadOnly } from './modes'

/** What a run reads of the configuration folder as the person left it. All else is the CLI's own, of which the run has none. */
const READ = ['config.toml', 'hooks.json', 'AGENTS.md', 'AGENTS.override.md', 'skills', 'prompts', 'rules']
const LOGIN = 'auth.json'
/** More forks of forks than anybody makes. */
const MOST_ORIGINS = 100
/** Bytes of a rollout's first line: it quotes the instructions of the project. */
const HEAD_BYTES = 256 * 1_024

/**
 * Where the CLI keeps the threads that a run begins: in the folder of the day, of which there may be a second one at the run's end. Other
 * threads there are hidden. Among older threads the run sees the one that goes on, and those that it was forked from: they hold its
 * beginning. Its databases are made anew of these. The locks are shared, or two might write one thread.
 */
export function state(
  { root }: CliPlace,
  { conversation, permissionMode }: Pick<StateOptions, 'conversation' | 'permissionMode'>,
): CliState | Unboxed {
  if (isReadOnly(permissionMode))
    return { why: `in the mode ${permissionMode} Codex needs its own sandbox, and none can be made within another` }
  const now = Date.now()
  const from = threadOf(conversation)
  const own = from === null ? null : rolloutOf(root, from)
  const origins = own === null ? [] : originsOf(root, own)
  const days = [now, now + DAY_MS].map(dayFolder)
  const below = (path: string): string => relative(root, packedNow(path) ?? path)
  const isResume = conversation.kind === 'resume'
  const seen = new Set([...(own === null ? [] : [own]), ...origins].map(below))
  return {
    kept: [THREAD_LOCKS, ...days],
    shared: [LOGIN, ...(isResume && own !== null ? [below(own)] : [])],
    private: namesIn(root).filter((name) => ![...READ, LOGIN, THREAD_LOCKS].includes(name)),
    needed: [],
    // It opens this one to write it, and needs no change to be kept.
    copied: [join(root, 'installation_id')],
    readable: [...seen],
    elsewhere: [],
    hidden: days
      .flatMap((day) => namesIn(join(root, day)).map((name) => join(day, name)))
      .filter((path) => !seen.has(path)),
  }
}

/** The thread that goes on, or of which the run's is a fork. */
function threadOf(conversation: RunArguments['conversation']): string | null {
  if (conversation.kind === 'new') return null
  return conversation.kind === 'resume' ? conversation.sessionId : threadIn(readFileSync(conversation.path))
}

/** Rollouts of which this one is a fork: a fork's file holds what is its own alone. */
function originsOf(root: string, rollout: string): string[] {
  const found: string[] = []
  for (let at = rollout; found.length < MOST_ORIGINS; ) {
    const origin = originOf(at)
    const path = origin === undefined ? null : rolloutOf(root, origin)
    if (path === null || path === rollout || found.includes(path)) break
    found.push(path)
    at = path
  }
  return found
}

function originOf(rollout: string): string | undefined {
  const head = new TextDecoder().decode(headOf(rollout, HEAD_BYTES))
  try {
    const payload = recordOf(recordOf(JSON.parse(head.slice(0, head.indexOf('\n'))))?.payload)
    return uuidOf(recordOf(payload?.history_base)?.thread_id) ?? uuidOf(payload?.forked_from_id)
  } catch {
    return undefined
  }
}

/** By the time of the machine. */
function dayFolder(at: number): string {
  const day = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  return join('sessions', String(day.getFullYear()), two(day.getMonth() + 1), two(day.getDate()))
}
