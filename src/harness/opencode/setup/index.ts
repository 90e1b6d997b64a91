import { spawnSync } from 'node:child_process'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { HarnessSetup } from '../../../domain/harness/harness-setup'
import { notedFiles } from '../../hook-settings/settings-file'
import { hookRows } from './hook-rows'
import { check, setUp, takeDown } from './setup'

/** How our plugin gets into opencode: as a file of its own, so that the person's settings stay as they are. */
export const opencodeSetup: HarnessSetup = {
  userFile({ XDG_CONFIG_HOME: folder, HOME }, cwd) {
    const root = folder ? resolve(cwd, folder) : join(HOME || homedir(), '.config')
    return join(root, 'opencode/plugin/lodeline.js')
  },
  // A plugin of a project is one for all who work on it.
  projectFile: () => null,
  cliVersion,
  rows: (lode) => hookRows(lode),
  setUp,
  takeDown,
  check,
  filesSetUp: (home) => notedFiles(home, 'opencode'),
  pluginRemoval: () => [],
  note: () => null,
}

function cliVersion(executable: string | null, env: Readonly<Record<string, string | undefined>>): string | null {
  const program = executable ?? Bun.which('opencode', { PATH: env.PATH ?? '' })
  if (program === null) return null
  const options = { encoding: 'utf8', timeout: 30_000, maxBuffer: 65_536, env: { ...env } } as const
  const run = spawnSync(program, ['--version'], options)
  return run.status === 0 ? (/(\d+\.\d+\.\d+)/.exec(run.stdout)?.[1] ?? null) : null
}
