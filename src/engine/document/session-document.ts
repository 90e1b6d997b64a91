import type { ConversationReads } from '../../domain/conversation/conversation'
import { findMasks, type MaskedForm } from '../../domain/secrets/find-masks'
import type { SecretMask } from '../../domain/secrets/mask'
import type { DocumentFormat } from '../../domain/session/document'
import type { Session } from '../../domain/session/session'
import type { StoredSession } from '../../domain/session/session-store'
import type { WholeTextReader } from '../conversation/whole-texts'
import { type CollectedTurns, collectTurns, type DocumentRange } from './collect-turns'
import { writeHtml } from './html'
import { writeMarkdown } from './markdown'
import type { WrittenConversation } from './written'

export interface MadeDocument {
  /** The name of its file. */
  name: string
  text: string
  /** Turns in it, and of the whole conversation. */
  turns: number
  turnCount: number
  /** What stands for secrets in it, by the form of the secret. */
  masked: MaskedForm[]
  /** The rest did not fit. */
  isCut: boolean
}

export interface DocumentSource {
  reads: ConversationReads
  session: StoredSession
  /** As it is shown. */
  shown: Session
  whole: WholeTextReader
}

/** A session, or a range of its turns, as one file that anybody can read. Secrets in it are masked for every reader. */
export async function makeDocument(
  { reads, session, shown, whole }: DocumentSource,
  mask: SecretMask,
  range: DocumentRange,
  format: DocumentFormat,
): Promise<MadeDocument> {
  const collected = await collectTurns(reads, session, range, whole)
  // Once over everything: texts that were recorded before secrets were looked for have no masks yet.
  const isWhole = isAll(range, collected, shown)
  const written: WrittenConversation = JSON.parse(mask.text(JSON.stringify({ session: shown, isWhole, ...collected })))
  const { turns, turnCount, isCut } = written
  return {
    name: `${fileName(written)}.${format}`,
    text: format === 'html' ? writeHtml(written) : writeMarkdown(written),
    turns: turns.filter(({ number }) => number > 0).length,
    turnCount,
    masked: findMasks(turns.map((turn) => ({ turn: turn.number, text: JSON.stringify(turn) }))),
    isCut,
  }
}

/** Whether it is all that the session says. */
export const isAll = (range: DocumentRange, collected: CollectedTurns, session: Session): boolean =>
  (collected.turns[0]?.number ?? 0) <= 1 &&
  collected.turns.at(-1)?.number === collected.turnCount &&
  isToEnd(range, collected, session)

/** Whether nothing was said behind it. */
export const isToEnd = ({ before }: DocumentRange, { isCut }: CollectedTurns, { lastEventAt }: Session): boolean =>
  !isCut && (before === null || lastEventAt === null || Date.parse(lastEventAt) <= before)

/** Letters and digits of its title, and the beginning of its ID. */
export function fileName({ session: { id, title }, isWhole }: WrittenConversation): string {
  const words =
    ((isWhole ? title : null) ?? 'session')
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  return [...words.slice(0, 6), id.replace(/[^A-Za-z0-9]/g, '').slice(0, 8)].join('-').slice(0, 80)
}
