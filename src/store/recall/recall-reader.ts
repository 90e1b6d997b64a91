import type { SessionId } from '../../domain/ids'
import type { WaitingMail } from '../../domain/message/message-offer'
import type { RecallReads } from '../../domain/recall/recall'
import { openHookReader } from './hook-reader'
import { changes } from './recall-changes'
import { company, left } from './recall-company'
import { sessionFacts } from './recall-facts'
import { issueOf, readyIssues } from './recall-issues'
import { subagentFacts } from './recall-subagent'
import { sessionMail } from './session-mail'

export interface RecallReader extends RecallReads {
  /** What waits at the session's address. */
  mail(session: SessionId, now: number): Promise<WaitingMail>
  close(): void
}

const BUSY_MS = 200

/** Opens the embedded database for what hooks tell. @throws as `openHookReader` */
export function openRecallReader(path: string): RecallReader {
  const { drive, close } = openHookReader(path, BUSY_MS)
  return {
    session: async (id) => drive(sessionFacts(id)),
    subagent: async (...call) => drive(subagentFacts(...call)),
    issue: async (...call) => drive(issueOf(...call)),
    company: async (...call) => drive(company(...call)),
    left: async (...call) => drive(left(...call)),
    changes: async (...call) => drive(changes(...call)),
    ready: async (folder, limit) => drive(readyIssues(folder, limit)),
    mail: async (session, now) => drive(sessionMail(session, now)),
    close,
  }
}
