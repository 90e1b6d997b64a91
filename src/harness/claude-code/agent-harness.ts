import { join, resolve } from 'node:path'
import type { AgentHarness } from '../../domain/harness/agent-harness'
import { transcriptCheck } from './reach/transcript-check'

/** Claude Code. What it can do and where that is; hooks load this file, so all else comes by a call. */
export const claudeCodeHarness: AgentHarness = {
  name: 'claude-code',
  title: 'Claude Code',
  program: 'claude',
  root: (env) => resolve(env.CLAUDE_CONFIG_DIR || join(env.HOME ?? '/', '.claude')),
  rootEnvironment: (root) => ({ CLAUDE_CONFIG_DIR: root }),
  files: async () => (await import('./files')).claudeCodeFiles,
  read: async () => (await import('./index')).claudeCode,
  words: {
    textOf: async (line) => (await import('./content/whole-text')).wholeText(line),
    contentOf: async (line) => (await import('./content/line-content')).readLineContent(line),
    askingTools: async () => (await import('./tools')).ASKING_TOOLS,
  },
  translation: async () => (await import('./translate')).claudeCodeTranslation,
  takesTranslations: true,
  run: async () => (await import('./run')).claudeCodeRun,
  presence: async () => (await import('./reach/presence-file')).claudeCodePresence,
  live: async () => (await import('./reach')).claudeCodeLive,
  transcript: transcriptCheck,
  hooks: async () => (await import('./hooks')).claudeCodeHooks,
  setup: async () => (await import('./setup')).claudeCodeSetup,
  agentFiles: async () => (await import('./agent-file')).claudeCodeAgentFiles,
}
