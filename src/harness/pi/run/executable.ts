import { agentProgram } from '../../program/agent-program'

/** The oldest release that is driven: the one that the tests run. Older ones are still recorded. */
export const MINIMUM_VERSION = '0.87.1'

export const { findExecutable, version } = agentProgram({
  title: 'Pi',
  program: 'pi',
  minimum: MINIMUM_VERSION,
  release: /^(\d+\.\d+\.\d+)(?:-\S+)?$/m,
  versionMs: 30_000,
  installHint:
    'Install Pi (`npm install -g @earendil-works/pi-coding-agent`), or set its path with the setting `agents.pi.executable`.',
  updateHint: `Run \`pi update\`; ${MINIMUM_VERSION} or newer is needed to run tasks.`,
})
