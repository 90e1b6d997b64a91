import { spawnSync } from 'node:child_process'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { HarnessSetup } from '../../../domain/harness/harness-setup'
import { hookRows } from './hook-rows'
import { check, setUp, takeDown } from './setup'

/** How our hooks get into the settings of Codex. */
export const codexSetup: HarnessSetup = {
  userFile({ CODEX_HOME: folder, HOME }, cwd) {
    return join(folder ? resolve(cwd, folder) : join(HOME || homedir(), '.codex'), 'hooks.json')
  },
  // Codex reads hooks of a project that a person trusts; their trust is kept for each person.
  projectFile: () => null,
  cliVersion,
  rows: (lode) => hookRows(lode),
  setUp,
  takeDown,
  check,
  note: () => null,
}

function cliVersion(executable: string | null, env: Readonly<Record<string, string | undefined>>): string | null {
  const program = executable ?? Bun.which('codex', { PATH: env.PATH ?? '' })
  if (program === null) return null
  const run = spawnSync(program, ['--version'], {
    encoding: 'utf8',
    timeout: 10_000,
    maxBuffer: 65_536,
    env: { ...env },
  })
  return run.status === 0 ? (/(\d+\.\d+\.\d+)/.exec(run.stdout)?.[1] ?? null) : null
}
