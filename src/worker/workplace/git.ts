import { AppError } from '../../domain/errors'
import { MINUTE_MS } from '../../domain/time-units'

/** Only these of the worker's environment. */
const PASSED = ['PATH', 'HOME', 'TMPDIR', 'XDG_CONFIG_HOME']
/** What the person's ways to a remote need besides. */
const PASSED_TO_REMOTES = ['SSH_AUTH_SOCK', 'SSL_CERT_FILE', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY']

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

interface GitAnswer {
  out: string
  err: string
  code: number
}

/**
 * As `git`, and gives the exit code, which some commands answer with.
 *
 * @param more   variables of git
 * @param input  what it reads from stdin
 */
export const callGit = (
  cwd: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
  input = '',
): Promise<GitAnswer> => run(cwd, [...SAFE, ...args], { ...passed(PASSED), ...ENVIRONMENT, ...more }, { input })

/**
 * Asks a remote, with the person's own settings and keys, and never for a password. Only in a repository whose settings nobody but us
 * wrote: those of another may name programs.
 *
 * @throws `unavailable` with git's words
 */
export async function gitAtRemote(cwd: string, ...args: string[]): Promise<string> {
  const { out, err, code } = await run(
    cwd,
    ['-c', 'core.hooksPath=/dev/null', '-c', 'fetch.recurseSubmodules=false', ...args],
    {
      ...passed([...PASSED, ...PASSED_TO_REMOTES]),
      GIT_TERMINAL_PROMPT: '0',
      GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=20',
      GIT_ALLOW_PROTOCOL: 'https:ssh:file',
      LC_ALL: 'C',
    },
    { timeout: REMOTE_MS },
  )
  if (code === 0) return out.trim()
  const why = err.trim().split('\n').at(-1)?.slice(0, 500) || `exit code ${code}`
  throw new AppError('unavailable', `git ${args[0]} failed: ${why}`)
}

/** The author of commits that stand in no branch: nobody sees them in a history. */
export const OWN_IDENTITY = {
  GIT_AUTHOR_NAME: 'lodeline',
  GIT_AUTHOR_EMAIL: 'lodeline@localhost',
  GIT_COMMITTER_NAME: 'lodeline',
  GIT_COMMITTER_EMAIL: 'lodeline@localhost',
}

/** So long a remote may take. */
const REMOTE_MS = 30 * MINUTE_MS

const passed = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))

async function run(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { input = '', timeout }: { input?: string; timeout?: number },
): Promise<GitAnswer> {
  let child: Bun.Subprocess<Uint8Array, 'pipe', 'pipe'>
  try {
    const stdin = new TextEncoder().encode(input)
    child = Bun.spawn(['git', ...args], { cwd, env, timeout, stdin, stdout: 'pipe', stderr: 'pipe' })
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

/** What a person named is no commit. @param revision  `null` = HEAD */
export const noRevision = (revision: string | null, where: string, cause?: unknown): AppError =>
  new AppError('invalid', `There is no revision ${JSON.stringify(revision ?? 'HEAD')} in ${where}.`, {
    hint: revision === null ? 'The repository has no commit yet.' : 'Give a branch, tag or commit that exists there.',
    cause,
  })

/** Two commands at once that change one repository trip over each other's locks. */
const turns = new Map<string, Promise<unknown>>()

/** Does what changes a repository in its turn. */
export function inTurn<T>(repository: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(repository) ?? Promise.resolve()
  const mine = before.then(work, work)
  const settled = mine.catch(() => {})
  turns.set(repository, settled)
  void settled.then(() => {
    if (turns.get(repository) === settled) turns.delete(repository)
  })
  return mine
}
