import type { ConversationLine } from '../../domain/conversation/line-row'
import type { AgentName, EventId, SessionId } from '../../domain/ids'
import type { StoredSession } from '../../domain/session/session-store'

/** Bytes of lines that are read for one page. A line beyond them keeps its cut text. */
const PAGE_BYTES = 16 * 1_024 * 1_024

/** How whole texts are had. */
export interface WholeTextReader {
  /** The line's bytes from its journal. `undefined` = they are not kept. */
  readLine(session: SessionId, id: EventId): Promise<Uint8Array | undefined>
  /** What a person reads of the line, uncut. `null` = nothing. */
  textOf(agent: AgentName, line: Uint8Array): Promise<string | null>
}

/** The whole texts of those lines whose text is cut. */
export async function readWholeTexts(
  session: Pick<StoredSession, 'id' | 'agent'>,
  lines: readonly ConversationLine[],
  reader: WholeTextReader,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  let room = PAGE_BYTES
  for (const { event, bytes } of lines) {
    if (!event.isCut || bytes > room) continue
    room -= bytes
    const line = await reader.readLine(session.id, event.id)
    const text = line === undefined ? null : await reader.textOf(session.agent, line)
    if (text !== null) texts.set(event.id, text)
  }
  return texts
}
