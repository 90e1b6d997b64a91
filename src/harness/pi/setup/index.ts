import { spawnSync } from 'node:child_process'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { HarnessSetup } from '../../../domain/harness/harness-setup'
import { notedFiles } from '../../hook-settings/settings-file'
import { check, extensionRow, setUp, takeDown } from './setup'

/** How our extension gets into the folder of Pi. */
export const piSetup: HarnessSetup = {
  userFile({ PI_CODING_AGENT_DIR: folder, HOME }, cwd) {
    const root = folder ? resolve(cwd, folder) : join(HOME || homedir(), '.pi', 'agent')
    return join(root, 'extensions', 'lodeline.js')
  },
  // A repository may bring extensions, which Pi loads only for who trusts it.
  projectFile: () => null,
  cliVersion,
  rows: (lode) => [extensionRow(lode)],
  setUp,
  takeDown,
  check,
  filesSetUp: (home) => notedFiles(home, 'pi'),
  pluginRemoval: () => [],
  note: () => null,
}

function cliVersion(executable: string | null, env: Readonly<Record<string, string | undefined>>): string | null {
  const program = executable ?? Bun.which('pi', { PATH: env.PATH ?? '' })
  if (program === null) return null
  const run = spawnSync(program, ['--version'], {
    encoding: 'utf8',
    timeout: 10_000,
    maxBuffer: 65_536,
    env: { ...env, PI_SKIP_VERSION_CHECK: '1' },
  })
  return run.status === 0 ? (/(\d+\.\d+\.\d+)/.exec(`${run.stdout}${run.stderr}`)?.[1] ?? null) : null
}
