import { copyFileSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AppError } from '../../domain/errors'
import { findSecrets } from '../../domain/secrets/find-secrets'
import { WORK_COPY_LIMITS, type WorkCopy } from '../../domain/task/work-copy'
import { gitFoldersOf } from '../../util/git/git-project'
import { callGit, git, OWN_IDENTITY } from './git'
import type { Worktree } from './worktree'

export interface TakenCopy extends Pick<WorkCopy, 'commit' | 'head' | 'base' | 'size' | 'leftOut'> {
  /** The Git bundle. The caller removes it. */
  file: string
  /** For `kept`. */
  state: string
}

/** Names of files that hold logins and keys, whatever is in them. */
const SECRET_NAMES =
  /^(\.env(\..+)?|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|id_(rsa|dsa|ecdsa|ed25519)|.+\.(pem|key|p12|pfx|jks|keystore|kdbx))$/i
/** `.env.example` and the like are meant to be seen. */
const EXAMPLES = /\.(example|sample|template|dist)$/i
/** Files named in one call. */
const MOST_CHANGED = 50_000

/**
 * Takes copies of one worktree, each only if something changed since the last. It works in a repository of its own beside the worktree's
 * objects: no object, ref or index of the person is written, and nothing that the repository's settings name is run.
 */
export class WorkCopyTaker {
  readonly #worktree: Worktree
  readonly #folder: string
  #last = ''

  /** @param parent  the folder in which the taker keeps its own */
  constructor(worktree: Worktree, parent: string) {
    this.#worktree = worktree
    mkdirSync(parent, { recursive: true, mode: 0o700 })
    this.#folder = mkdtempSync(join(parent, 'work-copy-'))
  }

  /**
   * @returns `null` = nothing changed since the last copy that was kept, or since the task's branch began
   * @throws `too_large` the bundle would be; `invalid` git's words
   */
  async take(): Promise<TakenCopy | null> {
    const { path, base } = this.#worktree
    const head = await git(path, 'rev-parse', 'HEAD')
    await this.#prepare(head)
    const { changed, leftOut } = await this.#changedFiles()
    await this.#own(['update-index', '--add', '--remove', '-z', '--stdin'], changed.map((name) => `${name}\0`).join(''))
    const tree = await this.#own(['write-tree'])
    const state = `${head} ${tree}`
    if (state === this.#last) return null
    const isAsBegun = head === base && tree === (await this.#own(['rev-parse', `${head}^{tree}`]))
    if (isAsBegun && this.#last === '') return null
    const commit = await this.#own(['commit-tree', tree, '-p', head, '-m', 'The state of the worktree after a turn'])
    await this.#own(['update-ref', 'refs/lodeline/copy', commit])
    await this.#own(['update-ref', 'refs/lodeline/head', head])
    const file = join(this.#folder, 'bundle')
    const known = await this.#atRemotes(head)
    await this.#own(
      ['bundle', 'create', '--quiet', file, '--stdin'],
      ['refs/lodeline/copy', 'refs/lodeline/head', ...known.map((each) => `^${each}`)]
        .map((line) => `${line}\n`)
        .join(''),
    )
    const { size } = lstatSync(file)
    if (size > WORK_COPY_LIMITS.bytes) {
      rmSync(file)
      this.#last = state
      throw new AppError(
        'too_large',
        `It has ${Math.ceil(size / 2 ** 20)} MB, more than ${WORK_COPY_LIMITS.bytes / 2 ** 20}.`,
      )
    }
    const named = leftOut.filter(isPlain).slice(0, WORK_COPY_LIMITS.leftOut)
    return { file, state, commit, head, base, size, leftOut: named }
  }

  /** The server has it: it is not taken again while nothing changes. */
  kept({ state }: TakenCopy): void {
    this.#last = state
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #gitDir(): string {
    return join(this.#folder, 'git')
  }

  /** The own repository, with the worktree's index as its first one, so that unchanged files are not read. */
  async #prepare(head: string): Promise<void> {
    const { path } = this.#worktree
    if (!existsSync(this.#gitDir)) {
      const found = gitFoldersOf(path)
      if (found === null) throw new AppError('invalid', `${path} is in no Git repository.`)
      const form = head.length === 64 ? 'sha256' : 'sha1'
      await git(this.#folder, 'init', '--quiet', '--bare', `--object-format=${form}`, 'git')
      writeFileSync(join(this.#gitDir, 'objects', 'info', 'alternates'), `${join(found.common, 'objects')}\n`)
      copyIfThere(join(found.common, 'info', 'exclude'), join(this.#gitDir, 'info', 'exclude'))
      const own = await git(path, 'rev-parse', '--path-format=absolute', '--git-dir')
      copyIfThere(join(own, 'index'), join(this.#gitDir, 'index'))
    }
    writeFileSync(join(this.#gitDir, 'HEAD'), `${head}\n`)
  }

  /** Files that differ from the own index or from the branch. */
  async #changedFiles(): Promise<{ changed: string[]; leftOut: string[] }> {
    // What was staged or committed is forgotten; what is known of unchanged files stays.
    await this.#own(['read-tree', '--reset', 'HEAD'])
    const out = await this.#own([
      'status',
      '--porcelain',
      '-z',
      '--untracked-files=all',
      '--no-renames',
      '--ignore-submodules=all',
    ])
    const names = out
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => line.slice(3))
    if (names.length > MOST_CHANGED) throw new AppError('too_large', `${names.length} files are in no commit.`)
    const changed: string[] = []
    const leftOut: string[] = []
    // A name that ends with a slash is a repository within.
    for (const name of names)
      if (!name.endsWith('/')) ((await mayLeave(this.#worktree.path, name)) ? changed : leftOut).push(name)
    return { changed, leftOut }
  }

  /** Commits that a remote has, from which `head` comes. Without a remote's branches: the one that the task's branch began at. */
  async #atRemotes(head: string): Promise<string[]> {
    const lines = await git(this.#worktree.path, 'rev-list', '--boundary', head, '--not', '--remotes')
    if (lines === '') return [head]
    return lines.split('\n').flatMap((line) => (line.startsWith('-') ? [line.slice(1)] : []))
  }

  async #own(args: readonly string[], input = ''): Promise<string> {
    const { path } = this.#worktree
    const env = {
      ...OWN_IDENTITY,
      GIT_DIR: this.#gitDir,
      GIT_WORK_TREE: path,
      GIT_INDEX_FILE: join(this.#gitDir, 'index'),
    }
    const { out, err, code } = await callGit(path, ['-c', 'core.bare=false', ...args], env, input)
    if (code !== 0) throw new AppError('invalid', `git ${args[0]} failed in ${path}: ${err.trim().slice(-500)}`)
    return args[0] === 'status' ? out : out.trim()
  }
}

/** Whether a file that is in no commit may leave the machine: it is not too large, and looks like no secret. One that is gone may. */
export async function mayLeave(folder: string, name: string): Promise<boolean> {
  const path = join(folder, name)
  const last = basename(name)
  if (SECRET_NAMES.test(last) && !EXAMPLES.test(last)) return false
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile()) return true
  return stat.size <= WORK_COPY_LIMITS.fileBytes && findSecrets(await readFile(path)).length === 0
}

/** A name that fits into a list of names. */
const isPlain = (name: string): boolean => name.length <= WORK_COPY_LIMITS.name && !/[,\n]/.test(name)

/** With its time, rounded down: by that of its index git knows which files may have changed within one tick of the clock. */
function copyIfThere(from: string, to: string): void {
  const stat = lstatSync(from, { throwIfNoEntry: false })
  if (stat === undefined) return
  copyFileSync(from, to)
  const seconds = Math.floor(stat.mtimeMs / 1_000)
  utimesSync(to, seconds, seconds)
}
