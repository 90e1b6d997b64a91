/**
 * The list of launches in the background of one project. It is this machine's and stands in Lodeline's folder: nobody asked for a file in
 * the repository, where it would show as a change.
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ManifestLine } from '../../domain/recall/manifest'
import { appendLine } from '../../util/append-line'
import { sha256Hex } from '../../util/crypto'
import { hasRepository } from '../../util/git/git-project'
import { lineBytes, manifestFolder } from './manifest-files'
import { dropSession } from './manifest-forget'

const FILE = 'background-agents.jsonl'
/** What the file was before it grew too large; the one before that is gone. */
const FORMER = 'background-agents.1.jsonl'
const MAX_BYTES = 1_024 * 1_024
/** Characters of a path in a folder's name, from its end. */
const NAME = 100

const projectsFolder = (home: string): string => join(manifestFolder(home), 'projects')

/** Where the lists of a project are: named as its path reads, and by a part of that path's hash, which no other has. */
export function projectFolder(root: string, home: string): string {
  const hash = sha256Hex(root).slice(0, 8)
  return join(projectsFolder(home), `${root.replace(/[^a-zA-Z0-9]/g, '-').slice(-NAME)}-${hash}`)
}

/**
 * Appends to the list of the work tree that `cwd` is in: a worktree has its own. A folder outside of any repository has none, nor
 * has one that is gone.
 *
 * @param home  Lodeline's own folder
 * @returns whether the line was written
 */
export function appendToProject(cwd: string, line: ManifestLine, home: string, mostBytes = MAX_BYTES): boolean {
  try {
    const root = workTreeOf(realpathSync(cwd))
    if (root === null) return false
    const folder = projectFolder(root, home)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!lstatSync(folder).isDirectory()) return false
    const path = join(folder, FILE)
    makeRoom(path, join(folder, FORMER), mostBytes)
    return appendLine(path, lineBytes(line))
  } catch {
    return false
  }
}

/** Takes a forgotten session's lines out of the lists of all projects: it may have worked in several. @throws the system's error */
export function forgetInProjects(home: string, session: string): void {
  const folder = projectsFolder(home)
  if (!existsSync(folder)) return
  for (const project of readdirSync(folder))
    for (const name of [FILE, FORMER]) dropSession(join(folder, project, name), session)
}

/** The root of the work tree that `folder` is in or is. */
function workTreeOf(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (hasRepository(at)) return at
    if (dirname(at) === at) return null
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
