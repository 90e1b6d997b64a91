import type { HarnessRun } from '../../../domain/harness/harness-run'
import { extensionFile } from '../extension/of-run'
import { EXTENSION_FILE, openArguments, runArguments } from './arguments'
import { cutAtLastTurn } from './cut'
import { mayPassOn, runEnvironment } from './environment'
import { findExecutable, MINIMUM_VERSION, version } from './executable'
import { livePieces } from './live-pieces'
import { modelUrls } from './model-urls'
import { outcome } from './outcome'
import { openedBy, transcriptPath } from './place'
import { restore } from './restore'
import { state } from './state'
import { PiTalk } from './talk'

/** How Pi is run: in its RPC mode, with an extension of ours. */
export const piRun = {
  agent: 'pi',
  minimum: MINIMUM_VERSION,
  version,
  findExecutable,
  runArguments,
  openArguments,
  runEnvironment,
  mayPassOn,
  modelUrls,
  runFiles: (options) => [{ name: EXTENSION_FILE, text: extensionFile(options) }],
  sessionIds: 'ours',
  transcriptPath,
  openedBy,
  state,
  restore,
  cutAtLastTurn,
  input: 'lines',
  asksPermission: true,
  stopSignal: 'SIGTERM',
  talk: (launch) => new PiTalk(launch),
  livePieces,
  outcome,
} satisfies HarnessRun
