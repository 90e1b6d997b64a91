import { execFile } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { AppError } from '../../../domain/errors'

/** The oldest release that is driven: the one that the tests run. Older ones are still recorded. */
export const MINIMUM_VERSION = '0.87.1'

const INSTALL_HINT =
  'Install Pi (`npm install -g @earendil-works/pi-coding-agent`), or set its path with the setting `agents.pi.executable`.'

/** Finds the CLI: `configured`, else `pi` in `PATH`. @throws `not_found` nothing there that can be executed */
export function findExecutable(env: Record<string, string>, configured: string | null): string {
  if (configured !== null) {
    if (isAbsolute(configured) && isExecutable(configured)) return configured
    throw new AppError('not_found', `${configured} is not an executable program.`, { hint: INSTALL_HINT })
  }
  // A relative folder would mean another program in each working directory.
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  const found = folders.map((folder) => join(folder, 'pi')).find(isExecutable)
  if (found !== undefined) return found
  throw new AppError('not_found', '`pi` was not found in PATH.', { hint: INSTALL_HINT })
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

/** Runs `--version`. @throws `invalid` not the CLI, or a release older than `MINIMUM_VERSION` */
export async function version(executable: string, env: Record<string, string>): Promise<string> {
  const printed = await printVersion(executable, env)
  const [, found] = /^(\d+\.\d+\.\d+)(?:-\S+)?$/m.exec(printed.trim()) ?? []
  if (found === undefined)
    throw new AppError('invalid', `${executable} is not Pi: \`--version\` printed ${quoted(printed)}.`, {
      hint: INSTALL_HINT,
    })
  if (Bun.semver.order(found, MINIMUM_VERSION) >= 0) return found
  throw new AppError('invalid', `Pi ${found} is too old to run tasks; its conversations are still recorded.`, {
    hint: `Run \`pi update\`; ${MINIMUM_VERSION} or newer is needed to run tasks.`,
    details: { version: found, minimum: MINIMUM_VERSION, executable },
  })
}

/** Releases print it on stdout or stderr. */
function printVersion(executable: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env, timeout: VERSION_TIMEOUT_MS, maxBuffer: 64 * 1_024, killSignal: 'SIGKILL' as const }
    execFile(executable, ['--version'], options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout.trim() === '' ? stderr : stdout)
      const why = stderr.trim() === '' ? error.message : stderr
      const message = `${executable} did not report its version: ${quoted(why)}.`
      reject(new AppError('invalid', message, { hint: INSTALL_HINT, cause: error }))
    })
  })
}

const quoted = (text: string): string => JSON.stringify(text.trim().slice(0, 200))
