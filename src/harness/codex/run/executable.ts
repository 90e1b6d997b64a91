import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { AppError } from '../../../domain/errors'

/** The oldest release that was driven. */
export const MINIMUM_VERSION = '0.169.0'

const hint = `Install Codex ${MINIMUM_VERSION} or newer (\`npm install -g @openai/codex\`), or set its path with the setting \`agents.codex.executable\`.`

/** Milliseconds for `--version`. */
const VERSION_MS = 30_000

/** @see HarnessRun.findExecutable */
export function findExecutable(env: Record<string, string>, configured: string | null): string {
  const name = configured ?? 'codex'
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const candidates = isAbsolute(name) ? [name] : name.includes('/') ? [] : folders.map((folder) => join(folder, name))
  const found = candidates.find(isExecutable)
  if (found !== undefined) return found
  throw new AppError('not_found', `There is no program ${name}${isAbsolute(name) ? '' : ' in PATH'}.`, { hint })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** @see HarnessRun.version */
export async function version(executable: string, env: Record<string, string>): Promise<string> {
  const child = Bun.spawn([executable, '--version'], {
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
    timeout: VERSION_MS,
  })
  const [text] = await Promise.all([child.stdout.text(), child.exited])
  const found = /^codex-cli (\d+\.\d+\.\d+)/.exec(text.trim())?.[1]
  if (found === undefined)
    throw new AppError('invalid', `${executable} is not Codex: it printed ${JSON.stringify(text.slice(0, 200))}.`, {
      hint,
    })
  if (Bun.semver.order(found, MINIMUM_VERSION) < 0)
    throw new AppError('invalid', `Codex ${found} is too old to run tasks; its conversations are still recorded.`, {
      hint,
    })
  return found
}
