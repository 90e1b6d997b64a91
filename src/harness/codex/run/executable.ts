import { agentProgram } from '../../program/agent-program'

/** The oldest release that was driven. */
export const MINIMUM_VERSION = '0.169.0'

const hint = `Install Codex ${MINIMUM_VERSION} or newer (\`npm install -g @openai/codex\`), or set its path with the setting \`agents.codex.executable\`.`

export const { findExecutable, version } = agentProgram({
  title: 'Codex',
  program: 'codex',
  minimum: MINIMUM_VERSION,
  release: /^codex-cli (\d+\.\d+\.\d+)/,
  versionMs: 30_000,
  installHint: hint,
  updateHint: hint,
})
