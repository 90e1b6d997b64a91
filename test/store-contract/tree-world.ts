import { type SessionId, sessionId, type TaskId, type TaskKey } from '../../src/domain/ids'
import type { Store } from '../../src/domain/store'
import type { TaskStatus } from '../../src/domain/task/task'
import {
  freshId,
  type SampleSession,
  sampleHost,
  sampleSession,
  sampleSubagent,
  sampleToolUse,
  sampleUsage,
  sessionChange,
} from './sample'
import { addAgent, sampleAttempt, sampleQuestion, sampleTask } from './tasks-sample'

/** Numbers that are the same for the same seed. */
export type Dice = (limit: number) => number
export function dice(seed: number): Dice {
  let state = seed | 0
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return Math.floor(((state >>> 0) / 2 ** 32) * limit)
  }
}

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

/** Names and ids as strangers give them. */
const HOSTILE = [
  '../..',
  '<script>alert(1)</script>',
  'a/b c:~d',
  '\u202eevil',
  '%2F%00',
  "'; drop table tasks; --",
  'ünïcödé 🤖',
]
const MODELS = ['claude-opus-5-5', 'claude-sonnet-4-5-20250929', 'nobody-knows-1']
const TITLES = ['Mend the parser', 'Write THE docs', 'ÄPFEL zählen', 'Look at it', '']

export interface World {
  now: number
  sessions: SessionId[]
  tasks: TaskId[]
}

/** Projects, tasks in several levels, sessions of theirs and without any, agents in agents, calls and to-dos: all that a tree holds. */
export async function makeWorld(store: Store, seed: number, { sessions = 24, tasks = 16 } = {}): Promise<World> {
  const roll = dice(seed)
  const now = Date.now()
  const pick = <T>(from: readonly T[]): T => from[roll(from.length)] as T
  const projects = await store.write(async ({ record }) => {
    const host = await sampleHost(record)
    const other = await record.host(`installation-${seed}-2`, 'other box')
    const hostile = pick(HOSTILE)
    return [
      await record.project(host, `/home/u/app-${seed}`, null, 'app'),
      await record.project(host, `/home/u/${seed}/${hostile}`, null, hostile),
      // One repository on two hosts.
      await record.project(host, `/home/u/${seed}/lib`, `https://example.org/lib-${seed}`, 'lib'),
      await record.project(other, `/srv/${seed}/lib`, `https://example.org/lib-${seed}`, 'lib'),
    ]
  })
  const made: SampleSession[] = []
  for (let at = 0; at < sessions; at++) {
    const id = at % 6 === 5 ? `${freshId('session')} ${pick(HOSTILE)}` : freshId('session')
    const project = roll(5) === 0 ? null : pick(projects)
    const agent = at % 3 === 0 ? 'codex' : 'claude-code'
    made.push(await makeSession(store, { id, agent, project, now, roll, title: pick(TITLES) }))
  }
  const taskIds = await makeTasks(store, { count: tasks, sessions: made, dir: `/home/u/app-${seed}/src`, now, roll })
  return { now, sessions: made.map(({ id }) => sessionId(id)), tasks: taskIds }
}

const STATES = [
  { activity: 'working', ago: MINUTE },
  { activity: 'working', ago: 30 * MINUTE },
  { activity: 'waiting', ago: 10 * MINUTE },
  { activity: 'idle', ago: HOUR },
  { activity: 'idle', ago: 100 * HOUR },
  { activity: 'ended', ago: 5 * HOUR },
  { activity: 'working', ago: 200 * HOUR },
] as const

interface SessionPlan {
  id: string
  agent: string
  project: number | null
  title: string
  now: number
  roll: Dice
}

async function makeSession(
  store: Store,
  { id, agent, project, title, now, roll }: SessionPlan,
): Promise<SampleSession> {
  const { activity, ago } = STATES[roll(STATES.length)] ?? STATES[0]
  // No two of one time, so that there is one order.
  const heardAt = now - ago - (roll(1_000_000) % MINUTE)
  return await store.write(async (tx) => {
    const { record } = tx
    const session = await sampleSession(tx, { id, agent })
    if (project !== null) await record.setSessionProject(session.key, project)
    await record.mergeSession([
      sessionChange(session.key, {
        startedAt: heardAt - HOUR,
        lastEventAt: heardAt,
        liveAt: heardAt,
        place: { cwd: '/home/u', gitBranch: 'main', agentVersion: null, at: 1 },
        title: title === '' ? null : { text: title, rank: 1, at: 1 },
        activity: { state: activity, at: heardAt, evidence: 'test', reason: null },
        eventCount: 1,
      }),
    ])
    const nodes: { id: string; key: number; call: string }[] = []
    const count = roll(3) === 0 ? 0 : roll(8)
    for (let at = 0; at < count; at++) {
      const nativeId = roll(6) === 0 ? freshId('a/b c') : freshId('agent')
      const call = freshId('toolu')
      const kind = at > 4 ? ((['shell', 'monitor'] as const)[roll(2)] ?? 'shell') : 'agent'
      const parent = roll(2) === 0 ? undefined : nodes[roll(nodes.length)]
      const { key } = await record.subagent(session.key, nativeId, kind)
      // Some calls are recorded, of some only the CLI's word is known, and of some nothing.
      const isKnown = roll(4) > 0
      if (isKnown)
        await record.mergeToolUses([
          sampleToolUse(session, call, {
            subagentKey: (parent?.key ?? null) as never,
            calledAt: heardAt,
            endedAt: heardAt,
          }),
        ])
      const isOver = roll(2) === 0
      await record.mergeSubagents([
        sampleSubagent(session, nativeId, {
          kind,
          link: isKnown ? { toolUseId: call, evidence: 'meta' } : null,
          parentNativeId: isKnown ? null : (parent?.id ?? null),
          type: ['explorer', null][roll(2)] ?? null,
          description: ['Search', null][roll(2)] ?? null,
          startedAt: heardAt - 10 * MINUTE,
          end: isOver
            ? {
                status: (['completed', 'failed', 'killed'] as const)[roll(3)] ?? 'completed',
                at: heardAt,
                evidence: 'test',
                result: null,
              }
            : null,
        }),
      ])
      nodes.push({ id: nativeId, key, call })
    }
    const places = [null, ...nodes.map(({ key }) => key)]
    const calls = places.flatMap((key) =>
      Array.from({ length: roll(3) }, () =>
        sampleToolUse(session, freshId('toolu'), {
          name: 'Bash',
          subagentKey: key as never,
          calledAt: heardAt,
          endedAt: roll(2) === 0 ? heardAt : null,
        }),
      ),
    )
    if (calls.length > 0) await record.mergeToolUses(calls)
    await record.mergeUsage(
      places.flatMap((key) =>
        Array.from({ length: roll(4) }, () =>
          sampleUsage(session, {
            subagentKey: key as never,
            model: MODELS[roll(roll(5) === 0 ? 3 : 2)] ?? 'claude-opus-5-5',
            at: roll(9) === 0 ? null : heardAt - roll(72) * HOUR,
            inputTokens: roll(1_000),
            outputTokens: roll(1_000),
            cacheReadTokens: roll(10_000),
            cacheCreationTokens: roll(1_000),
          }),
        ),
      ),
    )
    for (const [at, key] of places.entries()) {
      if (roll(2) === 0) continue
      const items = Array.from({ length: roll(4) }, (_, item) => ({
        content: `step ${item} of ${at}`,
        status: (['pending', 'in_progress', 'completed'] as const)[roll(3)] ?? ('pending' as const),
      }))
      const listName = key === null ? 'todo' : `todo:${nodes[at - 1]?.id}`
      await record.applyTodoChanges([
        {
          sessionKey: session.key,
          listName,
          subagentKey: key as never,
          toolUseId: freshId('toolu'),
          at: heardAt,
          source: 1,
          change: { op: 'snapshot', items },
        },
      ])
    }
    return session
  })
}

interface TaskPlan {
  count: number
  sessions: readonly SampleSession[]
  dir: string
  now: number
  roll: Dice
}

async function makeTasks(store: Store, { count, sessions, dir, now, roll }: TaskPlan): Promise<TaskId[]> {
  const agent = await addAgent(store)
  const made: { key: TaskKey; id: TaskId; depth: number }[] = []
  for (let at = 0; at < count; at++) {
    const parent = roll(3) === 0 ? undefined : made[roll(made.length)]
    const status =
      (['backlog', 'pending', 'in_progress', 'paused', 'completed', 'failed'] as const satisfies TaskStatus[])[
        roll(6)
      ] ?? 'pending'
    const attempts = status === 'backlog' ? 0 : status === 'in_progress' ? 1 + roll(2) : roll(3)
    const conversations = Array.from({ length: attempts }, () => sessions[roll(sessions.length)]?.id ?? '')
    const last = conversations.at(-1)
    await store.write(async ({ tasks }) => {
      const task = sampleTask({
        title: TITLES[roll(TITLES.length - 1)] ?? 'task',
        status,
        waitingFor: status === 'pending' && roll(2) === 0 ? 'time' : null,
        pausedBy: status === 'paused' ? 'person' : null,
        parentKey: parent?.key ?? null,
        parentTaskId: parent?.id ?? null,
        depth: parent === undefined ? 0 : parent.depth + 1,
        dir: roll(2) === 0 ? dir : null,
        lastSessionId: last === undefined ? null : sessionId(last),
        attemptCount: attempts,
        finishedAt: status === 'completed' || status === 'failed' ? now - roll(48) * HOUR : null,
      })
      const { key } = await tasks.insertTask(task)
      for (const [index, conversation] of conversations.entries()) {
        const isLive = status === 'in_progress' && index === attempts - 1
        const attempt = await tasks.insertAttempt(
          sampleAttempt({ key, id: task.id }, agent.key, {
            number: index + 1,
            leaseExpiresAt: isLive ? now + HOUR : null,
          }),
        )
        // A live one may not have said yet what it runs in.
        if (!isLive || roll(3) > 0)
          await tasks.updateAttempt(attempt, {
            conversation: {
              rung: 'native',
              sessionId: sessionId(conversation),
              resumedSessionId: null,
              forked: false,
              forkPoint: null,
              whyNot: [],
            },
          })
        if (isLive) {
          if (roll(2) === 0) await tasks.insertQuestion(sampleQuestion({ attemptKey: attempt, taskKey: key }))
        } else await tasks.updateAttempt(attempt, { endedAt: now - MINUTE, outcome: 'completed' })
      }
      made.push({ key, id: task.id, depth: task.depth })
    })
  }
  return made.map(({ id }) => id)
}
