/** What a sub-agent was asked and what is on its own list, for recalls. */
import type { SessionId, SubagentId } from '../../domain/ids'
import type { SubagentFacts } from '../../domain/recall/recall'
import { first, type Program } from '../sql/program'
import { todosOfSubagent } from './recall-todos'

/** Characters of its prompt that are looked at: a text has room for less. */
const LOOKED_AT = 8_000

/** As `RecallReads.subagent`. */
export function* subagentFacts(session: SessionId, id: SubagentId): Program<SubagentFacts | undefined> {
  const found = yield* first<{ key: number; type: string | null; prompt: string | null }>(
    `select a.id as "key", a.type as type, substr(a.prompt, 1, ${LOOKED_AT}) as prompt
      from subagents a join sessions s on s.id = a.session_id where s.native_id = ? and a.native_id = ?`,
    session,
    id,
  )
  if (found === undefined) return undefined
  return { type: found.type, prompt: found.prompt, todos: yield* todosOfSubagent(Number(found.key), session) }
}
