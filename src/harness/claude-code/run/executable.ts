import { execFile } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { AppError } from '../../../domain/errors'

/** The oldest release that is driven: older ones don't say when they are idle. They are still recorded. */
export const MINIMUM_VERSION = '2.1.197'

const UPDATE_HINT = `Run \`claude update\`, or \`npm install -g @anthropic-ai/claude-code\`; ${MINIMUM_VERSION} or newer is needed to run tasks.`
const INSTALL_HINT =
  'Install Claude Code (`npm install -g @anthropic-ai/claude-code`), or set its path with the setting `agents.claude-code.executable`.'

/**
 * Finds the CLI: `configured` (an absolute path, or a name looked up in `PATH`), else `claude` in `PATH`. A script is as good as
 * a binary.
 *
 * @throws `not_found` nothing there that can be executed
 */
export function findExecutable(env: Record<string, string>, configured: string | null): string {
  const name = configured ?? 'claude'
  if (isAbsolute(name)) {
    if (isExecutable(name)) return name
    throw new AppError('not_found', `${name} is not an executable program.`, { hint: INSTALL_HINT })
  }
  if (name.includes('/'))
    throw new AppError('not_found', `The path of the agent's CLI must be absolute: ${name}.`, { hint: INSTALL_HINT })
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    // A relative folder would mean another program in each working directory.
    if (!isAbsolute(folder)) continue
    const path = join(folder, name)
    if (isExecutable(path)) return path
  }
  throw new AppError('not_found', `\`${name}\` was not found in PATH.`, { hint: INSTALL_HINT })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Milliseconds for `--version`: a first start from a cold disk took seconds. */
const VERSION_TIMEOUT_MS = 30_000

/**
 * Runs `--version`.
 *
 * @throws `invalid` not the CLI, or a release older than `MINIMUM_VERSION`
 */
export async function version(executable: string, env: Record<string, string>): Promise<string> {
  const printed = await printVersion(executable, env)
  const found = /^(\d+)\.(\d+)\.(\d+)(?:-\S+)?(?= |$)/.exec(printed.trim().split('\n', 1)[0] ?? '')
  if (!found)
    throw new AppError('invalid', `${executable} is not Claude Code: \`--version\` printed ${quoted(printed)}.`, {
      hint: INSTALL_HINT,
    })
  if (isOlder(found.slice(1, 4).map(Number), MINIMUM_VERSION.split('.').map(Number)))
    throw new AppError(
      'invalid',
      `Claude Code ${found[0]} is too old to run tasks; its conversations are still recorded.`,
      {
        hint: UPDATE_HINT,
        details: { version: found[0], minimum: MINIMUM_VERSION, executable },
      },
    )
  return found[0]
}

function printVersion(executable: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env, timeout: VERSION_TIMEOUT_MS, maxBuffer: 64 * 1024, killSignal: 'SIGKILL' as const }
    execFile(executable, ['--version'], options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout)
      const why = stderr.trim() === '' ? error.message : stderr
      const message = `${executable} did not report its version: ${quoted(why)}.`
      reject(new AppError('invalid', message, { hint: INSTALL_HINT, cause: error }))
    })
  })
}

const quoted = (text: string): string => JSON.stringify(text.trim().slice(0, 200))

function isOlder(version: readonly number[], minimum: readonly number[]): boolean {
  for (let i = 0; i < 3; i++) {
    const difference = (version[i] ?? 0) - (minimum[i] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}
