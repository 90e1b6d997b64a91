import type { HarnessRun } from '../../../domain/harness/harness-run'
import { acpLivePieces } from '../../acp/live-pieces'
import { startAnswer } from '../hooks'
import { MCP_FILE, mcpFile, openArguments, runArguments } from './arguments'
import { mayPassOn, modelUrls, runEnvironment } from './environment'
import { findExecutable, MINIMUM_VERSION, version } from './executable'
import { cutAtLastTurn } from './fork'
import { outcome } from './outcome'
import { openedBy, transcriptPath } from './place'
import { pluginFiles } from './plugin'
import { restore } from './restore'
import { state } from './state'
import { CopilotTalk } from './talk'

/** How Copilot CLI is run: by the Agent Client Protocol, from 1.0.102 on. With `-p` it asks for nothing and takes nothing more. */
export const copilotRun = {
  agent: 'copilot',
  minimum: MINIMUM_VERSION,
  version,
  findExecutable,
  runArguments,
  openArguments,
  runEnvironment,
  mayPassOn,
  modelUrls,
  runFiles: (options) => [{ name: MCP_FILE, text: mcpFile(options) }, ...pluginFiles(options)],
  startAnswer,
  sessionIds: 'its',
  transcriptPath,
  openedBy,
  state,
  restore,
  cutAtLastTurn,
  input: 'lines',
  asksPermission: true,
  stopSignal: 'SIGTERM',
  talk: (launch) => new CopilotTalk(launch),
  livePieces: acpLivePieces,
  outcome,
} satisfies HarnessRun
