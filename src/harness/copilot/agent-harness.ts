import { join, resolve } from 'node:path'
import type { AgentHarness } from '../../domain/harness/agent-harness'

/** GitHub Copilot CLI. It is recorded, read and run. */
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
  translation: null,
  run: async () => (await import('./run')).copilotRun,
  presence: async () => (await import('./reach/presence')).copilotPresence,
  live: null,
  transcript: null,
  hooks: null,
  setup: null,
  agentFiles: null,
}
