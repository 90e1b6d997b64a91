import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../domain/errors'
import { randomHex, sha256Hex } from '../../util/crypto'
import { diskFault } from '../../util/files/disk-fault'

/** Settings are a few kB; what is larger is a mistake. */
const MAX_BYTES = 4 * 1_024 * 1_024

/**
 * A file of settings, as it is now; '' = there is none.
 *
 * @throws `invalid`  a link, or no regular file
 * @throws `too_large`
 * @throws `storage_readonly`  it may not be read or written
 */
export function readSettings(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return ''
  if (stat.isSymbolicLink()) {
    throw new AppError('invalid', `${path} is a link to ${readlinkSync(path)}.`, {
      hint: 'Give the file itself with --file. Nothing was changed.',
    })
  }
  if (!stat.isFile()) throw new AppError('invalid', `${path} is not a regular file.`, { hint: 'Nothing was changed.' })
  if ((stat.mode & 0o222) === 0) throw readOnly(path)
  if (stat.size > MAX_BYTES)
    throw new AppError('too_large', `${path} has ${stat.size} bytes, more than ${MAX_BYTES}.`, {
      hint: 'Settings of an agent CLI are never this long: check the file. Nothing was changed.',
    })
  const text = readBounded(path)
  if (text.includes('\ufffd'))
    throw new AppError('invalid', `${path} is not UTF-8.`, { hint: 'Repair the file first. Nothing was changed.' })
  return text
}

function readBounded(path: string): string {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (cause) {
    throw new AppError('storage_readonly', `${path} can't be read.`, { hint: 'Nothing was changed.', cause })
  }
  try {
    const bytes = Buffer.alloc(Math.min(fstatSync(fd).size, MAX_BYTES))
    let length = 0
    for (let got = -1; got !== 0 && length < bytes.length; length += got)
      got = readSync(fd, bytes, length, bytes.length - length, null)
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(fd)
  }
}

/** What `--remove` must know to leave the file as it was. */
export interface SetupNote {
  path: string
  /** The agent CLI whose hooks stand in the file; `null` = none, it is kept beside such a file. */
  agent: string | null
  /** The file before the first set-up; `null` = there was none. */
  original: string | null
  /** sha-256 of the file as it was left. */
  leftHash: string
  /** The switch for to-do tools was set by us. */
  addedTodoTools: boolean
  /** The folder of the file was made for it. */
  madeFolder?: boolean
}

const hashOf = (text: string) => sha256Hex(text)
const noteOf = (home: string, path: string) => join(home, 'setup', `${hashOf(path).slice(0, 16)}.json`)

/** `null` = this file was not set up from here, or the note is damaged. */
export function readNote(home: string, path: string): SetupNote | null {
  try {
    const note = JSON.parse(readFileSync(noteOf(home, path), 'utf8')) as Partial<SetupNote>
    if (note.path !== path || typeof note.leftHash !== 'string') return null
    return {
      path,
      agent: typeof note.agent === 'string' ? note.agent : null,
      original: typeof note.original === 'string' ? note.original : null,
      leftHash: note.leftHash,
      addedTodoTools: note.addedTodoTools === true,
      madeFolder: note.madeFolder === true,
    }
  } catch {
    return null
  }
}

export const isAsLeft = (note: SetupNote, text: string): boolean => note.leftHash === hashOf(text)

export function writeNote(home: string, note: Omit<SetupNote, 'leftHash'>, left: string): void {
  writeWhole(noteOf(home, note.path), JSON.stringify({ ...note, leftHash: hashOf(left) }), 0o600)
}

export function removeNote(home: string, path: string): void {
  rmSync(noteOf(home, path), { force: true })
}

/**
 * Puts `text` in the file's place, in one step, after a copy of the old one was kept.
 *
 * @param before  what it was read as: a file that has changed since is left alone
 * @param text  `null` = no file
 * @returns where the copy is; `null` = there was nothing to copy
 * @throws `conflict` `storage_readonly` `storage_full`
 */
export function replaceSettings(home: string, path: string, before: string, text: string | null): string | null {
  const backup = before === '' && !existsSync(path) ? null : backupOf(home, path)
  if (backup !== null) writeWhole(backup, before, 0o600)
  if (readSettings(path) !== before)
    throw new AppError('conflict', `Another program changed ${path} in the meantime.`, { hint: 'Try again.' })
  if (text === null) rmSync(path, { force: true })
  else writeWhole(path, text, (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777)
  return backup
}

function backupOf(home: string, path: string): string {
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-')
  return join(home, 'backups', `${basename(path)}-${hashOf(path).slice(0, 8)}-${time}`)
}

/** Beside its place, made durable, then renamed: nobody reads half of it. */
function writeWhole(path: string, text: string, mode: number): void {
  const draft = `${path}.${process.pid}.${randomHex(4)}`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(draft, text, { mode, flag: 'wx', flush: true })
    renameSync(draft, path)
    syncFolder(dirname(path))
  } catch (error) {
    try {
      rmSync(draft, { force: true })
    } catch {
      // Its folder is no folder: the first error says more.
    }
    if (diskFault(error) === 'storage_full')
      throw new AppError('storage_full', `No space is left to write ${path}.`, { cause: error })
    throw readOnly(path, error)
  }
}

function syncFolder(path: string): void {
  try {
    const fd = openSync(path, constants.O_RDONLY)
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {
    // Not every system allows it on a folder; the file itself is safe.
  }
}

const readOnly = (path: string, cause?: unknown) =>
  new AppError('storage_readonly', `${path} can't be written.`, {
    hint: 'Get permission to write it, or choose another file with --user, --project or --local. Nothing was changed.',
    cause,
  })

/** Nothing that the CLI could not read is ever written. */
export function checkedJson(text: string): void {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (cause) {
    throw new AppError('internal', 'The changed settings would not be valid JSON. Nothing was changed.', { cause })
  }
}

/** The files with a note of this agent CLI: set up from this folder, and not taken down since. */
export function notedFiles(home: string, agent: string): string[] {
  let names: string[]
  try {
    names = readdirSync(join(home, 'setup'))
  } catch {
    return []
  }
  return names.sort().flatMap((name) => {
    try {
      const note = JSON.parse(readFileSync(join(home, 'setup', name), 'utf8')) as Partial<SetupNote>
      const { path } = note
      // A note tells only of the file that it is named after.
      return typeof path === 'string' && note.agent === agent && noteOf(home, path) === join(home, 'setup', name)
        ? [path]
        : []
    } catch {
      return []
    }
  })
}
