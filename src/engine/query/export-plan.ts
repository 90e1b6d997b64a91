import { AppError } from '../../domain/errors'
import type { SessionId } from '../../domain/ids'
import { byMost, type StoredJournal } from '../../domain/record/journal-store'

/** A file that an export writes: a range of bytes of an incarnation. */
export interface ExportedFile {
  /** Below the CLI's project folder, with `/`. */
  relativePath: string
  incarnation: number
  size: number
  /** ISO 8601; when the incarnation was begun. */
  openedAt: string
}

type Incarnation = StoredJournal['incarnations'][number]

const EXPORTED_KINDS: readonly string[] = ['transcript', 'subagent', 'subagent_meta']

/**
 * Chooses what `session export` writes: the main transcript and the files of its sub-agents, in the layout that the CLI reads
 * (`<session>.jsonl`, beside it `<session>/subagents/…`).
 *
 * Where a session was recorded at several places, the transcript that holds the most of the conversation leads, and each sub-agent's file
 * comes from the same place when it is there. Sizes are fixed here, so that a file which grows meanwhile is exported as it stands now.
 *
 * A copy of another machine leads only where there is none of the session's own machines: others with write access there must not be able
 * to put other words into the conversation.
 *
 * @param number  incarnation of the main transcript; without it the newest of each
 * @param own  `hosts.name` of the machines on which the session is at home
 * @param isPartial  where the main transcript was never recorded, what is recorded of the sub-agents is given all the same
 * @throws `not_found` when there is no transcript, or none of that number
 */
export function planExport(
  id: SessionId,
  journals: StoredJournal[],
  number: number | undefined,
  own: ReadonlySet<string>,
  isPartial = false,
): ExportedFile[] {
  const hasMain = journals.some(({ kind }) => kind === 'transcript')
  const isWithout = isPartial && !hasMain && number === undefined && journals.some(({ kind }) => kind === 'subagent')
  const chosen = isWithout ? null : chooseMain(id, journals, number, own)
  const hasOneName = journals.some(({ kind, path }) => kind === 'transcript' && nameOf(path) === `${id}.jsonl`)
  const parts = chosen === null || number !== undefined || hasOneName ? [] : partsBeside(chosen, journals)
  const main = parts.reduce(
    (most, part) => (most === null || part.incarnation.size > most.incarnation.size ? part : most),
    chosen,
  )
  // Without it no place leads: each file goes to where the CLI would put it.
  const root = main === null ? NOWHERE : folderOf(main.journal.path)
  const files = new Map<string, ExportedFile>()
  const add = (relativePath: string, { id: incarnation, size, openedAt }: Incarnation) => {
    if (!files.has(relativePath)) files.set(relativePath, { relativePath, incarnation, size, openedAt })
  }
  if (main !== null) add(`${id}${endingOf(main.journal.path)}`, main.incarnation)
  for (const part of parts) if (part.journal !== main?.journal) add(nameOf(part.journal.path), part.incarnation)
  const others = journals.filter((journal) => journal.kind !== 'transcript' && EXPORTED_KINDS.includes(journal.kind))
  const isNear = ({ path, hostName }: StoredJournal) =>
    (main === null || hostName === main.journal.hostName) && isBelow(path, root)
  const rank = (journal: StoredJournal) => (isNear(journal) ? 0 : own.has(journal.hostName) ? 1 : 2)
  for (const journal of others.toSorted((a, b) => rank(a) - rank(b))) {
    const newest = journal.incarnations[0]
    if (newest !== undefined) add(placeOf(id, journal.path, root), newest)
  }
  return [...files.values()]
}

interface Chosen {
  journal: StoredJournal
  incarnation: Incarnation
}

const nameOf = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

/** Some releases of 2025 wrote a conversation as one JSON document. */
const endingOf = (path: string): string => (path.endsWith('.json') ? '.json' : '.jsonl')

/** A folder that no path is below. */
const NOWHERE = '\0'

function chooseMain(
  id: SessionId,
  journals: StoredJournal[],
  number: number | undefined,
  own: ReadonlySet<string>,
): Chosen {
  const candidates = journals
    .filter((journal) => journal.kind === 'transcript')
    .flatMap((journal) => {
      const incarnation =
        number === undefined ? journal.incarnations[0] : journal.incarnations.find((one) => one.number === number)
      return incarnation === undefined ? [] : [{ journal, incarnation }]
    })
    .sort(
      (a, b) =>
        Number(own.has(b.journal.hostName)) - Number(own.has(a.journal.hostName)) ||
        byMost(a.incarnation, b.incarnation) ||
        b.incarnation.id - a.incarnation.id,
    )
  const chosen = candidates[0]
  if (chosen !== undefined) return chosen
  if (number === undefined) {
    throw new AppError('not_found', `No transcript of session ${id} is recorded.`, {
      hint: 'Only its hooks or its stream were recorded. If the transcript still exists, import it.',
    })
  }
  const known = journals.filter((j) => j.kind === 'transcript').flatMap((j) => j.incarnations.map((i) => i.number))
  throw new AppError('not_found', `Session ${id} has no incarnation ${number}.`, {
    hint: known.length === 0 ? 'It has none.' : `It has ${[...new Set(known)].sort((a, b) => a - b).join(', ')}.`,
  })
}

/**
 * All transcripts of the session in the folder of one of them, that one among them. Gemini CLI begins a further file when it resumes a
 * session; the largest has the conversation, and the others stand beside it under their own names. Where a CLI names the one file after the
 * session, others are copies.
 */
function partsBeside(chosen: Chosen, journals: StoredJournal[]): Chosen[] {
  const folder = folderOf(chosen.journal.path)
  return journals.flatMap((journal) => {
    if (journal === chosen.journal) return [chosen]
    const isBeside =
      journal.kind === 'transcript' && journal.hostName === chosen.journal.hostName && folderOf(journal.path) === folder
    const incarnation = isBeside ? journal.incarnations[0] : undefined
    return incarnation === undefined ? [] : [{ journal, incarnation }]
  })
}

/** Where a sub-agent's file goes: its place beside the transcript, or, from elsewhere, what follows the session's folder in its path. */
function placeOf(id: SessionId, path: string, root: string): string {
  const normal = path.replaceAll('\\', '/')
  if (isBelow(path, root)) return normal.slice(root.length + 1)
  const at = normal.lastIndexOf(`/${id}/`)
  return at >= 0 ? normal.slice(at + 1) : `${id}/subagents/${normal.slice(normal.lastIndexOf('/') + 1)}`
}

const isBelow = (path: string, root: string) => path.replaceAll('\\', '/').startsWith(`${root}/`)

function folderOf(path: string): string {
  const normal = path.replaceAll('\\', '/')
  return normal.slice(0, Math.max(0, normal.lastIndexOf('/')))
}
