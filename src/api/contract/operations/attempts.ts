/** What workers report of their attempts, the questions of runs, and files of other hosts. */

import { withoutRuns } from '../../../domain/access/access'
import { ANSWER_QUESTION, APPEND_FILE, READ_QUESTIONS, REPORT_ATTEMPT } from '../../../domain/access/rules'
import type { QuestionId, SessionId, ToolUseId } from '../../../domain/ids'
import { ATTEMPT_OUTCOMES, FAILURE_CLASSES, RUNGS, TASK_LOG_KINDS } from '../../../domain/task/task'
import { TASK_LIMITS, TASK_RANGES } from '../../../domain/task/task-limits'
import { WORK_COPY_LIMITS } from '../../../domain/task/work-copy'
import { JOIN_LIMITS } from '../../../domain/task/worker-protocol'
import { OPERATOR } from '../callers'
import { type Fields, json, noun } from '../operation'

/** What a run's output said may be anything: it is kept, not judged. */
const nullableWords = (f: Fields) => f.nullable(f.words())

const conversation = (f: Fields) =>
  f.strictObject({
    rung: f.enum(RUNGS),
    sessionId: f.idOf<SessionId>(),
    resumedSessionId: f.nullable(f.idOf<SessionId>()),
    forked: f.boolean(),
    forkPoint: f.nullable(f.text(200)),
    whyNot: f
      .array(f.strictObject({ rung: f.enum(RUNGS), reason: f.text(200), detail: nullableWords(f) }))
      .check(f.maxLength(100)),
    carried: f.optional(f.words(1_000)),
    transcriptBytes: f.optional(f.seq()),
  })

const processFacts = (f: Fields) =>
  f.strictObject({
    pid: f.whole(1, 2 ** 31),
    startedAt: f.nullable(f.text(100)),
    cwd: f.text(4_096),
    branch: f.nullable(f.text(1_000)),
    base: f.nullable(f.text(1_000)),
    cliVersion: f.nullable(f.text(200)),
  })

const usage = (f: Fields) =>
  f.strictObject({
    inputTokens: f.seq(),
    outputTokens: f.seq(),
    cacheReadTokens: f.seq(),
    cacheCreationTokens: f.seq(),
  })

const attemptEnd = (f: Fields) =>
  f.strictObject({
    outcome: f.enum(ATTEMPT_OUTCOMES),
    failureClass: f.nullable(f.enum(FAILURE_CLASSES)),
    reason: f.words(),
    resetAt: f.nullable(f.time()),
    output: nullableWords(f),
    exitCode: f.nullable(f.int()),
    signal: f.nullable(f.text(50)),
    numTurns: f.nullable(f.int()),
    costUsd: f.nullable(f.number('must be a number')),
    usage: f.nullable(usage(f)),
    transcriptBytes: f.optional(f.seq()),
  })

const RUN_LOG_KINDS = TASK_LOG_KINDS.filter((kind) => kind !== 'move')

const report = (f: Fields) =>
  f.strictObject({
    conversation: f.optional(conversation(f)),
    process: f.optional(processFacts(f)),
    log: f.optional(
      f
        .array(f.strictObject({ at: f.time(), kind: f.enum(RUN_LOG_KINDS), text: f.words() }))
        .check(f.maxLength(10_000)),
    ),
    taken: f.optional(
      f
        .array(
          f.strictObject({
            questionId: f.idOf<QuestionId>(),
            behavior: f.optional(f.enum(['allow', 'deny'])),
            rule: f.optional(f.text(3_000)),
          }),
        )
        .check(f.maxLength(1_000)),
    ),
    inputs: f.optional(
      f.array(f.strictObject({ uuid: f.text(100), status: f.enum(['sent', 'delivered']) })).check(f.maxLength(1_000)),
    ),
    ended: f.optional(attemptEnd(f)),
  })

const question = (f: Fields) =>
  f.strictObject({
    toolUseId: f.nullable(f.idOf<ToolUseId>()),
    toolName: f.words(TASK_LIMITS.word),
    input: f.unknown(),
    description: nullableWords(f),
    default: f.enum(['allow', 'deny']),
    /** From now. */
    deadlineMs: f.within(TASK_RANGES.questionMs),
  })

const commitId = (f: Fields) => f.string().check(f.regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'is no commit'))

const remoteFile = (f: Fields) =>
  f.strictObject({
    hostName: f.text(JOIN_LIMITS.hostName),
    hostname: f.text(JOIN_LIMITS.hostname),
    path: f.text(4_096),
    kind: f.enum(['transcript', 'subagent', 'subagent_meta', 'tasks']),
    sessionId: f.nullable(f.id()),
    subagentId: f.nullable(f.id()),
    offset: f.offset(),
    before: f.nullable(f.string().check(f.regex(/^[0-9a-f]{64}$/, 'is no sha-256 in hex'))),
    isGone: f.optional(f.boolean()),
    isAnew: f.optional(f.boolean()),
  })

export const attempts = noun(
  'attempts',
  {
    report: {
      method: 'POST',
      path: '/api/attempts/:id/report',
      access: REPORT_ATTEMPT,
      takes: 'large',
      summary: 'Report the facts of an attempt',
      body: report,
      ignoresUnknown: true,
      answer: json((schemas) => schemas.OneAttempt),
    },
    stream: {
      method: 'PUT',
      path: '/api/attempts/:id/stream',
      access: REPORT_ATTEMPT,
      takes: 'bytes',
      summary: "Append bytes to a run's stored output",
      query: (f) =>
        f.strictObject({
          /** Where the bytes begin, from the start of the run's output. */
          offset: f.offset(),
        }),
      answer: json((schemas) => schemas.StreamState),
    },
    keepWorkCopy: {
      method: 'PUT',
      path: '/api/attempts/:id/work-copy',
      access: REPORT_ATTEMPT,
      takes: 'bytes',
      summary: "Append bytes to a copy of the attempt's worktree",
      query: (f) =>
        f.strictObject({
          commit: commitId(f),
          head: commitId(f),
          base: commitId(f),
          remote: f.text(TASK_LIMITS.path),
          hostName: f.text(JOIN_LIMITS.hostName),
          size: f.whole(1, WORK_COPY_LIMITS.bytes),
          leftOut: f.array(f.text(WORK_COPY_LIMITS.name)).check(f.maxLength(WORK_COPY_LIMITS.leftOut)),
          /** Where the bytes begin, from the start of the Git bundle. */
          offset: f.offset(),
        }),
      answer: json((schemas) => schemas.StreamState),
    },
    ask: {
      method: 'POST',
      path: '/api/attempts/:id/questions',
      access: REPORT_ATTEMPT,
      takes: 'large',
      summary: 'Request approval for a tool call',
      body: question,
      answer: json((schemas) => schemas.OneQuestion),
    },
  },
  { ids: 'as given' },
)

export const questions = noun('questions', {
  list: {
    method: 'GET',
    path: '/api/questions',
    access: READ_QUESTIONS,
    summary: 'List questions from runs, newest first',
    query: (f) =>
      f.strictObject({
        taskId: f.optional(f.id()),
        status: f.optional(f.enum(['open', 'answered', 'expired', 'withdrawn'])),
        /** Only of tasks of this agent CLI. */
        agent: f.optional(f.agentCli()),
        ...f.paging(),
      }),
    answer: json((schemas) => schemas.QuestionPage),
  },
  answer: {
    method: 'POST',
    path: '/api/questions/:id/answer',
    access: withoutRuns(ANSWER_QUESTION),
    summary: 'Answer a question from a run',
    body: (f) =>
      f.strictObject({ behavior: f.enum(['allow', 'deny']), message: f.optional(f.words(TASK_LIMITS.failureReason)) }),
    answer: json((schemas) => schemas.OneQuestion),
  },
  alwaysAllow: {
    method: 'POST',
    path: '/api/questions/:id/always-allow',
    access: OPERATOR,
    summary: "Allow a call and add a rule for it to worker.allow, if the run is on the server's machine",
    /** One of the rules that the question offers. */
    body: (f) => f.strictObject({ rule: f.text(3_000) }),
    answer: json((schemas) => schemas.AlwaysAllowed),
  },
})

export const files = noun(
  'files',
  {
    append: {
      method: 'PUT',
      path: '/api/files',
      access: APPEND_FILE,
      takes: 'bytes',
      summary: 'Record bytes of a file on another host',
      query: remoteFile,
      answer: json((schemas) => schemas.RemoteFileState),
    },
  },
  { ids: 'as given' },
)
