import type { HarnessRun } from '../../../domain/harness/harness-run'
import { openArguments, runArguments } from './arguments'
import { modelUrls } from './bounds/model-urls'
import { state } from './bounds/state'
import { cutAtLastTurn } from './cut'
import { mayPassOn, runEnvironment } from './environment'
import { findExecutable, MINIMUM_VERSION, version } from './executable'
import { mcpConfigFile, settingsFile } from './files'
import { interruptLine, permissionLine, userLine } from './input'
import { outcome } from './outcome'
import { transcriptPath } from './place'
import { RunReader } from './reader'
import { openedBy } from './registry'
import { restore } from './restore'

/** How Claude Code is run: releases from 2.1.197 on. */
export const claudeCodeRun = {
  agent: 'claude-code',
  minimum: MINIMUM_VERSION,
  version,
  findExecutable,
  runArguments,
  openArguments,
  runEnvironment,
  mayPassOn,
  modelUrls,
  runFiles: (options) => ({ settings: settingsFile(options), mcpConfig: mcpConfigFile(options) }),
  sessionIds: 'ours',
  transcriptPath,
  openedBy,
  state,
  restore,
  cutAtLastTurn,
  input: 'lines',
  userLine,
  interruptLine,
  permissionLine,
  stopSignal: 'SIGTERM',
  reader: () => new RunReader(),
  outcome,
} satisfies HarnessRun
