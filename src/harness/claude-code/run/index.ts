import type { HarnessRun } from '../../../domain/harness-run'
import { openArguments, runArguments } from './arguments'
import { cutAtLastTurn } from './cut'
import { runEnvironment } from './environment'
import { findExecutable, MINIMUM_VERSION, version } from './executable'
import { interruptLine, permissionLine, userLine } from './input'
import { outcome } from './outcome'
import { transcriptPath } from './place'
import { RunReader } from './reader'
import { openedBy } from './registry'
import { restore } from './restore'

export { mayPassOn } from './environment'
export { mcpConfigFile, settingsFile } from './files'

/** How Claude Code is run: releases from 2.1.197 on. */
export const claudeCodeRun: HarnessRun = {
  minimum: MINIMUM_VERSION,
  version,
  findExecutable,
  runArguments,
  openArguments,
  runEnvironment,
  transcriptPath,
  openedBy,
  restore,
  cutAtLastTurn,
  userLine,
  interruptLine,
  permissionLine,
  reader: () => new RunReader(),
  outcome,
}
