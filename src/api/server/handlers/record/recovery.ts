import { AppError } from '../../../../domain/errors'
import { type SessionId, type SubagentId, sessionId, subagentId } from '../../../../domain/ids'
import type { Subagent } from '../../../../domain/session/session'
import { bareStatus } from '../../../../domain/session/session-status'
import type { RecoveredWork } from '../../../../domain/subagent/subagent-run'
import type { Caller } from '../../../../domain/task/worker-protocol'
import { matchLaunch } from '../../../../engine/recovery/match-launch'
import { realProjectOf } from '../../../../util/git/git-project'
import type { Operation } from '../../../contract/operation'
import { sessions } from '../../../contract/operations/sessions'
import { recover, subagents } from '../../../contract/operations/subagents'
import { MIN_ID_PREFIX } from '../../../contract/protocol'
import { requireFor } from '../../callers/authorize'
import type { Context } from '../../context'
import { checkAgentCli } from '../../find/find-agent-cli'
import { catchUp, getSession, resolveSessionId } from '../../find/find-session'
import { ownSession } from '../../find/find-todos'
import { handle } from '../../handler'
import { readOutput } from './read-output'

/** Rows by default. */
const DEFAULT_RECOVERED = 100
/** Sessions of a project that are looked at: those heard of last. */
const MAX_SESSIONS = 50
/** The number of outputs whose end is shown, and the lines and bytes of each. */
const MAX_TAILS = 20
const TAIL_LINES = 5
const TAIL_BYTES = 4_096

export const recoverSession = handle(sessions.recover, async ({ params, query, caller }, context) => {
  const { id } = await getSession(params.id, context)
  await requireFor(sessions.recover, caller, id, context)
  const { work, total } = await context.store.runs.recover(id, query.limit ?? DEFAULT_RECOVERED)
  return { sessionId: id, work: await withTails(shown(work, query.all), context), total }
})

export const recoverProject = handle(recover, async ({ query }, context) => {
  const { store, now } = context
  const { limit = DEFAULT_RECOVERED, all, agent } = query
  checkAgentCli(agent, context)
  await catchUp(null, context)
  const { root } = realProjectOf(query.project)
  const page = await store.sessions.list(
    { under: root, ...(agent !== undefined && { agent }) },
    { limit: MAX_SESSIONS },
  )
  const found: RecoveredWork[] = []
  const sessions: { id: SessionId; title: string | null; status: string; lastEventAt: string | null }[] = []
  let total = 0
  for (const stored of page.rows) {
    const recovered = await store.runs.recover(stored.id, limit)
    total += recovered.total
    const work = shown(recovered.work, all)
    if (work.length === 0) continue
    found.push(...work)
    const { id, title, signals, lastEventAt } = stored
    sessions.push({ id, title, status: bareStatus(signals, now()), lastEventAt })
  }
  return { project: root, sessions, work: await withTails(found.slice(0, limit), context), total }
})

const shown = (work: readonly RecoveredWork[], all: boolean | undefined): RecoveredWork[] =>
  work.filter(({ state, run }) => {
    if (all === true || state === 'running') return true
    return run.readAt === null && state !== 'read' && state !== 'killed'
  })

/** With the last lines of what runs, was lost or ended unheard: what is over otherwise has its result. */
async function withTails(work: readonly RecoveredWork[], context: Context) {
  let room = MAX_TAILS
  const shown: (RecoveredWork & { tail: string[] | null })[] = []
  for (const one of work) {
    const isOpen = one.state === 'running' || one.state === 'lost' || one.state === 'ended' || one.state === 'unknown'
    const output =
      isOpen && room-- > 0
        ? await readOutput(one.subagent, { tail: TAIL_LINES, maxBytes: TAIL_BYTES, isOver: false }, context)
        : null
    shown.push({ ...one, tail: output === null || output.text === '' ? null : output.text.trimEnd().split('\n') })
  }
  return shown
}

export const launchCheck = handle(sessions.launchCheck, async ({ params, body, caller }, context) => {
  // The agent waits: nothing is caught up, and a session that is not known yet has launched nothing.
  const session = sessionId(params.id)
  // A run sees what its own record names, nothing that it names itself.
  const origins = caller.kind === 'attempt' ? [] : body.origins
  const call = { ...body, origins, session }
  return { match: matchLaunch(call, await context.store.launches.unread(call)) }
})

/** Bytes of an output that one answer holds. */
const OUTPUT_BYTES = 256 * 1_024

export const subagentOutput = handle(subagents.output, async ({ params, query, caller }, context) => {
  const subagent = await findWork(params.id, query.sessionId, { operation: subagents.output, caller }, context)
  const isOver = subagent.status !== 'running' && subagent.status !== 'unknown'
  const output = await readOutput(subagent, { tail: query.tail ?? null, maxBytes: OUTPUT_BYTES, isOver }, context)
  return { subagent, ...output }
})

export const stopSubagent = handle(subagents.stop, async ({ params, body, caller }, context) => {
  const subagent = await findWork(params.id, body.sessionId, { operation: subagents.stop, caller }, context)
  const { id, sessionId: session } = subagent
  if (subagent.kind !== 'shell') throw await hasNoProcess(subagent, context)
  const processId = await context.services.background.stop(subagent)
  if (processId === null && (await runsStill(subagent, context)))
    throw new AppError('conflict', `No process writes to the output of ${id}, but no end of it is recorded.`, {
      hint: 'It may just have ended: lode subagent show reports its end once it is recorded.',
    })
  return { id, sessionId: session, isStopped: processId !== null, processId }
})

async function runsStill({ id, sessionId: session, status }: Subagent, { store }: Context): Promise<boolean> {
  if (status !== 'running') return false
  return (await store.runs.ofSubagent(session, id)).at(-1)?.status === 'running'
}

async function hasNoProcess({ id, kind, sessionId: session }: Subagent, { store }: Context): Promise<AppError> {
  const stored = await store.sessions.find(session)
  const { processId, processState } = stored?.signals ?? {}
  const own = processState === 'alive' && processId != null ? ` (process ${processId})` : ''
  const what = kind === 'agent' ? 'a sub-agent' : 'a monitor'
  return new AppError(
    'conflict',
    `${id} is ${what}: it has no process of its own, but runs inside its session's CLI${own}.`,
    {
      hint: 'Ask the agent of that session to stop it (TaskStop), or press x on it in /tasks. Stopping the CLI stops it too.',
      details: { sessionId: session, processId: processId ?? null },
    },
  )
}

export const readSubagent = handle(subagents.markRead, async ({ params, body, caller }, context) => {
  const subagent = await findWork(params.id, body.sessionId, { operation: subagents.markRead, caller }, context)
  const { id, sessionId: session } = subagent
  const runs = await context.store.runs.ofSubagent(session, id)
  const run = body.run ?? runs.at(-1)?.number
  const found = runs.find(({ number }) => number === run)
  if (found === undefined)
    throw new AppError(
      'not_found',
      run === undefined ? `No run of ${id} is recorded.` : `Sub-agent ${id} has no run ${run}.`,
    )
  if (found.endedAt === null && found.status === 'running')
    throw new AppError('conflict', `Sub-agent ${id} is still running and has no result yet.`, {
      hint: `To see its output so far, run \`lode subagent output ${id}\`.`,
    })
  const isNew = await context.services.background.markRead(subagent, found.number, nameOf(caller))
  return { id, sessionId: session, run: found.number, isNew }
})

const nameOf = (caller: Caller): string =>
  caller.user?.name ?? (caller.kind === 'operator' ? 'a person' : `a ${caller.kind}`)

/**
 * The sub-agent or task that `given` names: its id, or a unique beginning of it.
 *
 * @throws `not_found`, or `conflict` when several are meant (`details.candidates`)
 */
async function findWork(
  given: string,
  session: string | undefined,
  asking: Asking,
  context: Context,
): Promise<Subagent> {
  const { store } = context
  const { caller } = asking
  const own = caller.kind === 'attempt' ? await ownSession(caller, context) : null
  if (caller.kind === 'attempt' && own === null) throw new AppError('not_found', 'The task has no conversation yet.')
  if (session === undefined && own === null) await catchUp(null, context)
  const within = session === undefined ? own : await resolveSessionId(session, context)
  if (within !== null) await requireFor(asking.operation, caller, within, context)
  const allowed = async (one: Subagent): Promise<Subagent> => {
    await requireFor(asking.operation, caller, one.sessionId, context)
    return one
  }
  const exact = await inSession(await store.subagents.find(subagentId(given)), within)
  if (exact.length > 0) return await allowed(only(given, exact))
  const ids: SubagentId[] = given.length < MIN_ID_PREFIX ? [] : await store.outputs.matchPrefix(given, within)
  const found: Subagent[] = []
  for (const id of ids) found.push(...(await inSession(await store.subagents.find(id), within)))
  if (found.length > 0) return await allowed(only(given, found))
  throw new AppError('not_found', `No sub-agent ${given} is recorded${within === null ? '' : ` in ${within}`}.`, {
    hint: 'Run `lode recover` to see running and unread work, or `lode subagent list --session ID` to see all of a session.',
  })
}

interface Asking {
  operation: Operation
  caller: Caller
}

const inSession = (found: Subagent[], session: SessionId | null): Subagent[] =>
  session === null ? found : found.filter((one) => one.sessionId === session)

function only(given: string, found: Subagent[]): Subagent {
  const [first] = found
  if (first !== undefined && found.length === 1) return first
  throw new AppError('conflict', `${given} matches ${found.length} sub-agents.`, {
    hint: 'Give the full ID and its session (`sessionId`, `--session`).',
    details: {
      candidates: found
        .slice(0, 20)
        .map(({ id, sessionId, type, description, startedAt }) => ({ id, sessionId, type, description, startedAt })),
    },
  })
}
