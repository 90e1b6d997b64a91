import type { AgentHarness } from '../../domain/harness/agent-harness'
import { piRoot } from './root'

/** Pi. Hooks load this file, so all else comes by a call. */
export const piHarness: AgentHarness = {
  name: 'pi',
  title: 'Pi',
  program: 'pi',
  root: piRoot,
  rootEnvironment: (root) => ({ PI_CODING_AGENT_DIR: root }),
  files: async () => (await import('./files')).piFiles,
  read: async () => (await import('./index')).pi,
  words: {
    textOf: async (line) => (await import('./content/whole-text')).wholeText(line),
    contentOf: async (line) => (await import('./content/line-content')).readLineContent(line),
    askingTools: async () => (await import('./tools')).ASKING_TOOLS,
  },
  translation: async () => (await import('./translate')).piTranslation,
  takesTranslations: true,
  run: async () => (await import('./run')).piRun,
  presence: async () => (await import('./reach/presence')).piPresence,
  live: null,
  transcript: null,
  hooks: async () => (await import('./hooks')).piHooks,
  setup: async () => (await import('./setup')).piSetup,
  agentFiles: null,
}
