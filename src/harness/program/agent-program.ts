import { execFile } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { AppError } from '../../domain/errors'
import type { HarnessRun } from '../../domain/harness/harness-run'

/** What tells the program of an agent CLI from others. */
export interface ProgramFacts {
  /** As people call the CLI. */
  title: string
  /** Its name in PATH. */
  program: string
  /** The oldest release that runs tasks; older ones are still recorded. */
  minimum: string
  /** The release in what `--version` prints: group 1. */
  release: RegExp
  /** Milliseconds for `--version`: a first start from a cold disk takes seconds. */
  versionMs: number
  /** How to install the CLI, and how to bring it up to date. */
  installHint: string
  updateHint: string
}

/** How the program of an agent CLI is found and asked for its release. @see HarnessRun */
export function agentProgram(facts: ProgramFacts): Pick<HarnessRun, 'findExecutable' | 'version'> {
  return {
    findExecutable: (env, configured) => findExecutable(facts, env, configured),
    version: (executable, env) => version(facts, executable, env),
  }
}

/** `configured` is an absolute path, or a name looked up in PATH. A script is as good as a binary. */
function findExecutable(
  { program, installHint: hint }: ProgramFacts,
  env: Record<string, string>,
  configured: string | null,
): string {
  const name = configured ?? program
  if (isAbsolute(name)) {
    if (isExecutable(name)) return name
    throw new AppError('not_found', `${name} is not an executable program.`, { hint })
  }
  if (name.includes('/'))
    throw new AppError('not_found', `The path of the agent's CLI must be absolute: ${name}.`, { hint })
  // A relative folder would mean another program in each working directory.
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  const found = folders.map((folder) => join(folder, name)).find(isExecutable)
  if (found !== undefined) return found
  throw new AppError('not_found', `\`${name}\` was not found in PATH.`, { hint })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

async function version(facts: ProgramFacts, executable: string, env: Record<string, string>): Promise<string> {
  const { title, minimum, release, installHint, updateHint } = facts
  const printed = await printVersion(facts, executable, env)
  const found = release.exec(printed.trim())?.[1]
  if (found === undefined)
    throw new AppError('invalid', `${executable} is not ${title}: \`--version\` printed ${quoted(printed)}.`, {
      hint: installHint,
    })
  // A preview of a release counts as the release.
  if (Bun.semver.order(found.replace(/-.*/, ''), minimum) >= 0) return found
  throw new AppError('invalid', `${title} ${found} is too old to run tasks; its conversations are still recorded.`, {
    hint: updateHint,
    details: { version: found, minimum, executable },
  })
}

/** Some print it on stderr. */
function printVersion(
  { versionMs, installHint }: ProgramFacts,
  executable: string,
  env: Record<string, string>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env, timeout: versionMs, maxBuffer: 64 * 1_024, killSignal: 'SIGKILL' as const }
    execFile(executable, ['--version'], options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout.trim() === '' ? stderr : stdout)
      // What was not heard in time says nothing of the program: the machine may be busy.
      if (error.killed === true && typeof error.code !== 'string') {
        const late = `${executable} did not report its version in ${Math.round(versionMs / 1_000)} s.`
        return reject(new AppError('unavailable', late, { cause: error }))
      }
      const why = stderr.trim() === '' ? error.message : stderr
      const message = `${executable} did not report its version: ${quoted(why)}.`
      reject(new AppError('invalid', message, { hint: installHint, cause: error }))
    })
  })
}

const quoted = (text: string): string => JSON.stringify(text.trim().slice(0, 200))
