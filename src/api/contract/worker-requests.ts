import * as z from 'zod/mini'
import { AGENT_KINDS } from '../../domain/agent'
import type { AttemptId, QuestionId, SessionId, ToolUseId } from '../../domain/ids'
import { ATTEMPT_OUTCOMES, FAILURE_CLASSES, RUNGS, TASK_LOG_KINDS } from '../../domain/task'
import { byId, id, idOf, type RequestSchemas, seq, text, time, whole, words } from './request-fields'
import { MAX_POLL_WAIT_MS } from './routes'
import type { WORKER_ROUTES } from './worker-routes'

const optional = z.optional
const nullable = z.nullable
const milliseconds = () => whole(1, 31_536_000_000)
/** What a run's output said may be anything: it is kept, not judged. */
const nullableWords = () => nullable(words())

const join = () =>
  z.strictObject({
    name: text(200),
    kind: z.enum(AGENT_KINDS),
    capabilities: z.array(text(1_000)).check(z.maxLength(1_000)),
    concurrency: whole(0, 1_000),
    hostname: text(1_000),
    hostName: text(200),
    hostKey: optional(text(200)),
    maxPermissionMode: optional(text(100)),
    bootId: text(200),
    isFormerGone: z.boolean(),
    version: text(200),
  })

const poll = () =>
  z.strictObject({
    bootId: text(200),
    capacity: whole(0, 1_000),
    attempts: z
      .array(z.strictObject({ id: idOf<AttemptId>(), generation: whole(1, 2_147_483_647) }))
      .check(z.maxLength(1_000)),
    waitMs: whole(0, MAX_POLL_WAIT_MS),
    /** Only what is assigned or offered to it. */
    isAssignedOnly: optional(z.boolean()),
    /** Its process ends now. */
    isLeaving: optional(z.boolean()),
  })

const conversation = () =>
  z.strictObject({
    rung: z.enum(RUNGS),
    sessionId: idOf<SessionId>(),
    resumedSessionId: nullable(idOf<SessionId>()),
    forked: z.boolean(),
    forkPoint: nullable(text(200)),
    whyNot: z
      .array(z.strictObject({ rung: z.enum(RUNGS), reason: text(200), detail: nullableWords() }))
      .check(z.maxLength(100)),
  })

const processFacts = () =>
  z.strictObject({
    pid: whole(1, 2 ** 31),
    startedAt: nullable(text(100)),
    cwd: text(4_096),
    branch: nullable(text(1_000)),
    base: nullable(text(1_000)),
    cliVersion: nullable(text(200)),
  })

const usage = () =>
  z.strictObject({ inputTokens: seq(), outputTokens: seq(), cacheReadTokens: seq(), cacheCreationTokens: seq() })

const attemptEnd = () =>
  z.strictObject({
    outcome: z.enum(ATTEMPT_OUTCOMES),
    failureClass: nullable(z.enum(FAILURE_CLASSES)),
    reason: words(),
    resetAt: nullable(time()),
    output: nullableWords(),
    exitCode: nullable(z.int()),
    signal: nullable(text(50)),
    numTurns: nullable(z.int()),
    costUsd: nullable(z.number('must be a number')),
    usage: nullable(usage()),
  })

const RUN_LOG_KINDS = TASK_LOG_KINDS.filter((kind) => kind !== 'move')

const report = () =>
  z.strictObject({
    conversation: optional(conversation()),
    process: optional(processFacts()),
    log: optional(
      z.array(z.strictObject({ at: time(), kind: z.enum(RUN_LOG_KINDS), text: words() })).check(z.maxLength(10_000)),
    ),
    taken: optional(
      z
        .array(
          z.strictObject({
            questionId: idOf<QuestionId>(),
            behavior: optional(z.enum(['allow', 'deny'])),
            rule: optional(text(3_000)),
          }),
        )
        .check(z.maxLength(1_000)),
    ),
    inputs: optional(
      z.array(z.strictObject({ uuid: text(100), status: z.enum(['sent', 'delivered']) })).check(z.maxLength(1_000)),
    ),
    ended: optional(attemptEnd()),
  })

const question = () =>
  z.strictObject({
    toolUseId: nullable(idOf<ToolUseId>()),
    toolName: text(1_000),
    input: z.unknown(),
    description: nullableWords(),
    default: z.enum(['allow', 'deny']),
    /** From now. */
    deadlineMs: milliseconds(),
  })

const remoteFile = () =>
  z.strictObject({
    hostName: text(200),
    hostname: text(1_000),
    path: text(4_096),
    kind: z.enum(['transcript', 'subagent', 'subagent_meta', 'tasks']),
    sessionId: nullable(id()),
    agentId: nullable(id()),
    offset: seq(),
    before: nullable(z.string().check(z.regex(/^[0-9a-f]{64}$/, 'is no sha-256 in hex'))),
    isGone: optional(z.boolean()),
  })

/** What goes into requests of agents, workers and their runs. */
export const WORKER_REQUESTS = {
  'agents.list': {
    query: () =>
      z.strictObject({
        /** Absolute, on the server's host: agents that files of this project describe are listed as well. */
        dir: optional(text(4_096)),
      }),
  },
  'agents.join': { body: join },
  'agents.get': { params: () => z.strictObject({ id: text(200) }) },
  'agents.poll': { params: byId, body: poll },
  'attempts.report': { params: byId, body: report },
  'attempts.stream': {
    params: byId,
    query: () =>
      z.strictObject({
        /** Where the bytes begin, from the start of the run's output. */
        offset: seq(),
      }),
  },
  'attempts.ask': { params: byId, body: question },
  'sessions.snapshot': { params: byId },
  'files.append': { query: remoteFile },
  'mcp.send': {},
  'mcp.listen': {},
  'mcp.end': {},
} satisfies Record<keyof typeof WORKER_ROUTES, RequestSchemas>
