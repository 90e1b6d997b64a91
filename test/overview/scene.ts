/** Rows for tests of what needs a person: sessions, tasks and runs as the record and the queue have them at a time. */
import { inboxId, type SessionKey, sessionId, sessionKey, taskId } from '../../src/domain/ids'
import type { SessionRow } from '../../src/domain/record/record-store'
import type { Store, WriteTx } from '../../src/domain/store'
import type { AttemptConversation } from '../../src/domain/task/task'
import type { AttemptPatch, NewTask } from '../../src/domain/task/task-store'
import {
  freshId,
  type SampleSession,
  sampleEvent,
  sampleSession,
  sampleSubagent,
  sessionChange,
} from '../store-contract/sample'
import { addAgent, addTask, sampleAttempt, sampleQuestion } from '../store-contract/tasks-sample'

/** The time at which everything is looked at. */
export const NOW = Date.UTC(2026, 5, 15, 12)
export const MINUTE = 60_000
export const DAY = 86_400_000
export const ago = (ms: number): number => NOW - ms

export const SETTINGS = { stuckAfterMs: 15 * MINUTE, askingTools: new Set(['AskUserQuestion']) }

export interface SessionState {
  /** The CLI of a new one; default: Claude Code. */
  agent?: string
  /** Its last word, and when. */
  activity?: 'working' | 'idle' | 'waiting' | 'ended'
  evidence?: string
  at?: number
  lastEventAt?: number | null
  process?: 'alive' | 'gone'
  title?: string
  cwd?: string
  forkedFrom?: string
  /** Nobody saw it at work. */
  isImported?: boolean
  resumedFrom?: string
}

const row = (key: SessionKey, change: Partial<SessionRow>): SessionRow => sessionChange(key, change)

/** Adds a session, or what was heard of one later. */
export const addSession = (store: Store, state: SessionState): Promise<SampleSession> =>
  store.write(async (tx) => {
    const made = await sampleSession(tx, state.agent === undefined ? {} : { agent: state.agent })
    await hear(tx, made, state)
    return made
  })

/** What is heard of a session that is there. */
export const hearOf = (store: Store, session: SampleSession, state: SessionState): Promise<void> =>
  store.write((tx) => hear(tx, session, state))

async function hear({ record, sessions }: WriteTx, session: SampleSession, state: SessionState): Promise<void> {
  const at = state.at ?? NOW
  const { activity, evidence, lastEventAt, process, title, cwd, forkedFrom, resumedFrom, isImported } = state
  await record.mergeSession([
    row(session.key, {
      startedAt: at,
      lastEventAt: lastEventAt === undefined ? at : lastEventAt,
      liveAt: isImported ? null : at,
      ...(activity && {
        activity: { state: activity, at, evidence: evidence ?? `transcript:${activity}`, reason: null },
      }),
      ...(title && { title: { text: title, rank: 3, at } }),
      ...(cwd && { place: { cwd, gitBranch: null, agentVersion: null, at } }),
      ...(forkedFrom && { forkedFrom: { id: forkedFrom, evidence: 'its lines name it' } }),
      ...(resumedFrom && { resumedFrom }),
    }),
  ])
  if (process)
    await sessions.setProcess(sessionKey(session.key), 1, { id: 4_711, started: null, state: process, at: NOW - 1_000 })
}

/** Adds a call of a session's main thread; without an end it is open. */
export const addCall = (
  store: Store,
  session: SampleSession,
  call: { id: string; name: string; text?: string; at: number; endedAt?: number },
): Promise<void> =>
  store.write(async ({ record }) => {
    await record.mergeToolUses([
      {
        sessionKey: session.key,
        toolUseId: call.id,
        name: call.name,
        subagentKey: null,
        isPlaced: true,
        calledAt: call.at,
        endedAt: call.endedAt ?? null,
        isError: call.endedAt === undefined ? null : false,
        isInterrupted: false,
        launch: null,
        files: null,
      },
    ])
    await record.insertEvents([
      sampleEvent(session, {
        at: call.at,
        type: 'tool_call',
        toolUseId: call.id,
        toolName: call.name,
        text: `${call.name}\n${call.text ?? ''}`,
      }),
    ])
  })

export interface RunState {
  startedAt: number
  /** Left out: no end is known. */
  endedAt?: number
  status?: 'completed' | 'failed' | 'killed'
  kind?: 'agent' | 'shell' | 'monitor'
  isBackground?: boolean
  result?: string
}

/** Adds a sub-agent or background task with one run. */
export async function addRun(store: Store, session: SampleSession, run: RunState): Promise<string> {
  const id = freshId('agent')
  const { startedAt, endedAt, status = 'completed', kind = 'agent', isBackground = true, result = null } = run
  const mark = { seenAt: null, evidence: 'transcript:notification', toolUseId: null, line: null } as const
  await store.write(async ({ record }) => {
    await record.subagent(session.key, id, kind)
    await record.mergeSubagents([
      sampleSubagent(session, id, {
        kind,
        isBackground,
        description: `work of ${id}`,
        startedAt,
        end: endedAt === undefined ? null : { status, at: endedAt, evidence: 'transcript:notification', result },
        marks: [
          { ...mark, kind: 'start', at: startedAt, status: null, trigger: 'launch', result: null },
          ...(endedAt === undefined
            ? []
            : [{ ...mark, kind: 'end' as const, at: endedAt, status, trigger: 'launch' as const, result }]),
        ],
      }),
    ])
  })
  return id
}

/** What an attempt reports of itself that works in a session. */
export const inSession = (session: SampleSession): AttemptConversation => ({
  rung: 'native',
  sessionId: sessionId(session.id),
  resumedSessionId: null,
  forked: false,
  forkPoint: null,
  whyNot: [],
})

/** Adds a task with one attempt in a session, and one before it where `former` reports it. */
export async function addWork(
  store: Store,
  task: Partial<NewTask>,
  attempt: AttemptPatch & { number?: number; former?: AttemptPatch } = {},
): Promise<{ id: ReturnType<typeof taskId>; ask(deadline: number): Promise<string> }> {
  const agent = await addAgent(store)
  const made = await addTask(store, { attemptCount: attempt.number ?? (attempt.former === undefined ? 1 : 2), ...task })
  const { former, number = former === undefined ? 1 : 2, ...patch } = attempt
  const key = await store.write(async ({ tasks }) => {
    if (former !== undefined) {
      const first = await tasks.insertAttempt(sampleAttempt(made, agent.key, { number: 1 }))
      await tasks.updateAttempt(first, { startedAt: ago(40 * MINUTE), endedAt: ago(35 * MINUTE), ...former })
    }
    const given = sampleAttempt(made, agent.key, { number, leaseExpiresAt: NOW + 10_000 })
    const at = await tasks.insertAttempt(given)
    await tasks.updateAttempt(at, { startedAt: ago(30 * MINUTE), ...patch })
    return at
  })
  return {
    id: taskId(made.id),
    ask: (deadline) =>
      store.write(async ({ tasks }) => {
        const question = sampleQuestion(
          { attemptKey: key, taskKey: made.key },
          { deadline, askedAt: ago(MINUTE), input: '{"command":"rm -r build"}', description: 'Clean the build' },
        )
        await tasks.insertQuestion(question)
        return question.id
      }),
  }
}

/** Adds a request from outside that nobody looked at. */
export const addRequest = (store: Store, text: string): Promise<string> =>
  store.write(async ({ inbox }) => {
    const id = inboxId(freshId('i'))
    await inbox.insert({
      id,
      source: 'chat',
      externalId: null,
      onceKey: id,
      threadKey: null,
      sender: 'Ada',
      status: 'new',
      toldTo: null,
      receivedAt: ago(MINUTE),
      answeredAt: null,
      text,
    })
    return id
  })
