import { MINUTE_MS } from '../../../domain/time-units'
import { agentProgram } from '../../program/agent-program'

/** The oldest release that was driven. */
export const MINIMUM_VERSION = '1.0.102'

const hint = `Install Copilot CLI ${MINIMUM_VERSION} or newer (\`npm install -g @github/copilot\`), or set its path with the setting \`agents.copilot.executable\`.`

export const { findExecutable, version } = agentProgram({
  title: 'Copilot CLI',
  program: 'copilot',
  minimum: MINIMUM_VERSION,
  release: /^GitHub Copilot CLI (\d+\.\d+\.\d+)/m,
  // At its first start a release unpacks itself.
  versionMs: MINUTE_MS,
  installHint: hint,
  updateHint: hint,
})
