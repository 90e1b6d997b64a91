import { AppError } from '../../domain/errors'

/** Only these of the worker's environment. */
const PASSED = ['PATH', 'HOME', 'TMPDIR', 'XDG_CONFIG_HOME']

/**
 * Settings that win over every file: nothing that a repository brings along is run by the worker, which nothing guards. A repository's own
 * settings are whatever was unpacked, or written by a run.
 */
const SAFE = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  // Not even to complete a partial clone: a remote's settings name programs.
  'protocol.allow=never',
  'submodule.recurse=false',
].flatMap((setting) => ['-c', setting])

const ENVIRONMENT = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  LC_ALL: 'C',
}

/**
 * Runs git in a folder, without a shell, prompts, the repository's hooks, or the repository variables of the parent process. For commands
 * that read or write no files of the work tree; for others there is `gitOnFiles`.
 *
 * @throws `invalid` with git's words
 */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const { out, err, code } = await callGit(cwd, args)
  if (code === 0) return out.trim()
  const lastLine = err.trim().split('\n').at(-1)?.slice(0, 500) ?? ''
  throw new AppError('invalid', `git ${args[0]} failed in ${cwd}: ${lastLine || `exit code ${code}`}`)
}

/** As `git`, and gives the exit code, which some commands answer with. @param more  variables of git */
export async function callGit(
  cwd: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<{ out: string; err: string; code: number }> {
  const env: Record<string, string> = { ...ENVIRONMENT, ...more }
  for (const name of PASSED) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  let child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  try {
    child = Bun.spawn(['git', ...SAFE, ...args], { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  } catch (cause) {
    throw new AppError('invalid', `git can't be run in ${cwd}: ${(cause as Error).message}`, {
      hint: 'Install git, or create the task without a worktree.',
      cause,
    })
  }
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

/**
 * As `git`, for commands that check files out or compare them, and so run filters. Those of the person's own settings are theirs; those
 * that the repository names itself can be neither trusted nor left out, since files would come out other than they are meant.
 *
 * @throws `invalid` the repository names filters, or git's words
 */
export async function gitOnFiles(cwd: string, ...args: string[]): Promise<string> {
  await refuseOwnFilters(cwd)
  return await git(cwd, ...args)
}

/** @throws `invalid` the repository names filters itself */
export async function refuseOwnFilters(cwd: string): Promise<void> {
  const filters = await ownFilters(cwd)
  if (filters.length === 0) return
  throw new AppError(
    'invalid',
    `The settings of the repository at ${cwd} name programs that filter its files: ${filters.join(', ')}.`,
    {
      hint: 'If you trust them, move them to your own settings (git config --global), and remove them from the repository.',
    },
  )
}

/** Settings of filters that stand in no file of the person's or the machine's. */
async function ownFilters(cwd: string): Promise<string[]> {
  // Without a match git's exit code is 1.
  const rows = await git(cwd, 'config', '--null', '--show-scope', '--name-only', '--get-regexp', FILTERS).catch(
    () => '',
  )
  const words = rows.split('\0')
  const names = words.filter((_, index) => index % 2 === 1 && !TRUSTED_SCOPES.has(words[index - 1] ?? ''))
  return [...new Set(names)]
}

const FILTERS = '^filter\\..*\\.(clean|smudge|process)$'
const TRUSTED_SCOPES = new Set(['system', 'global', 'command'])
