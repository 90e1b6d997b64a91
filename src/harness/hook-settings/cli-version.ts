import { spawnSync } from 'node:child_process'

export interface VersionOptions {
  /** For the call: what keeps the CLI from updating itself. */
  env?: Readonly<Record<string, string>>
  timeoutMs?: number
}

/** Asks a CLI for its release, by its path or as `PATH` finds it. `null` = there is none, or it does not say. */
export const versionOf =
  (program: string, { env: own, timeoutMs = 10_000 }: VersionOptions = {}) =>
  (executable: string | null, env: Readonly<Record<string, string | undefined>>): string | null => {
    const path = executable ?? Bun.which(program, { PATH: env.PATH ?? '' })
    if (path === null) return null
    const run = spawnSync(path, ['--version'], {
      encoding: 'utf8',
      timeout: timeoutMs,
      maxBuffer: 65_536,
      env: { ...env, ...own },
    })
    // Some say it on stderr.
    return run.status === 0 ? (/(\d+\.\d+\.\d+)/.exec(`${run.stdout}${run.stderr}`)?.[1] ?? null) : null
  }
