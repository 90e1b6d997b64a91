import { join } from 'node:path'
import type { CliPlace, CliState, StateOptions } from '../../../domain/harness/harness-run'
import { namesIn } from '../../../util/files/quiet-looks'
import { checkedId } from './place'

/** Where the CLI keeps sessions, and locks for them. */
const SESSIONS = 'session-state'
/** What a run reads of the configuration folder as the person left it. All else is the CLI's own, of which the run has none. */
const READ = [
  'settings.json',
  'mcp-config.json',
  'mcp-oauth-config',
  'copilot-instructions.md',
  'instructions',
  'agents',
  'skills',
  'hooks',
  'installed-plugins',
]
/** The CLI writes it at each start; a login that is not in a key ring stands in it. */
const REWRITTEN = 'config.json'

/**
 * The CLI names the session that begins, so a run writes in the folder of all sessions. Those that were there when it began are hidden, but
 * for the one that goes on. The CLI unpacks itself into a cache when it is first asked its version: a run reads that, as another unpacking
 * would take 290 MB for each.
 */
export function state({ root }: CliPlace, { conversation, env }: Pick<StateOptions, 'conversation' | 'env'>): CliState {
  const own = conversation.kind === 'resume' ? checkedId(conversation.sessionId) : null
  return {
    kept: [SESSIONS],
    shared: [],
    private: namesIn(root).filter((name) => ![...READ, SESSIONS].includes(name)),
    needed: [],
    copied: [join(root, REWRITTEN)],
    readable: [],
    elsewhere: [join(env.XDG_CACHE_HOME || join(env.HOME ?? '/', '.cache'), 'copilot', 'pkg')],
    hidden: namesIn(join(root, SESSIONS))
      .filter((name) => name !== own && !name.startsWith('.'))
      .map((name) => join(SESSIONS, name)),
  }
}
