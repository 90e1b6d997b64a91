import { join, resolve } from 'node:path'
import type { AgentHarness } from '../../domain/harness/agent-harness'

/** Codex. Hooks load this file, so all else comes by a call. */
export const codexHarness: AgentHarness = {
  name: 'codex',
  title: 'Codex',
  program: 'codex',
  root: (env) => resolve(env.CODEX_HOME || join(env.HOME ?? '/', '.codex')),
  rootEnvironment: (root) => ({ CODEX_HOME: root }),
  files: async () => (await import('./files')).codexFiles,
  read: async () => (await import('./index')).codex,
  words: {
    textOf: async (line) => (await import('./content/whole-text')).wholeText(line),
    contentOf: async (line) => (await import('./content/line-content')).readLineContent(line),
    askingTools: async () => (await import('./tools')).ASKING_TOOLS,
  },
  translation: async () => (await import('./translate')).codexTranslation,
  takesTranslations: true,
  run: async () => (await import('./run')).codexRun,
  presence: async () => (await import('./reach/presence')).codexPresence,
  live: null,
  transcript: null,
  hooks: async () => (await import('./hooks')).codexHooks,
  setup: async () => (await import('./setup')).codexSetup,
  usageWindows: async () => (await import('./usage-windows')).lastWindows,
  agentFiles: null,
}
