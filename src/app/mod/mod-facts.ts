/** What Lodeline's mod of Claude Code tells, and the hook that it becomes: from there on it is recorded as hooks are. */
import { z } from 'zod'

/** Characters of an id, and of a text that is kept. */
const ID = 200
const TEXT = 1_000
/** Facts of one request; a request is at most this many bytes. */
const MOST_FACTS = 100
export const MOST_BYTES = 256 * 1024

const id = z.string().check(z.regex(/^[\w.:-]+$/), z.maxLength(ID))
const text = z.string().transform((value) => value.slice(0, TEXT))

const modFact = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('agent'),
    sessionId: z.uuid(),
    agentId: id,
    parentAgentId: id.optional(),
    toolUseId: id,
    type: text.optional(),
    description: text.optional(),
    isBackground: z.boolean().optional(),
  }),
  z.object({ kind: z.literal('interrupted'), sessionId: z.uuid(), agentId: id.optional() }),
])
type ModFact = z.infer<typeof modFact>

/**
 * The hooks' payloads that the lines of a request stand for. What is no fact is left out: the transcript tells all of it later.
 *
 * @param body  a line of JSON for each fact
 */
export function hookPayloads(body: string): Record<string, unknown>[] {
  return body
    .split('\n', MOST_FACTS)
    .map(parsed)
    .filter((fact) => fact !== undefined)
    .map(payloadOf)
}

function parsed(line: string): ModFact | undefined {
  try {
    return modFact.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

function payloadOf(fact: ModFact): Record<string, unknown> {
  if (fact.kind === 'interrupted')
    return { hook_event_name: 'LodeInterrupted', session_id: fact.sessionId, agent_id: fact.agentId }
  return {
    hook_event_name: 'LodeAgentSpawn',
    session_id: fact.sessionId,
    agent_id: fact.agentId,
    agent_type: fact.type,
    parent_agent_id: fact.parentAgentId,
    tool_use_id: fact.toolUseId,
    description: fact.description,
    is_background: fact.isBackground,
  }
}
