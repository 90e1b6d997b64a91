/** Agents that work on tasks: leads, workers and specialists. */

import { JOIN_AS_AGENT, LEAD, SPEAK_AS_AGENT } from '../../../domain/access/rules'
import { AGENT_CONCURRENCY, AGENT_KINDS, AGENT_LIMITS } from '../../../domain/agent'
import type { AttemptId } from '../../../domain/ids'
import { MACHINE_LIMITS } from '../../../domain/machine/machine'
import { CLI_VERSION_LIMIT, MOST_AGENT_CLIS } from '../../../domain/task/agent-choice'
import { TASK_LIMITS } from '../../../domain/task/task-limits'
import { JOIN_LIMITS, MOST_JOIN_DIRS } from '../../../domain/task/worker-protocol'
import { EVERYONE } from '../callers'
import { type Fields, json, noun } from '../operation'
import { MAX_POLL_WAIT_MS } from '../protocol'

const join = (f: Fields) =>
  f.strictObject({
    name: f.text(AGENT_LIMITS.name),
    isNameOfHost: f.optional(f.boolean()),
    kind: f.enum(AGENT_KINDS),
    capabilities: f.listOf(f.words(TASK_LIMITS.tag), TASK_LIMITS.capabilities),
    concurrency: f.within(AGENT_CONCURRENCY),
    hostname: f.text(JOIN_LIMITS.hostname),
    hostName: f.text(JOIN_LIMITS.hostName),
    hostKey: f.optional(f.text(JOIN_LIMITS.hostKey)),
    maxPermissionMode: f.optional(f.text(JOIN_LIMITS.maxPermissionMode)),
    dirs: f.optional(f.listOf(f.text(TASK_LIMITS.path), MOST_JOIN_DIRS)),
    clis: f.optional(
      f
        .array(f.strictObject({ name: f.agentCli(), version: f.text(CLI_VERSION_LIMIT) }))
        .check(f.maxLength(MOST_AGENT_CLIS)),
    ),
    account: f.optional(f.text(JOIN_LIMITS.account)),
    machine: f.optional(
      f.strictObject({
        platform: f.text(MACHINE_LIMITS.word),
        arch: f.text(MACHINE_LIMITS.word),
        cores: f.whole(1, MACHINE_LIMITS.cores),
        memoryBytes: f.whole(0, Number.MAX_SAFE_INTEGER),
        gpus: f.array(f.text(MACHINE_LIMITS.word)).check(f.maxLength(MACHINE_LIMITS.gpus)),
        repositories: f.array(f.text(TASK_LIMITS.path)).check(f.maxLength(MACHINE_LIMITS.repositories)),
      }),
    ),
    fallsOver: f.optional(f.boolean()),
    restartAskedAt: f.optional(f.time()),
    bootId: f.text(JOIN_LIMITS.bootId),
    isFormerGone: f.boolean(),
    version: f.text(JOIN_LIMITS.version),
  })

const poll = (f: Fields) =>
  f.strictObject({
    bootId: f.text(JOIN_LIMITS.bootId),
    capacity: f.whole(0, 1_000),
    attempts: f
      .array(f.strictObject({ id: f.idOf<AttemptId>(), generation: f.whole(1, 2_147_483_647) }))
      .check(f.maxLength(1_000)),
    waitMs: f.whole(0, MAX_POLL_WAIT_MS),
    /** Only what is assigned or offered to it. */
    isAssignedOnly: f.optional(f.boolean()),
    /** Its process ends now. */
    isLeaving: f.optional(f.boolean()),
  })

export const agents = noun('agents', {
  list: {
    method: 'GET',
    path: '/api/agents',
    access: EVERYONE,
    summary: 'List agents',
    query: (f) =>
      f.strictObject({
        /** Absolute, on the server's host: agents that files of this project describe are listed as well. */
        dir: f.optional(f.text(4_096)),
      }),
    answer: json((schemas) => schemas.AgentList),
  },
  join: {
    method: 'POST',
    path: '/api/agents',
    access: JOIN_AS_AGENT,
    givesAccess: 'untracked',
    isJoining: true,
    summary: 'Register a new or returning agent and issue a token',
    body: join,
    answer: json((schemas) => schemas.JoinAnswer),
  },
  get: {
    method: 'GET',
    path: '/api/agents/:id',
    access: EVERYONE,
    isJoining: true,
    summary: 'Get an agent by ID or name, with its live tasks',
    params: (f) => f.strictObject({ id: f.text(200) }),
    answer: json((schemas) => schemas.AgentDetail),
  },
  poll: {
    method: 'POST',
    path: '/api/agents/:id/poll',
    access: SPEAK_AS_AGENT,
    /** A task is done as it was given. */
    secrets: 'kept',
    summary: 'Renew leases and wait for tasks and commands',
    body: poll,
    ids: 'as given',
    answer: json((schemas) => schemas.PollAnswer),
  },
  describe: {
    method: 'PUT',
    path: '/api/agents/:id',
    access: LEAD,
    summary: 'Create or change a specialist by name: the instructions and model of its runs',
    params: (f) => f.strictObject({ id: f.text(200) }),
    body: (f) =>
      f.strictObject({
        /** A text that its runs get at their start; '' = none. */
        instructions: f.optional(f.words(AGENT_LIMITS.instructions)),
        model: f.optional(f.nullable(f.text(TASK_LIMITS.word))),
        /** One line for those who choose among agents. */
        description: f.optional(f.nullable(f.words(AGENT_LIMITS.description))),
        capabilities: f.optional(f.listOf(f.words(TASK_LIMITS.tag), TASK_LIMITS.capabilities)),
      }),
    /** Makes the agent of that name. */
    ids: 'as given',
    answer: json((schemas) => schemas.OneAgent),
  },
})
