import { sql } from 'kysely'
import { type AgentName, inboxId, messageId, sessionId, sessionKey, taskId } from '../../domain/ids'
import { NEED_TEXT } from '../../domain/overview/overview'
import type { WaitingMessage, WaitingRequest } from '../../domain/overview/overview-store'
import { INBOX_SOURCE } from '../../domain/task/consent'
import type { Question } from '../../domain/task/task'
import { SIGNALS, type SignalColumns, signalsOf } from '../session/session-signals'
import type { ReadContext } from '../sql/read-context'
import { selectQuestions, toQuestion } from '../tasks/reads/questions'

export async function openQuestions(context: ReadContext, now: number, limit: number): Promise<Question[]> {
  const rows = await selectQuestions(
    context,
    sql`q.status = 'open' and q.deadline > ${now} order by q.asked_at, q.id limit ${sql.lit(limit)}`,
  )
  return rows.map(toQuestion)
}

interface RequestRow {
  public_id: string
  source: string
  sender: string
  received_at: number
  text: string
  length: number
  consent_to: string | null
}

export async function newRequests({ db }: ReadContext, limit: number): Promise<WaitingRequest[]> {
  const { rows } = await sql<RequestRow>`
    select t.public_id, t.source, t.sender, t.received_at, substr(t.text, 1, ${sql.lit(NEED_TEXT)}) as text,
           length(t.text) as length, w.task as consent_to
      from (select id, null as task from inbox where status = 'new'
            union all
            select x.inbox_id, k.public_id from tasks k join inbox_tasks x on x.task_public_id = k.public_id
             where k.status = 'backlog' and k.source = ${INBOX_SOURCE} and k.creator_agent_id is not null
               and k.attempt_count = 0) w
      join inbox t on t.id = w.id order by t.id desc limit ${sql.lit(limit)}`.execute(db)
  return rows.map((row) => ({
    id: inboxId(row.public_id),
    consentTo: row.consent_to === null ? null : taskId(row.consent_to),
    source: row.source,
    sender: row.sender,
    receivedAt: Number(row.received_at),
    text: row.text,
    isCut: Number(row.length) > NEED_TEXT,
  }))
}

interface MessageRow extends SignalColumns {
  message_id: string
  to_address: string
  from_name: string
  kind: string
  created_at: number
  text: string
  length: number
  is_cut: number
  id: number | null
  native_id: string | null
  agent: AgentName | null
}

/**
 * Ids of tasks and agents have forms of their own; what is at neither is a session's. The session that is there now is the one under
 * the newest of the address's ids.
 */
export async function waitingMessages({ db }: ReadContext, limit: number): Promise<WaitingMessage[]> {
  const { rows } = await sql<MessageRow>`
    select m.id as message_id, m.to_address, m.from_name, m.kind, m.created_at, m.is_cut,
           substr(m.text, 1, ${sql.lit(NEED_TEXT)}) as text, length(m.text) as length, s.id, s.native_id, s.agent, ${sql.raw(SIGNALS)}
      from messages m left join sessions s on s.id = coalesce(
        (select n.id from address_aliases l join sessions n on n.native_id = l.alias
          where l.address = m.to_address order by l.at desc limit 1),
        (select n.id from sessions n where n.native_id = m.to_address limit 1))
     where m.status = 'produced' and m.kind <> 'status' and m.to_address not like 't-%' and m.to_address not like 'a-%'
     order by m.seq desc limit ${sql.lit(limit)}`.execute(db)
  return rows.map((row) => ({
    id: messageId(row.message_id),
    to: row.to_address,
    fromName: row.from_name,
    kind: row.kind,
    createdAt: Number(row.created_at),
    text: row.text,
    isCut: Number(row.length) > NEED_TEXT || Number(row.is_cut) === 1,
    session:
      row.id === null || row.native_id === null || row.agent === null
        ? null
        : {
            key: sessionKey(Number(row.id)),
            id: sessionId(row.native_id),
            agentCli: row.agent,
            signals: signalsOf(row),
          },
  }))
}
