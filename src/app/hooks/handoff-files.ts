/**
 * Hand-overs between sessions, as files of this installation: a hook gives one out, and hooks write no database. Where the database is
 * PostgreSQL, hooks ask a server, and hand-overs are rows (`stored-handoffs.ts`). Loaded by hooks:
 * node:fs and node:path only.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../domain/errors'
import { issueId, type SessionId, sessionId } from '../../domain/ids'
import type { Handoff, HandoffBox } from '../../domain/recall/recall'
import { claimFile } from '../../util/files/claim-file'

/** Files that are looked through for one, newest first. */
export const MAX_FILES = 500
/** Bytes of a file that may be one of ours. */
const FILE_LIMIT = 1_000_000
const NAME = /^(\d{13})-(h-[0-9a-z]{8})\.json$/

/** @param home  Lodeline's folder */
export function handoffFiles(home: string): HandoffFiles {
  const folder = join(home, 'handoffs')
  const names = (): string[] => listNames(folder)
  return {
    offered(reader) {
      for (const name of names()) {
        const handoff = read(folder, name)
        if (handoff !== undefined && isFor(handoff, reader)) return handoff
      }
      return undefined
    },

    take(id, session) {
      const given = { sessionId: session, at: new Date().toISOString() }
      return claimFile(join(folder, `${id}.given`), JSON.stringify(given), { isDurable: true })
    },

    write(content) {
      const at = Date.parse(content.at)
      const id = newHandoffId()
      const handoff: Handoff = { ...content, id, givenTo: null, givenAt: null }
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        const name = `${String(at).padStart(13, '0')}-${id}.json`
        if (!claimFile(join(folder, name), JSON.stringify(content), { isDurable: true }))
          throw new Error(`${name} exists`)
      } catch (cause) {
        throw new AppError('storage_readonly', `The hand-over can't be written to ${folder}.`, {
          hint: 'Free space on that disk, or get permission to write there.',
          cause,
        })
      }
      return handoff
    },

    list: (limit) =>
      names()
        .slice(0, limit)
        .map((name) => read(folder, name))
        .filter((handoff) => handoff !== undefined),

    forget(session) {
      // All of them: one that is too old to be offered still says what it says.
      const own = allNames(folder).filter((name) => read(folder, name)?.sessionId === session)
      for (const name of own) removeFile(folder, name)
      return own.length
    },

    all: () =>
      allNames(folder)
        .map((name) => read(folder, name))
        .filter((handoff) => handoff !== undefined),

    remove({ id }) {
      for (const name of allNames(folder)) if (NAME.exec(name)?.[2] === id) removeFile(folder, name)
    },
  }
}

export interface HandoffFiles extends HandoffBox {
  offered(reader: HandoffReader): Handoff | undefined
  take(id: string, session: SessionId): boolean
  write(content: Omit<Handoff, 'id' | 'givenTo' | 'givenAt'>): Handoff
  list(limit: number): Handoff[]
  /** Removes what the session wrote. @returns how many there were */
  forget(session: SessionId): number
  /** However old. */
  all(): Handoff[]
  remove(handoff: Pick<Handoff, 'id'>): void
}

type HandoffReader = Parameters<HandoffBox['offered']>[0]

/** Whether nobody got it and it is for this reader, who did not write it. */
export function isFor(handoff: Handoff, { sessionId: session, folder, issueId: issue }: HandoffReader): boolean {
  if (handoff.givenTo !== null) return false
  if (session !== null && handoff.sessionId === session) return false
  return handoff.issueId === null ? handoff.folder === folder : handoff.issueId === issue
}

export const newHandoffId = (): string => `h-${randomName()}`

function removeFile(folder: string, name: string): void {
  rmSync(join(folder, name), { force: true })
  rmSync(join(folder, `${NAME.exec(name)?.[2]}.given`), { force: true })
}

const listNames = (folder: string): string[] => allNames(folder).sort().reverse().slice(0, MAX_FILES)

function allNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => NAME.test(name))
  } catch {
    return []
  }
}

/** `undefined` = no hand-over of ours, or one that can't be read. */
function read(folder: string, name: string): Handoff | undefined {
  const id = NAME.exec(name)?.[2]
  if (id === undefined) return undefined
  const content = readJson(join(folder, name))
  if (content === undefined) return undefined
  const given = readJson(join(folder, `${id}.given`))
  const text = (key: string): string => (typeof content[key] === 'string' ? content[key] : '')
  const at = text('at')
  if (Number.isNaN(Date.parse(at))) return undefined
  return {
    id,
    at,
    sessionId: text('sessionId') === '' ? null : sessionId(text('sessionId')),
    folder: text('folder'),
    issueId: text('issueId') === '' ? null : issueId(text('issueId')),
    goal: text('goal'),
    state: text('state'),
    evidence: text('evidence'),
    next: text('next'),
    note: text('note'),
    givenTo: typeof given?.sessionId === 'string' ? sessionId(given.sessionId) : null,
    givenAt: typeof given?.at === 'string' ? given.at : null,
  }
}

function readJson(path: string): Record<string, unknown> | undefined {
  try {
    if (statSync(path).size > FILE_LIMIT) return undefined
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => (byte % 36).toString(36)).join('')
}
