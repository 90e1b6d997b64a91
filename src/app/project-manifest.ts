/** The list of launches in the background that a project keeps beside its files: `.lodeline/background-agents.jsonl`. */
import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ManifestLine } from '../domain/manifest'
import { appendLine } from '../util/append-line'
import { lineBytes } from './manifest-files'
import { dropSession } from './manifest-forget'

const FILE = 'background-agents.jsonl'
/** What the file was before it grew too large; the one before that is gone. */
const FORMER = 'background-agents.1.jsonl'
const MOST_BYTES = 1_024 * 1_024

/**
 * Appends to the list of the work tree that `cwd` is in: a worktree has its own. A folder outside of any repository has none, nor
 * has one that is gone, read-only, or whose `.lodeline` leads elsewhere.
 *
 * @param home  Lodeline's own folder, which is no project's
 * @returns whether the line was written
 */
export function appendToProject(cwd: string, line: ManifestLine, home: string, mostBytes = MOST_BYTES): boolean {
  try {
    const root = workTreeOf(realpathSync(cwd))
    if (root === null) return false
    const folder = join(root, '.lodeline')
    if (folder === realOf(home)) return false
    mkdirSync(folder, { recursive: true })
    // A link in a cloned repository must not make us write anywhere else.
    if (!lstatSync(folder).isDirectory()) return false
    ignoreIn(folder)
    const path = join(folder, FILE)
    makeRoom(path, join(folder, FORMER), mostBytes)
    return appendLine(path, lineBytes(line))
  } catch {
    return false
  }
}

/** Takes a forgotten session's lines out of the lists of the project that it worked in, where they can be reached. */
export function forgetInProject(cwd: string, session: string): void {
  try {
    const root = workTreeOf(realpathSync(cwd))
    if (root === null) return
    const folder = join(root, '.lodeline')
    if (!lstatSync(folder).isDirectory()) return
    for (const name of [FILE, FORMER]) dropSession(join(folder, name), session)
  } catch {
    // It is gone, or not ours to write.
  }
}

/** The folder with `.git` (a file, in a worktree) that `folder` is in or is. */
function workTreeOf(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (dirname(at) === at) return null
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Keeps both files out of the repository, unless the folder says itself what is ignored. */
function ignoreIn(folder: string): void {
  try {
    writeFileSync(join(folder, '.gitignore'), 'background-agents*.jsonl\n', { flag: 'wx', mode: 0o644 })
  } catch {
    // It has one.
  }
}

function makeRoom(path: string, former: string, mostBytes: number): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size < mostBytes) return
  try {
    renameSync(path, former)
  } catch {
    // Another process did it.
  }
}
