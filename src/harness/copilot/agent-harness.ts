import { join, resolve } from 'node:path'
import type { AgentHarness } from '../../domain/harness/agent-harness'

/** GitHub Copilot CLI. Hooks load this file, so all else comes by a call. */
export const copilotHarness: AgentHarness = {
  name: 'copilot',
  title: 'Copilot CLI',
  program: 'copilot',
  root: (env) => resolve(env.COPILOT_HOME || join(env.HOME ?? '/', '.copilot')),
  rootEnvironment: (root) => ({ COPILOT_HOME: root }),
  files: async () => (await import('./files')).copilotFiles,
  read: async () => (await import('./index')).copilot,
  words: {
    textOf: async (line) => (await import('./content/whole-text')).wholeText(line),
    contentOf: async (line) => (await import('./content/line-content')).readLineContent(line),
    askingTools: async () => (await import('./tools')).ASKING_TOOLS,
  },
  translation: async () => (await import('./translate')).copilotTranslation,
  takesTranslations: true,
  run: async () => (await import('./run')).copilotRun,
  presence: async () => (await import('./reach/presence')).copilotPresence,
  live: null,
  transcript: null,
  hooks: async () => (await import('./hooks')).copilotHooks,
  setup: async () => (await import('./setup')).copilotSetup,
  agentFiles: null,
}
