import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isCompiled } from './thread-url'

/** The releases of the Claude Code CLI that package.json pins, each under a name of its own, newest first. */
export const CLAUDE_CLI_VERSIONS = ['2.1.330', '2.1.328', '2.1.197'] as const

/** The first release with mods: pinned for the tests of ours alone. */
export const FIRST_MOD_CLI = '2.1.287'
export type ClaudeCliVersion = (typeof CLAUDE_CLI_VERSIONS)[number] | typeof FIRST_MOD_CLI

/** Where the package folders are: the repository, also for the executable compiled into its `dist`. */
const repository = isCompiled ? dirname(dirname(process.execPath)) : resolve(import.meta.dir, '../..')

const found = new Map<string, string>()

/**
 * Finds the pinned Claude Code CLI that npm installed, and runs it once with `--version` to be sure of it.
 *
 * The package's install script puts the native binary at `bin/claude.exe`. Where npm ran without install scripts that file
 * only prints an error, and the binary is in the platform's own package: below the release's folder, or at the top for
 * the one release that npm chose to lay out there.
 *
 * @param root  the folder that holds `node_modules`; this repository's by default.
 * @returns the absolute path of a native executable.
 * @throws Error  no file of that version runs here; the message says what was tried and what to type.
 */
export function claudeCli(version: ClaudeCliVersion, root: string = repository): string {
  const key = `${root}\0${version}`
  const known = found.get(key)
  if (known) return known
  const tried: string[] = []
  for (const path of candidates(version, root)) {
    const problem = check(path, version)
    if (problem === undefined) {
      found.set(key, path)
      return path
    }
    tried.push(`  ${path}: ${problem}`)
  }
  const list =
    tried.length > 0 ? `Tried:\n${tried.join('\n')}` : `Nothing is installed below ${join(root, 'node_modules')}.`
  throw new Error(
    `Claude Code ${version} is not available on ${process.platform} ${process.arch}. ${list}\nRun npm ci in ${root}.`,
  )
}

function candidates(version: ClaudeCliVersion, root: string): string[] {
  const modules = join(root, 'node_modules')
  const release = join(modules, `claude-code-${version}`)
  const platform = `claude-code-${process.platform}-${process.arch}`
  const native = [join(release, 'node_modules/@anthropic-ai'), join(modules, '@anthropic-ai')].flatMap((scope) =>
    // Also the builds for other C libraries: which of them runs here is seen by running it.
    existsSync(scope)
      ? readdirSync(scope)
          .filter((name) => name === platform || name.startsWith(`${platform}-`))
          .map((name) => join(scope, name, process.platform === 'win32' ? 'claude.exe' : 'claude'))
      : [],
  )
  return [join(release, 'bin/claude.exe'), ...native].filter((path) => existsSync(path))
}

/** What is wrong with this file, or `undefined` when it runs and is the wanted release. */
function check(path: string, version: string): string | undefined {
  const run = spawnSync(path, ['--version'], {
    encoding: 'utf8',
    timeout: 60_000,
    // Nothing of the person's own settings is read or written for this.
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', DISABLE_AUTOUPDATER: '1' },
  })
  if (run.error) return run.error.message
  if (run.status !== 0) return `exit code ${run.status}: ${run.stderr.trim().split('\n')[0] ?? ''}`
  const printed = run.stdout.trim()
  return printed.split(' ')[0] === version ? undefined : `is ${printed.slice(0, 80)}`
}
