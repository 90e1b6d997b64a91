import { constants, type Dirent } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../domain/errors'
import { UNFINISHED_FOLDER } from './unfinished'
import type { ArchiveEntry } from './write-archive'

/**
 * What is in Lodeline's folder, and whether a backup has it. What is left out belongs to processes that run now, to this machine's place
 * on the network, or is made again. The database travels by itself.
 */
const HOME_NAMES: Readonly<Record<string, boolean>> = {
  'config.yaml': true,
  // The record names this machine by it, and proves it by the key.
  'host-id': true,
  'host-key': true,
  // How machines are reached by ssh, and the host keys that a person confirmed.
  'machines.json': true,
  'known-hosts': true,
  hooks: true,
  streams: true,
  hosts: true,
  rows: true,
  handoffs: true,
  issues: true,
  told: true,
  'told-changes': true,
  'agent-manifests': true,
  backups: true,
  'lodeline.db': false,
  // Whoever has it is the operator: a restored server makes a new one.
  token: false,
  'worker-tokens': false,
  runs: false,
  offers: false,
  rewake: false,
  worktrees: false,
  mirrors: false,
  workers: false,
  open: false,
  statusline: false,
  'todo-turns': false,
  'mod.sock': false,
  log: false,
  [UNFINISHED_FOLDER]: false,
  'server.json': false,
  'server.lock': false,
}

export const HOME_NAMES_KEPT = Object.keys(HOME_NAMES).filter((name) => HOME_NAMES[name])
export const HOME_NAMES_LEFT = Object.keys(HOME_NAMES).filter((name) => !HOME_NAMES[name])

const MAX_DEPTH = 8
/** Bytes read at once. */
const READ_BYTES = 1_048_576

/** The files of a home that a backup has, by their path below it. Links and other things that are no files are passed over. */
export async function* homeFiles(home: string): AsyncGenerator<ArchiveEntry> {
  for (const name of HOME_NAMES_KEPT) yield* filesAt(home, name)
}

/**
 * The place of a file that a backup brings.
 * @throws `invalid` a path that no home has, e.g. one that leads out of it
 */
export function homePlace(home: string, path: string): string {
  const parts = path.split('/')
  const isGood =
    parts.length <= MAX_DEPTH &&
    HOME_NAMES_KEPT.includes(parts[0] ?? '') &&
    parts.every((part) => /^[^/\\\p{Cc}]{1,255}$/u.test(part) && part !== '.' && part !== '..')
  if (!isGood)
    throw new AppError(
      'invalid',
      `The backup holds a file that no folder of Lodeline has: ${JSON.stringify(path.slice(0, 200))}.`,
    )
  return join(home, ...parts)
}

async function* filesAt(home: string, path: string): AsyncGenerator<ArchiveEntry> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  // Gone since it was listed, or a link.
  const file = await open(join(home, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(passOver)
  if (file === null) return
  try {
    const stat = await file.stat()
    if (stat.isFile()) {
      yield { name: path, size: stat.size, bytes: readAll(file, stat.size) }
      return
    }
    if (!stat.isDirectory()) return
  } finally {
    await file.close()
  }
  const inside: Dirent[] = await readdir(join(home, path), { withFileTypes: true })
  for (const { name } of inside.sort((a, b) => (a.name < b.name ? -1 : 1))) yield* filesAt(home, `${path}/${name}`)
}

function passOver(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ELOOP' || error.code === 'ENXIO') return null
  throw error
}

/** As many bytes as it had when it was opened: others append to some files. */
async function* readAll(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const part = Buffer.alloc(Math.min(READ_BYTES, size - at))
    const { bytesRead } = await file.read(part, 0, part.length, at)
    if (bytesRead === 0) return
    yield part.subarray(0, bytesRead)
    at += bytesRead
  }
}
