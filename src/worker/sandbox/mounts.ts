import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** What is at a path within the sandbox; later ones lie over earlier ones. A source that is gone by then is left out. */
export type Mount =
  /** The same as outside, or what is at `from`; to be read only, or to be written as well. */
  | { kind: 'read' | 'write'; path: string; from?: string }
  /** An empty folder that ends with the run. */
  | { kind: 'empty'; path: string }
  /** An empty file. */
  | { kind: 'blank'; path: string }
  | { kind: 'link'; path: string; target: string }

/** Words of `bwrap`. */
export const mountWords = (mounts: readonly Mount[]): string[] => mounts.flatMap(wordsOf)

function wordsOf(mount: Mount): string[] {
  switch (mount.kind) {
    case 'read':
      return ['--ro-bind-try', mount.from ?? mount.path, mount.path]
    case 'write':
      return ['--bind-try', mount.from ?? mount.path, mount.path]
    case 'empty':
      return ['--tmpfs', mount.path]
    case 'blank':
      return ['--ro-bind-try', '/dev/null', mount.path]
    case 'link':
      return ['--symlink', mount.target, mount.path]
  }
}

/** The entries of a folder, to be read, one by one: all but those that are left out. Links stay links. */
export function entriesOf(folder: string, leftOut: (name: string) => boolean): Mount[] {
  return namesIn(folder)
    .filter((name) => !leftOut(name))
    .map((name): Mount => {
      const path = join(folder, name)
      const target = linkTarget(path)
      return target === null ? { kind: 'read', path } : { kind: 'link', path, target }
    })
}

/** Hides what is there. */
export function hidden(paths: readonly string[]): Mount[] {
  return paths.filter((path) => existsSync(path)).map((path) => ({ kind: isFolder(path) ? 'empty' : 'blank', path }))
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

export function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function linkTarget(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null
  } catch {
    return null
  }
}
