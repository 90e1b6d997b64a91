import { agentProgram } from '../../program/agent-program'

/** The oldest release that is driven: older ones don't say when they are idle. They are still recorded. */
export const MINIMUM_VERSION = '2.1.197'

export const { findExecutable, version } = agentProgram({
  title: 'Claude Code',
  program: 'claude',
  minimum: MINIMUM_VERSION,
  release: /^(\d+\.\d+\.\d+(?:-\S+)?)(?= |\n|$)/,
  versionMs: 30_000,
  installHint:
    'Install Claude Code (`npm install -g @anthropic-ai/claude-code`), or set its path with the setting `agents.claude-code.executable`.',
  updateHint: `Run \`claude update\`, or \`npm install -g @anthropic-ai/claude-code\`; ${MINIMUM_VERSION} or newer is needed to run tasks.`,
})
