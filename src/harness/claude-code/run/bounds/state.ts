import { dirname, join } from 'node:path'
import type { CliPlace, CliState, RunArguments } from '../../../../domain/harness/harness-run'
import { checkedId, conversationFolder } from '../place'

/** What the CLI keeps for itself between runs, or writes for the one that is under way. */
const PRIVATE = [
  'backups',
  'cache',
  'daemon',
  'debug',
  'file-history',
  'history.jsonl',
  'ide',
  'image-cache',
  'jobs',
  'logs',
  'paste-cache',
  'plans',
  'session-env',
  // Processes by their number, which in a sandbox is another one.
  'sessions',
  'shell-snapshots',
  'statsig',
  'teams',
  'telemetry',
  'todos',
  '.cc-writes',
]

/**
 * To go on in its conversation a run needs the transcripts of its folder and its to-dos. A login that the CLI renews must not be lost,
 * or the person is logged out.
 */
export function state(place: CliPlace, { conversation }: Pick<RunArguments, 'conversation'>): CliState {
  const { sessionId } = conversation
  return {
    kept: [conversationFolder(place), `tasks/${checkedId(sessionId)}`],
    shared: ['.credentials.json'],
    private: PRIVATE,
    // Made before each shell command and each hook.
    needed: [`session-env/${checkedId(sessionId)}`],
    // In the home folder, or where `CLAUDE_CONFIG_DIR` puts it.
    copied: [join(dirname(place.root), '.claude.json'), join(place.root, '.claude.json')],
    readable: [],
    elsewhere: [],
    hidden: [],
  }
}
