import * as z from 'zod/mini'
import { CALLER_KINDS } from '../../../domain/access/caller-kind'
import { ERROR_CODES } from '../../../domain/errors'
import { TASK_STATUSES } from '../../../domain/task/task'
import { USER_ROLES } from '../../../domain/user/user'
import { AgentNameSchema, SessionStatusSchema } from './record/session'
import { feedSeqSchema, Instant, MaybeInstant, MaybeText, sessionIdSchema } from './scalars'

export const Health = z.object({ status: z.literal('ok'), version: z.string(), uptimeMs: z.int() })

export const Ready = z.object({
  status: z.literal('ready'),
  /** How long the database took to answer. */
  databaseMs: z.int(),
  schemaVersion: z.int(),
  /** How long the oldest entry of the feed has waited for its number. */
  feedLagMs: z.int(),
})

/** A file that could not be read, or not wholly. */
export const FileProblem = z.object({ path: z.string(), reason: z.string() })

/** Progress of `import`, of `rebuild`, and of what a server found at its start. Totals grow while files are still being found. */
export const Progress = z.object({ filesDone: z.int(), filesTotal: z.int(), bytesDone: z.int(), bytesTotal: z.int() })

export const CollectorFacts = z.object({
  isRunning: z.boolean(),
  /** Folders that it follows. */
  roots: z.array(z.string()),
  files: z.int(),
  /** Files known to hold bytes that are not recorded yet. */
  filesBehind: z.int(),
  /** Progress through what was found at the start, the newest first; `null` = all of it is recorded. */
  backfill: z.nullable(Progress),
  lastScanAt: MaybeInstant,
  problems: z.array(FileProblem),
})

export const StorageFacts = z.object({
  kind: z.enum(['sqlite', 'postgres']),
  /** The database file, or host and name of the database; never a password. */
  location: z.string(),
  bytes: z.nullable(z.int()),
})

export const Status = z.object({
  version: z.string(),
  uptimeMs: z.int(),
  sessions: z.object({
    total: z.int(),
    /** Among the newest 1,000 sessions. */
    byStatus: z.record(SessionStatusSchema, z.int()),
    /** Sessions older than those counted in `byStatus`. */
    older: z.int(),
    /** How many there are of each agent CLI of which one is recorded. */
    byAgent: z.record(AgentNameSchema, z.int()),
  }),
  tasks: z.object({
    byStatus: z.record(z.enum(TASK_STATUSES), z.int()),
    /** Tool calls that wait for a person; at most 1,000 are counted. */
    openQuestions: z.int(),
    /** Tasks in progress of which a question is open: they wait for a person. */
    asking: z.int(),
  }),
  agents: z.object({ total: z.int(), online: z.int() }),
  /** How much waits for a person, as `overview` lists it. */
  needsYou: z.object({
    /** Open ones, of runs. */
    questions: z.int(),
    /** Sessions that ask for something in their terminal. */
    waiting: z.int(),
    /** Tasks that failed within a week, and were not taken up again. */
    failures: z.int(),
    /** From outside, and nobody looked at them. */
    requests: z.int(),
    /** Sessions that are silent in the middle of a turn. */
    stuck: z.int(),
    /** Sessions and attempts without a sign of life. */
    lost: z.int(),
    /** Groups of waiting tasks that no online agent may take. */
    untaken: z.int(),
    /** Results in the background that nobody read. */
    unread: z.int(),
    /** At sessions: results, questions and words that nobody got yet. */
    messages: z.int(),
  }),
  newestActivity: z.nullable(z.object({ sessionId: sessionIdSchema, title: MaybeText, at: MaybeInstant })),
  feedHead: feedSeqSchema,
  collector: z.nullable(CollectorFacts),
  storage: StorageFacts,
})

export const RecordKind = z.object({
  agent: AgentNameSchema,
  journalKind: z.string(),
  name: z.string(),
  isKnown: z.boolean(),
  count: z.int(),
  version: MaybeText,
  lastSeenAt: Instant,
})

export const Doctor = z.object({
  version: z.string(),
  runtime: z.string(),
  storage: z.object({
    kind: z.enum(['sqlite', 'postgres']),
    location: z.string(),
    schemaVersion: z.int(),
    bytes: z.nullable(z.int()),
    rows: z.record(z.string(), z.int()),
    settings: z.record(z.string(), z.string()),
  }),
  /** The agents' CLIs in the record; `null` = no record names the version. */
  agentVersions: z.array(z.object({ agent: AgentNameSchema, version: z.nullable(z.string()) })),
  knownKinds: z.int(),
  unknownKinds: z.array(RecordKind),
  /** At most 100. */
  malformedLines: z.array(z.object({ path: z.string(), offset: z.int(), length: z.int(), reason: z.string() })),
  collector: z.nullable(CollectorFacts),
  /** Files whose bytes are not all in the record. */
  gaps: z.array(FileProblem),
})

const totals = {
  files: z.int(),
  bytes: z.int(),
  sessions: z.int(),
  events: z.int(),
  malformedLines: z.int(),
  durationMs: z.number(),
}

/** Counts files and bytes looked at; `sessions` and `events` are what the record gained. */
export const ImportTotals = z.object({ ...totals, problems: z.array(FileProblem) })

/** Counts what the record holds after the rebuild. */
export const RebuildTotals = z.object(totals)

/** What every error looks like. */
export const ErrorBody = z.object({
  error: z.object({
    code: z.enum(ERROR_CODES),
    message: z.string(),
    hint: z.optional(z.string()),
    details: z.optional(z.record(z.string(), z.unknown())),
  }),
})

/**
 * `days`: the age asked about, or the setting's; `null` = nothing goes by age, and the other fields are empty. `chosen`: the setting.
 * `oldest`, `newest`: last events of what would go. `sessions`: the oldest of these. `held`: old sessions that stay, by why.
 */
export const Retention = z.object({
  chosen: z.nullable(z.int()),
  days: z.nullable(z.int()),
  count: z.int(),
  bytes: z.int(),
  oldest: z.nullable(Instant),
  newest: z.nullable(Instant),
  sessions: z.array(z.object({ id: sessionIdSchema, title: MaybeText, lastEventAt: Instant, bytes: z.int() })),
  held: z.object({ process: z.int(), task: z.int(), issue: z.int() }),
})

/** The description of this API. */
export const OpenApiDocument = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.unknown()),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
})

/**
 * `path`: what to open on the server; the code stands behind `#`, which no browser sends or logs. `url`: where browsers of other machines
 * find the server; `null` = nowhere, it listens for this machine alone.
 */
export const LoginCode = z.object({ code: z.string(), path: z.string(), url: MaybeText, expiresAt: Instant })
/** `provider`: the host of the OpenID provider; `null` = there is none. */
export const LoginWays = z.object({ provider: MaybeText })
export const LoggedIn = z.object({ until: Instant })
/** `feedSeq`: where the feed stands. What is asked for after this answer is at least as new, so following from there misses nothing. */
export const Me = z.object({
  kind: z.enum(CALLER_KINDS),
  name: MaybeText,
  /** For a person who was added. */
  role: z.optional(z.enum(USER_ROLES)),
  /** Present if people were added, so that a page names the logged-in person. */
  hasPeople: z.optional(z.literal(true)),
  version: z.string(),
  feedSeq: feedSeqSchema,
})

/** What answers a message of a client, by JSON-RPC: its result, or an error. What they hold is the protocol's own. */
export const McpAnswer = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.optional(z.nullable(z.union([z.string(), z.number()]))),
  result: z.optional(z.record(z.string(), z.unknown())),
  error: z.optional(z.object({ code: z.int(), message: z.string(), data: z.optional(z.unknown()) })),
})
