import { join, resolve } from 'node:path'
import type { AgentHarness } from '../../domain/harness/agent-harness'

/** Pi. It is recorded and read; Lodeline does not run it. */
export const piHarness: AgentHarness = {
  name: 'pi',
  title: 'Pi',
  program: 'pi',
  root: (env) => resolve(env.PI_CODING_AGENT_DIR || join(env.HOME ?? '/', '.pi', 'agent')),
  rootEnvironment: (root) => ({ PI_CODING_AGENT_DIR: root }),
  files: async () => (await import('./files')).piFiles,
  read: async () => (await import('./index')).pi,
  words: {
    textOf: async (line) => (await import('./content/whole-text')).wholeText(line),
    contentOf: async (line) => (await import('./content/line-content')).readLineContent(line),
    askingTools: async () => (await import('./tools')).ASKING_TOOLS,
  },
  translation: null,
  run: null,
  presence: null,
  live: null,
  transcript: null,
  hooks: null,
  setup: null,
  agentFiles: null,
}
