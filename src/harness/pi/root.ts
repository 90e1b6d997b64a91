import { join, resolve } from 'node:path'

/** The configuration folder that the CLI uses in an environment. */
export const piRoot = (env: Readonly<Record<string, string | undefined>>): string =>
  resolve(env.PI_CODING_AGENT_DIR || join(env.HOME ?? '/', '.pi', 'agent'))
