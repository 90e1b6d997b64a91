import { spawnSync } from 'node:child_process'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { HarnessSetup } from '../../../domain/harness/harness-setup'
import { serverRow } from '../../hook-settings/mcp-server'
import { notedFiles } from '../../hook-settings/settings-file'
import { hookRows } from './hook-rows'
import { check, setUp, takeDown } from './setup'

/** How our hooks and tools get into the settings of Copilot CLI. */
export const copilotSetup: HarnessSetup = {
  userFile({ COPILOT_HOME: folder, HOME }, cwd) {
    return join(folder ? resolve(cwd, folder) : join(HOME || homedir(), '.copilot'), 'hooks', 'lodeline.json')
  },
  // The CLI reads hooks of a repository; what they say is the repository's affair.
  projectFile: () => null,
  cliVersion,
  rows: (lode) => [...hookRows(lode), serverRow(lode)],
  setUp,
  takeDown,
  check,
  filesSetUp: (home) => notedFiles(home, 'copilot'),
  pluginRemoval: () => [],
  note: () => null,
}

function cliVersion(executable: string | null, env: Readonly<Record<string, string | undefined>>): string | null {
  const program = executable ?? Bun.which('copilot', { PATH: env.PATH ?? '' })
  if (program === null) return null
  const run = spawnSync(program, ['--version'], {
    encoding: 'utf8',
    timeout: 10_000,
    maxBuffer: 65_536,
    env: { ...env, COPILOT_AUTO_UPDATE: 'false' },
  })
  return run.status === 0 ? (/(\d+\.\d+\.\d+)/.exec(run.stdout)?.[1] ?? null) : null
}
