import { dirname, join, resolve } from 'node:path'
import type { AgentHarness } from '../../domain/harness/agent-harness'

/** Gemini CLI. It is recorded and read; Lodeline does not run it. */
export const geminiHarness: AgentHarness = {
  name: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  // The variable names what the CLI takes for the home, not the folder itself (0.61).
  root: (env) => join(resolve(env.GEMINI_CLI_HOME || (env.HOME ?? '/')), '.gemini'),
  rootEnvironment: (root) => ({ GEMINI_CLI_HOME: dirname(root) }),
  files: async () => (await import('./files')).geminiFiles,
  read: async () => (await import('./index')).gemini,
  words: {
    textOf: async (line) => (await import('./content/whole-text')).wholeText(line),
    contentOf: async (line) => (await import('./content/line-content')).readLineContent(line),
    askingTools: async () => (await import('./tools')).ASKING_TOOLS,
  },
  translation: async () => (await import('./translate')).geminiTranslation,
  takesTranslations: false,
  run: null,
  presence: null,
  live: null,
  transcript: null,
  hooks: null,
  setup: null,
  agentFiles: null,
}
