import { join, resolve } from 'node:path'
import type { AgentHarness } from '../../domain/harness/agent-harness'

/** opencode 1.x. It is recorded, read and run. */
export const opencodeHarness: AgentHarness = {
  name: 'opencode',
  title: 'opencode',
  program: 'opencode',
  root: (env) => resolve(env.XDG_DATA_HOME || join(env.HOME ?? '/', '.local/share'), 'opencode'),
  rootEnvironment: (root) => ({ XDG_DATA_HOME: resolve(root, '..') }),
  files: async () => (await import('./files')).opencodeFiles,
  database: async () => (await import('./rows')).opencodeDatabase,
  importable: async () => (await import('./rows/importable')).importableDocument,
  read: async () => (await import('./index')).opencode,
  words: {
    textOf: async (line) => (await import('./content/whole-text')).wholeText(line),
    contentOf: async (line) => (await import('./content/line-content')).readLineContent(line),
    askingTools: async () => (await import('./tools')).ASKING_TOOLS,
  },
  translation: async () => (await import('./translate')).opencodeTranslation,
  takesTranslations: true,
  run: async () => (await import('./run')).opencodeRun,
  presence: async () => (await import('./reach/presence')).opencodePresence,
  live: null,
  transcript: null,
  hooks: async () => (await import('./hooks/read-hook')).opencodeHooks,
  setup: async () => (await import('./setup')).opencodeSetup,
  agentFiles: null,
}
