import { AppError } from '../../../../domain/errors'
import { type Address, type AgentName, eventId, type SessionId, sessionId } from '../../../../domain/ids'
import type { MessageStatus } from '../../../../domain/message/message'
import {
  type AddressAlias,
  ATTACHED_MS,
  type Attachment,
  REGISTRY_LIMITS,
  type Registration,
  type SessionWorker,
} from '../../../../domain/registry'
import { sessionStatus } from '../../../../domain/session/session-status'
import type { ShownTaskStatus } from '../../../../domain/task/task'
import { shellLine } from '../../../../util/shell-words'
import { sessions } from '../../../contract/operations/sessions'
import { DEFAULT_PAGE_LIMIT } from '../../../contract/protocol'
import type { Context } from '../../context'
import { findPlace, type Place } from '../../find/find-place'
import { settle } from '../../find/find-task'
import { handle } from '../../handler'
import { idempotencyKey } from '../../request/idempotency-key'

export const registerSession = handle(sessions.register, ({ caller, body, request }, { services }) => {
  const { id = null, ...input } = body
  return services.registry.register(caller, id, input, idempotencyKey(request))
})

/** The whole id alone: a beginning could not make anything. */
export const putSession = handle(sessions.put, ({ caller, params, body }, { services }) =>
  services.registry.update(caller, params.id, body),
)

/** Nobody read or acknowledged it yet. */
const UNREAD: MessageStatus[] = ['produced', 'queued', 'delivered']

export const attachClient = handle(sessions.attach, async ({ caller, params, body }, context) => {
  const { services, store } = context
  const { after, ...client } = body
  const { address: at } = await findPlace(params.id, context)
  const attached = await services.registry.attach(caller, at, client)
  // Looked at first: what comes meanwhile is behind it.
  const [newest] = await store.messages.newest(at, Number.MAX_SAFE_INTEGER, 1)
  const filter = { to: at, ...(after === undefined ? { statuses: UNREAD } : { after }) }
  const { rows, nextCursor } = await store.messages.list(filter, { limit: REGISTRY_LIMITS.missed })
  const nextAfter = rows.at(-1)?.seq ?? after ?? newest?.seq ?? 0
  return { ...attached, missed: rows, hasMore: nextCursor !== null, nextAfter }
})

export const detachClient = handle(sessions.detach, async ({ caller, params, body }, context) => {
  const { address: at } = await findPlace(params.id, context)
  const { attachmentId, client, host } = body
  if (attachmentId !== undefined) return await context.services.registry.detach(caller, at, { attachmentId })
  if (client !== undefined && host !== undefined)
    return await context.services.registry.detach(caller, at, { client, host })
  throw new AppError('invalid', 'The client to detach is missing.', {
    hint: 'Pass `attachmentId`, or `client` and `host`.',
  })
})

export const sessionTasks = handle(sessions.tasks, async ({ params, query }, context) => {
  await settle(context)
  const at = await addressOfTasks(params.id, context)
  const { limit = DEFAULT_PAGE_LIMIT, cursor, textLimit } = query
  const page = { limit, ...(cursor !== undefined && { cursor }) }
  const found = await context.store.tasks.list({ sessionId: sessionId(at) }, page, 'newest', textLimit)
  return { address: at, tasks: found.rows, nextCursor: found.nextCursor }
})

/** A task may name a session that nobody registered and nothing recorded: it is found by its tasks alone. */
async function addressOfTasks(given: string, context: Context): Promise<Address> {
  const at = await context.store.messages.addressOf(given)
  const { rows } = await context.store.tasks.list({ sessionId: sessionId(at) }, { limit: 1 })
  return rows.length > 0 ? at : (await findPlace(given, context)).address
}

/** Which tasks are gone on with first. */
const ACTIVE: readonly ShownTaskStatus[] = [
  'in_progress',
  'waiting',
  'paused',
  'pending',
  'offered',
  'unassigned',
  'backlog',
]

export const activeTask = handle(sessions.activeTask, async ({ params }, context) => {
  await settle(context)
  const at = await addressOfTasks(params.id, context)
  for (const status of ACTIVE) {
    const found = await context.store.tasks.list({ sessionId: sessionId(at), statuses: [status] }, { limit: 1 })
    const [task] = found.rows
    if (task !== undefined) return { address: at, task }
  }
  throw new AppError('not_found', `No task of ${at} is open.`, {
    hint: `Use GET /api/sessions/${at}/tasks to list finished tasks, or POST /api/tasks with sessionId to create one.`,
  })
})

export const resumeSession = handle(sessions.resume, async ({ caller, params, body, request }, context) => {
  const { asTask, exact, forkAt, ...fields } = body
  const place = await findPlace(params.id, context)
  if (forkAt !== undefined && asTask !== true)
    throw new AppError('invalid', '`forkAt` needs `asTask`.', { hint: 'A task continues in the copy.' })
  const stored =
    forkAt === undefined
      ? await resumable(place, exact === true, context)
      : await forkable(place, forkAt, body, context)
  const input = { ...fields, ...(forkAt !== undefined && { forkAt: forkAt.toLowerCase() }) }
  if (input.agentClis === undefined || input.agentClis.length === 0) checkCanRun(stored, context)
  const dir = input.dir ?? stored.cwd ?? undefined
  if (asTask === true) {
    const task = await context.services.registry.resume(caller, stored.id, { ...input, dir }, idempotencyKey(request))
    return { address: place.address, sessionId: stored.id, interactive: null, task }
  }
  if (dir === undefined)
    throw new AppError('invalid', `The folder of session ${stored.id} is unknown.`, { hint: 'Pass it as `dir`.' })
  const command = await context.services.openCommand(stored.id, input.model ?? null, input.agentClis?.[0] ?? null)
  const line = `cd ${shellLine([dir])} && ${shellLine(command)}`
  return {
    address: place.address,
    sessionId: stored.id,
    interactive: { host: stored.host, dir, command, line },
    task: null,
  }
})

/** @throws `invalid` the agent CLI is recorded only */
function checkCanRun({ id, agent }: { id: SessionId; agent: AgentName }, { services }: Context): void {
  const clis = services.agentLines.clis()
  const own = clis.find(({ name }) => name === agent)
  if (own === undefined || own.canRun) return
  const other = clis.find(({ canRun }) => canRun)
  throw new AppError('invalid', `Lodeline records ${own.title} but can't run it.`, {
    hint: `Continue in the program itself, or in another one: 'lode session resume ${id} --as-task --with ${other?.name}'.`,
  })
}

/** The recorded session to go on with. @throws `conflict` somebody is in it · `not_found` nothing is recorded */
async function resumable({ address: at, session }: Place, isExact: boolean, context: Context) {
  const { store, now } = context
  const newest = isExact ? undefined : await newestOf(at, session?.id, context)
  const id = newest ?? session?.id
  const find = async () => (id === undefined ? undefined : await store.sessions.find(id))
  let stored = await find()
  if (stored?.signals.processState === 'alive') {
    // It may have ended since the last look.
    await context.services.noteGoneProcesses()
    stored = await find()
  }
  if (stored === undefined)
    throw new AppError('not_found', `No session of ${at} is recorded.`, {
      hint: 'A web client has no conversation to resume. Its tasks are at GET /api/sessions/:id/tasks.',
    })
  const { status, statusEvidence } = sessionStatus(stored.signals, now())
  const worker = await store.registry.workerOf(stored.id)
  if (worker?.isLive)
    throw new AppError('conflict', `A run of ${worker.taskId} is using this conversation.`, {
      hint: `Send it text with 'lode task input ${worker.taskId} TEXT', or pause it first.`,
      details: { taskId: worker.taskId },
    })
  if (stored.signals.processState === 'alive' && status !== 'ended' && status !== 'lost')
    throw new AppError('conflict', `Session ${stored.id} is ${status} (${statusEvidence}).`, {
      hint: 'Two processes at once would split the conversation. End the other process first.',
      details: { status, processId: stored.signals.processId, host: stored.host },
    })
  return stored
}

/** The session itself, with a finished turn up to that event. @throws `conflict` no turn is finished · `invalid` another agent CLI */
async function forkable(
  { address: at, session }: Place,
  forkAt: string,
  { agentClis = [] }: { agentClis?: readonly string[] | undefined },
  { services }: Context,
) {
  if (session === undefined) throw new AppError('not_found', `No session of ${at} is recorded.`)
  if (agentClis.some((name) => name !== session.agent))
    throw new AppError('invalid', 'A copy that is cut goes on in the same agent CLI.', {
      hint: 'Leave out `agentClis`, or continue the whole session in another agent CLI.',
    })
  if ((await services.snapshot(session.id, eventId(forkAt.toLowerCase()))) === null)
    throw new AppError(
      'conflict',
      `Session ${session.id} has no finished turn and no answered call before that line.`,
      {
        hint: 'Choose a later line.',
      },
    )
  return session
}

/** An id that is an alias names itself; the address names the conversation, wherever it went on. */
async function newestOf(at: Address, given: SessionId | undefined, { store }: Context): Promise<SessionId | undefined> {
  if (given !== undefined && given !== sessionId(at)) return undefined
  return await store.registry.newestSession(at)
}

/** What a session's page reports of its address. */
export async function addressFacts(
  { address: at, session, registration }: Place,
  { store, now }: Context,
): Promise<{
  address: Address
  aliases: AddressAlias[]
  registration: Registration | null
  attachments: Attachment[]
  worker: SessionWorker | null
}> {
  const [aliases, attachments, worker] = await Promise.all([
    store.registry.aliases(at),
    store.registry.attachments(at, now() - ATTACHED_MS),
    session === undefined ? undefined : store.registry.workerOf(session.id),
  ])
  return { address: at, aliases, registration: registration ?? null, attachments, worker: worker ?? null }
}
