import { isRecord, type JsonRecord, recordOf, textOf } from '../../json-lines/json-value'
import { GONE, TABLES } from './row-line'

/**
 * The document of which `opencode import` makes the conversation again: the newest version of each row of a journal, in the form of
 * `opencode export`. `null` = the journal has no row of the session itself.
 */
export function importableDocument(journal: Uint8Array): Uint8Array | null {
  const rows = newestRows(new TextDecoder().decode(journal))
  const session = [...rows.session.values()][0]
  if (session === undefined) return null
  const partsOf = partsByMessage(rows.part)
  const messages = inOrder(rows.message)
  const document = {
    info: infoOf(session),
    messages: messages.map((message) => ({
      info: { ...dataOf(message), id: message.id, sessionID: message.session_id },
      parts: (partsOf.get(message.id) ?? []).map((part) => ({
        ...dataOf(part),
        id: part.id,
        sessionID: part.session_id,
        messageID: part.message_id,
      })),
    })),
  }
  return Buffer.from(`${JSON.stringify(document, null, 2)}\n`)
}

export type Rows = Record<(typeof TABLES)[number], Map<string, JsonRecord>>

/** The newest version of each row of a journal that is still there. */
export function newestRows(text: string): Rows {
  const rows: Rows = { session: new Map(), message: new Map(), part: new Map(), todo: new Map() }
  for (const line of text.split('\n')) {
    const record = parsed(line)
    const table = TABLES.find((name) => name === record?.table)
    const id = textOf(record?.id)
    if (record === undefined || table === undefined || id === undefined) continue
    const row = recordOf(record.row)
    if (record.version === GONE) rows[table].delete(id)
    else if (row !== undefined) rows[table].set(id, row)
  }
  return rows
}

/** A session as `opencode export` writes it, of the columns of its row. */
export function infoOf(row: JsonRecord): JsonRecord {
  if (row.data !== undefined) return dataOf(row)
  const info = {
    id: row.id,
    slug: row.slug,
    projectID: row.project_id,
    workspaceID: row.workspace_id,
    directory: row.directory,
    path: row.path,
    parentID: row.parent_id,
    title: row.title,
    agent: row.agent,
    model: jsonIn(row.model),
    version: row.version,
    summary: isCount(row.summary_additions)
      ? {
          additions: row.summary_additions,
          deletions: row.summary_deletions,
          files: row.summary_files,
          diffs: jsonIn(row.summary_diffs) ?? undefined,
        }
      : undefined,
    share: textOf(row.share_url) === undefined ? undefined : { url: row.share_url },
    cost: row.cost,
    tokens: isCount(row.tokens_input)
      ? {
          input: row.tokens_input,
          output: row.tokens_output,
          reasoning: row.tokens_reasoning,
          cache: { read: row.tokens_cache_read, write: row.tokens_cache_write },
        }
      : undefined,
    metadata: jsonIn(row.metadata),
    revert: jsonIn(row.revert),
    permission: jsonIn(row.permission),
    time: {
      created: row.time_created,
      updated: row.time_updated,
      compacting: row.time_compacting ?? undefined,
      archived: row.time_archived ?? undefined,
    },
  }
  // A column without a value is a field that is not there.
  return Object.fromEntries(Object.entries(info).filter(([, value]) => value !== null && value !== undefined))
}

const isCount = (value: unknown): boolean => typeof value === 'number'

/** What the CLI wrote into a row. */
export const dataOf = ({ data }: JsonRecord): JsonRecord => recordOf(data) ?? recordOf(jsonIn(data)) ?? {}

function jsonIn(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return null
  }
}

function parsed(line: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Parts by their message, each in its order. */
export function partsByMessage(parts: Rows['part']): Map<unknown, JsonRecord[]> {
  const found = new Map<unknown, JsonRecord[]>()
  for (const part of [...parts.values()].sort(byId)) {
    const known = found.get(part.message_id)
    if (known === undefined) found.set(part.message_id, [part])
    else known.push(part)
  }
  return found
}

/** Messages as they were said. */
export const inOrder = (messages: Rows['message']): JsonRecord[] =>
  [...messages.values()].sort((a, b) => timeIn(a) - timeIn(b) || byId(a, b))

const timeIn = ({ time_created: at }: JsonRecord): number => (typeof at === 'number' ? at : 0)

/** Ids hold the time of their making. */
const byId = (a: JsonRecord, b: JsonRecord): number => (String(a.id) < String(b.id) ? -1 : 1)
