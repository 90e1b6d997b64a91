import { agentProgram } from '../../program/agent-program'

/** The oldest release that is driven: the one that the tests run. Older ones are still recorded. */
export const MINIMUM_VERSION = '1.18.33'

export const { findExecutable, version } = agentProgram({
  title: 'opencode',
  program: 'opencode',
  minimum: MINIMUM_VERSION,
  // 2.x has another database and other plugins.
  release: /^(1\.\d+\.\d+)(?:-\S+)?$/m,
  versionMs: 30_000,
  installHint: `Install opencode ${MINIMUM_VERSION} or a newer 1.x (\`npm install -g opencode-ai\`), or set its path with the setting \`agents.opencode.executable\`.`,
  updateHint: `Run \`opencode upgrade\`; ${MINIMUM_VERSION} or newer is needed to run tasks.`,
})
