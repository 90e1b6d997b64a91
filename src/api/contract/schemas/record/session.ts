import * as z from 'zod/mini'
import { AGENT_NAME } from '../../../../domain/ids'
import { LINK_EVIDENCE } from '../../../../domain/record/observation'
import { PRODUCT_KINDS } from '../../../../domain/session/product'
import { SHOWN_SESSION_STATUSES, SUBAGENT_STATUSES } from '../../../../domain/session/session'
import { SESSION_FACETS, type SessionFacet } from '../../../../domain/session/session-list'
import { AddressAlias, Attachment, Registration, SessionWorker } from '../registry'
import {
  addressSchema,
  COST,
  Instant,
  MaybeInstant,
  MaybeText,
  sessionIdSchema,
  subagentIdSchema,
  taskIdSchema,
  toolUseIdSchema,
  Usage,
} from '../scalars'
import { Todo } from '../todo-item'

export const AgentNameSchema = z.string().check(z.regex(AGENT_NAME))
export const SessionStatusSchema = z.enum(SHOWN_SESSION_STATUSES)

/** One continuing conversation. `usage` = main thread and all sub-agents, `usageMain` = main thread alone. */
export const Session = z.object({
  id: sessionIdSchema,
  agent: AgentNameSchema,
  project: MaybeText,
  cwd: MaybeText,
  status: SessionStatusSchema,
  statusEvidence: z.string(),
  resumedFrom: z.nullable(sessionIdSchema),
  forkedFrom: z.nullable(sessionIdSchema),
  translatedFrom: z.nullable(sessionIdSchema),
  clearedFrom: z.nullable(sessionIdSchema),
  startedAt: MaybeInstant,
  endedAt: MaybeInstant,
  lastEventAt: MaybeInstant,
  model: MaybeText,
  title: MaybeText,
  gitBranch: MaybeText,
  lastWords: MaybeText,
  agentVersion: MaybeText,
  host: MaybeText,
  counts: z.object({
    events: z.int(),
    toolCalls: z.int(),
    errors: z.int(),
    filesChanged: z.int(),
    subagents: z.int(),
    unknownAgents: z.int(),
    compactions: z.int(),
    malformedLines: z.int(),
  }),
  usage: Usage,
  usageMain: Usage,
  ...COST,
})

/** An agent launched by a tool call, or a background shell or monitor (`kind`). `usage`: `null` = none of the agent's own lines is recorded;
 * `reportedTokens` then is the least that it used, as the CLI told. */
export const Subagent = z.object({
  id: subagentIdSchema,
  sessionId: sessionIdSchema,
  kind: z.enum(['agent', 'shell', 'monitor']),
  toolUseId: z.nullable(toolUseIdSchema),
  parentToolUseId: z.nullable(toolUseIdSchema),
  parentId: z.nullable(subagentIdSchema),
  depth: z.nullable(z.int()),
  type: MaybeText,
  description: MaybeText,
  model: MaybeText,
  background: z.boolean(),
  status: z.enum(SUBAGENT_STATUSES),
  statusEvidence: z.string(),
  evidence: z.array(z.object({ source: z.enum(LINK_EVIDENCE), toolUseId: toolUseIdSchema })),
  isContradicted: z.boolean(),
  outputFile: MaybeText,
  startedAt: MaybeInstant,
  endedAt: MaybeInstant,
  lastEventAt: MaybeInstant,
  resultPreview: MaybeText,
  counts: z.object({ events: z.int(), toolCalls: z.int() }),
  usage: z.nullable(Usage),
  reportedTokens: z.nullable(z.int()),
  ...COST,
})

/** A node of the tree: the main thread (`subagent` = null) or a sub-agent, with what it is doing. */
export const TreeNode = z.object({
  subagent: z.nullable(Subagent),
  runningTools: z.array(z.object({ toolUseId: toolUseIdSchema, name: z.string(), since: MaybeInstant })),
  todos: z.object({ completed: z.int(), total: z.int(), current: MaybeText }),
  usage: z.nullable(Usage),
  lastEventAt: MaybeInstant,
  get children() {
    return z.array(TreeNode)
  },
})

/** A file of a session. `number` of an incarnation is what `export?incarnation=` takes. */
export const Journal = z.object({
  kind: z.string(),
  path: z.string(),
  subagentId: z.nullable(subagentIdSchema),
  incarnations: z.array(
    z.object({
      number: z.int(),
      size: z.int(),
      openedAt: Instant,
      closedAt: MaybeInstant,
      closeReason: MaybeText,
    }),
  ),
})

/** `value`: what the filter takes; `null` = sessions that have none. */
const FacetValue = z.object({ value: MaybeText, label: MaybeText, sessions: z.int() })
export const SessionFacets = z.object({
  total: z.int(),
  facets: z.object(
    Object.fromEntries(SESSION_FACETS.map((facet) => [facet, z.array(FacetValue)])) as Record<
      SessionFacet,
      z.ZodMiniArray<typeof FacetValue>
    >,
  ),
})
/**
 * `files`: those that most calls wrote come first. `products`: commits and pull requests that outputs of tools show to have been made; `mergedAt`:
 * when a call merged the pull request, or an output first said that it is merged.
 */
export const SessionOutcome = z.object({
  files: z.array(z.object({ path: z.string(), calls: z.int() })),
  products: z.array(
    z.object({
      kind: z.enum(PRODUCT_KINDS),
      name: z.string(),
      title: MaybeText,
      at: MaybeInstant,
      mergedAt: MaybeInstant,
    }),
  ),
})
export const SessionPage = z.object({ sessions: z.array(Session), nextCursor: MaybeText })
/**
 * `session` is `null` for a client that is registered and of which nothing is recorded. `address`: where messages for it go; `aliases`: its
 * other ids. `worker`: whose run it is or was last. `agentCount`: of sub-agents and background work, with those that `agentLimit` left out.
 */
export const SessionDetail = z.object({
  session: z.nullable(Session),
  subagents: z.array(Subagent),
  backgroundTasks: z.array(Subagent),
  agentCount: z.int(),
  todos: z.array(Todo),
  address: addressSchema,
  aliases: z.array(AddressAlias),
  registration: z.nullable(Registration),
  attachments: z.array(Attachment),
  worker: z.nullable(SessionWorker),
})
export const SessionTree = z.object({ session: Session, tree: TreeNode })
export const SubagentPage = z.object({ subagents: z.array(Subagent), nextCursor: MaybeText })
export const JournalList = z.object({ sessionId: sessionIdSchema, journals: z.array(Journal) })
/**
 * `tasks`: their texts are gone too. `keptTasks`: their own texts stay, since they are open or another session had them; what this session's
 * runs said of them is gone.
 */
export const Forgotten = z.object({
  sessionId: sessionIdSchema,
  journals: z.int(),
  bytes: z.int(),
  handoffs: z.int(),
  tasks: z.array(taskIdSchema),
  keptTasks: z.array(taskIdSchema),
})
