import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isRecord, type JsonRecord, listOf, recordOf, textOf, timeOf } from '../../json-lines/json-value'
import { goneOf } from './read-database'
import { type GoneRow, keyOf, type Row } from './row-line'
import { factsOf, hasTokens, type RowSource, type SessionSummary, shortHash } from './row-source'

/** A row that stands in a document of its own: JSON text, with a version. */
interface Document {
  id: string
  text: string
  version: string
}

/** Conversations that are kept as documents: read as the rows that the database would have of them. */
abstract class Documents implements RowSource {
  protected abstract list(): Document[]
  protected abstract messagesOf(session: string): Document[]
  protected abstract partsOf(session: string, message: string): Document[]
  protected abstract todosOf(session: string): Document[]
  #sessions: Document[] | null = null

  sessions(): SessionSummary[] {
    return this.#listed().map(({ id, text, version }) => {
      const info = recordIn(text)
      const parentId = textOf(info.parentID) ?? null
      const { created, updated } = timesOf(info)
      return { id, parentId, created, updated: updated ?? 0, signature: version }
    })
  }

  isSettled(): boolean {
    return true
  }

  *rowsOf(session: string, known: ReadonlyMap<string, string>): Generator<Row | GoneRow> {
    const seen = new Set<string>()
    const isNew = (row: Omit<Row, 'columns'>): boolean => {
      seen.add(keyOf(row))
      return known.get(keyOf(row)) !== row.version
    }
    const own = this.#listed().find(({ id }) => id === session)
    if (own === undefined) return
    const head = { table: 'session', id: session, version: own.version } as const
    const messages = this.messagesOf(session)
    if (isNew(head)) yield { ...head, columns: sessionColumns(own, messages) }
    for (const message of messages) {
      const { id, text, version } = message
      const messageHead = { table: 'message', id, version } as const
      const parts = this.partsOf(session, id)
      if (isNew(messageHead)) {
        const hasOwnUsage = hasTokens(text) && parts.every((part) => recordIn(part.text).type !== 'step-finish')
        const columns = { id, session_id: session, ...dataOf(text) }
        yield { ...messageHead, columns, ...(hasOwnUsage && { of: { hasOwnUsage } }) }
      }
      for (const part of parts) {
        const partHead = { table: 'part', id: part.id, version: part.version } as const
        const columns = { id: part.id, message_id: id, session_id: session, ...dataOf(part.text, text) }
        if (isNew(partHead)) yield { ...partHead, columns, of: factsOf(text) }
      }
    }
    for (const { id, text, version } of this.todosOf(session)) {
      const todoHead = { table: 'todo', id, version } as const
      if (isNew(todoHead)) yield { ...todoHead, columns: { session_id: session, data: text } }
    }
    yield* goneOf(known, seen)
  }

  #listed(): Document[] {
    this.#sessions ??= this.list()
    return this.#sessions
  }
}

/** What `opencode export` prints: one session, with the data of its rows. */
export class ExportedSession extends Documents {
  readonly #info: JsonRecord
  readonly #messages: readonly JsonRecord[]
  #byId: ReadonlyMap<unknown, JsonRecord> | null = null

  private constructor(info: JsonRecord, messages: readonly JsonRecord[]) {
    super()
    this.#info = info
    this.#messages = messages
  }

  /** `null` = the text is no such document. */
  static of(text: string): ExportedSession | null {
    const document = recordIn(text)
    const info = recordOf(document.info)
    if (info === undefined || textOf(info.id) === undefined || !Array.isArray(document.messages)) return null
    return new ExportedSession(info, document.messages.filter(isRecord))
  }

  protected list(): Document[] {
    return documentsOf([this.#info])
  }

  protected messagesOf(): Document[] {
    return documentsOf(this.#messages.map(({ info }) => info))
  }

  protected partsOf(_session: string, message: string): Document[] {
    this.#byId ??= new Map(this.#messages.map((each) => [recordOf(each.info)?.id, each]))
    return documentsOf(listOf(this.#byId.get(message)?.parts))
  }

  protected todosOf(): Document[] {
    return []
  }
}

/**
 * The folder `storage` of releases before the database: a file for each session, message and part. Those of June to August 2025 have such
 * a folder for each project, and all else of it below `session`. What a later release copied from there counts once.
 *
 *     storage/session/<project>/<session>.json    storage/message/<session>/<message>.json    storage/part/<message>/<part>.json
 *     project/<project>/storage/session/{info/<session>,message/<session>/<message>,part/<session>/<message>/<part>}.json
 */
export class StorageFolder extends Documents {
  readonly #folders: readonly string[]

  constructor(folder: string) {
    super()
    this.#folders = [folder, ...projectFolders(folder)]
  }

  protected list(): Document[] {
    const all = this.#folders.flatMap((folder) =>
      namesIn(join(folder, 'session')).flatMap((project) => filesIn(join(folder, 'session', project), /^ses_/)),
    )
    return [...new Map(all.toReversed().map((session) => [session.id, session])).values()].reverse()
  }

  protected messagesOf(session: string): Document[] {
    return this.#first(['message', session], ['session', 'message', session], /^msg_/)
  }

  protected partsOf(session: string, message: string): Document[] {
    return this.#first(['part', message], ['session', 'part', session, message], /^prt_/)
  }

  protected todosOf(session: string): Document[] {
    return this.#first(['todo'], ['session', 'todo'], new RegExp(`^${session}$`))
  }

  /** The files of the first place that has any. */
  #first(place: string[], before: string[], name: RegExp): Document[] {
    for (const folder of this.#folders)
      for (const each of [place, before]) {
        const found = filesIn(join(folder, ...each), name)
        if (found.length > 0) return found
      }
    return []
  }
}

/** What stands beside `storage`. */
export const projectFolders = (storage: string): string[] => {
  const projects = join(storage, '..', 'project')
  return basename(storage) === 'storage' ? namesIn(projects).map((name) => join(projects, name, 'storage')) : []
}

/** Names hold a time, so their order is that of the conversation. */
const filesIn = (folder: string, name: RegExp): Document[] =>
  namesIn(folder).flatMap((each) => {
    const id = basename(each, '.json')
    if (!each.endsWith('.json') || !name.test(id)) return []
    try {
      const path = join(folder, each)
      const { mtimeMs, size } = statSync(path)
      return [{ id, text: readFileSync(path, 'utf8'), version: `${Math.floor(mtimeMs)}.${size}` }]
    } catch {
      return []
    }
  })

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

const documentsOf = (values: readonly unknown[]): Document[] =>
  values.filter(isRecord).flatMap((value) => {
    const id = textOf(value.id)
    const text = JSON.stringify(value)
    return id === undefined ? [] : [{ id, text, version: shortHash(text) }]
  })

function sessionColumns({ id, text }: Document, messages: readonly Document[]): JsonRecord {
  const info = recordIn(text)
  const { created, updated } = timesOf(info)
  return {
    id,
    parent_id: textOf(info.parentID) ?? null,
    directory: textOf(info.directory) ?? folderOf(messages),
    title: textOf(info.title) ?? null,
    version: textOf(info.version) ?? null,
    time_created: created,
    time_updated: updated,
    data: text,
  }
}

/** Sessions of June to August 2025 do not name their folder. Their answers do. */
function folderOf(messages: readonly Document[]): string | null {
  for (const { text } of messages) {
    const message = recordIn(text)
    const path = recordOf(message.path) ?? recordOf(recordOf(recordOf(message.metadata)?.assistant)?.path)
    const folder = textOf(path?.cwd)
    if (folder) return folder
  }
  return null
}

/** A part has the time of its message where it has none. */
function dataOf(text: string, message = text): JsonRecord {
  const { created } = timesOf(recordIn(message))
  return { time_created: created, data: text }
}

function timesOf(record: JsonRecord): { created: number | null; updated: number | null } {
  const time = recordOf(record.time)
  return { created: timeOf(time?.created), updated: timeOf(time?.updated) }
}

function recordIn(text: string): JsonRecord {
  try {
    return recordOf(JSON.parse(text)) ?? {}
  } catch {
    return {}
  }
}
