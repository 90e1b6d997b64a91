import { join, resolve } from 'node:path'
import type { AgentHarness } from '../../domain/harness/agent-harness'

/** Qwen Code. It is recorded and read; Lodeline does not run it. */
export const qwenHarness: AgentHarness = {
  name: 'qwen',
  title: 'Qwen Code',
  program: 'qwen',
  // Conversations follow QWEN_RUNTIME_DIR where it is set, settings alone follow QWEN_HOME (0.24).
  root: (env) => resolve(env.QWEN_RUNTIME_DIR || env.QWEN_HOME || join(env.HOME ?? '/', '.qwen')),
  rootEnvironment: (root) => ({ QWEN_RUNTIME_DIR: root }),
  files: async () => (await import('./files')).qwenFiles,
  read: async () => (await import('./index')).qwen,
  words: {
    textOf: async (line) => (await import('./content/whole-text')).wholeText(line),
    contentOf: async (line) => (await import('./content/line-content')).readLineContent(line),
    askingTools: async () => (await import('./tools')).ASKING_TOOLS,
  },
  translation: async () => (await import('./translate')).qwenTranslation,
  takesTranslations: false,
  run: null,
  presence: null,
  live: null,
  transcript: null,
  hooks: null,
  setup: null,
  agentFiles: null,
}
