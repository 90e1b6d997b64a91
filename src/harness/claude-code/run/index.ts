import type { HarnessRun } from '../../../domain/harness/harness-run'
import { MCP_FILE, openArguments, runArguments, SETTINGS_FILE } from './arguments'
import { modelUrls } from './bounds/model-urls'
import { state } from './bounds/state'
import { cutAtLastTurn } from './cut'
import { mayPassOn, runEnvironment } from './environment'
import { findExecutable, MINIMUM_VERSION, version } from './executable'
import { mcpConfigFile, settingsFile } from './files'
import { interruptLine, permissionLine, userLine } from './input'
import { livePieces } from './live-pieces'
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
  runFiles: (options) => [
    { name: SETTINGS_FILE, text: settingsFile(options) },
    { name: MCP_FILE, text: mcpConfigFile(options) },
  ],
  startAnswer: (text) => text,
  sessionIds: 'ours',
  transcriptPath,
  openedBy,
  state,
  restore,
  cutAtLastTurn,
  input: 'lines',
  asksPermission: true,
  stopSignal: 'SIGTERM',
  talk: () => {
    const reader = new RunReader()
    return {
      opening: () => '',
      read: (line) => reader.read(line),
      say: userLine,
      interrupt: interruptLine,
      permit: permissionLine,
    }
  },
  livePieces,
  outcome,
} satisfies HarnessRun
