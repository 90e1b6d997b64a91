import type { HarnessRun } from '../../../domain/harness/harness-run'
import { acpLivePieces } from '../../acp/live-pieces'
import { opencodePresence } from '../reach/presence'
import { hasSession } from '../rows/has-session'
import { isRecorded } from '../rows/is-recorded'
import { openArguments, PLUGIN_FILE, runArguments } from './arguments'
import { cutAtLastTurn } from './cut'
import { mayPassOn, modelUrls, runEnvironment } from './environment'
import { findExecutable, MINIMUM_VERSION, version } from './executable'
import { outcome } from './outcome'
import { pluginFile } from './plugin'
import { restore } from './restore'
import { OpencodeTalk } from './talk'

const NO_SANDBOX = 'opencode keeps all your conversations in one database, which the task could read and change'

/** How opencode is run: by the Agent Client Protocol, with a plugin of ours. */
export const opencodeRun = {
  agent: 'opencode',
  minimum: MINIMUM_VERSION,
  version,
  findExecutable,
  runArguments,
  openArguments,
  runEnvironment,
  mayPassOn,
  modelUrls,
  runFiles: (options) => [{ name: PLUGIN_FILE, text: pluginFile(options) }],
  sessionIds: 'its',
  // Its conversations are in a database.
  transcriptPath: () => null,
  has: ({ root }, sessionId) => hasSession(root, sessionId),
  isRecorded: ({ root }, sessionId, journal) => isRecorded(root, sessionId, journal),
  openedBy: ({ root }, sessionId) => {
    const held = opencodePresence.look(root)?.find((one) => one.sessionId === sessionId)
    return held === undefined ? null : { pid: held.pid, kind: 'opencode' }
  },
  noSandbox: NO_SANDBOX,
  state: () => ({ why: NO_SANDBOX }),
  restore,
  cutAtLastTurn,
  input: 'lines',
  asksPermission: true,
  stopSignal: 'SIGTERM',
  talk: (launch) => new OpencodeTalk(launch),
  livePieces: acpLivePieces,
  outcome,
} satisfies HarnessRun
