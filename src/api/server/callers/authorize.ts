import type { Subject } from '../../../domain/access/subjects'
import type { Store } from '../../../domain/store'
import type { Caller } from '../../../domain/task/worker-protocol'
import type { Asking } from '../../../engine/access/asking'
import { requireAccess } from '../../../engine/access/require-access'
import type { Operation } from '../../contract/operation'
import type { Context } from '../context'
import type { Call } from '../handler'

/** What `:id` of a path means, by the noun before it. Handlers find the objects of other nouns, and check the same row. */
const IN_PATH: Readonly<Record<Subject, RegExp | null>> = {
  task: /^\/api\/tasks\/:id/,
  attempt: /^\/api\/attempts\/:id/,
  session: /^\/api\/sessions\/:id/,
  agent: /^\/api\/agents\/:id/,
  address: /^\/api\/(?:addresses|sessions)\/:id/,
  message: null,
  receiver: null,
  folder: null,
  host: null,
}

/** Fields of query and body that name such an object where the path does not. */
const FIELD: Readonly<Record<Subject, readonly string[] | null>> = {
  task: ['taskId'],
  attempt: null,
  session: ['sessionId'],
  agent: null,
  address: null,
  message: null,
  receiver: null,
  folder: ['folder', 'dir'],
  host: ['hostName'],
}

/** The caller, as the rows of the table need it. */
export const askingOf = (caller: Caller, { tasks, messages }: Pick<Store, 'tasks' | 'messages'>): Asking => ({
  caller,
  tasks,
  messages,
})

/**
 * Checks a request against the row of its operation, before its handler. A request that names no object (a list, a search by words) is
 * left to the handler, which shows only what the same row opens.
 *
 * @throws `forbidden`
 */
export async function authorize(operation: Operation, call: Call, store: Pick<Store, 'tasks' | 'messages'>) {
  const { access } = operation
  if (access === 'public' || call.caller.kind === 'operator') return
  const id = access.of === undefined ? null : objectOf(access.of, operation, call)
  if (id !== undefined) await requireAccess(askingOf(call.caller, store), access, id)
}

function objectOf(of: Subject, { path }: Operation, call: Call): string | undefined {
  const { params, query, body } = call as { params: Part; query: Part; body: Part | undefined }
  if (IN_PATH[of]?.test(path)) return textOf(params, 'id')
  for (const field of FIELD[of] ?? []) {
    const value = textOf(query, field) ?? textOf(body, field)
    if (value !== undefined) return value
  }
  return undefined
}

type Part = Readonly<Record<string, unknown>>

function textOf(part: Part | undefined, field: string): string | undefined {
  const value = part?.[field]
  return typeof value === 'string' ? value : undefined
}

/** For a handler that found what the request is about: the same row, by the whole id. @throws `forbidden` */
export async function requireFor({ access }: Operation, caller: Caller, id: string, { store }: Pick<Context, 'store'>) {
  if (access !== 'public') await requireAccess(askingOf(caller, store), access, id)
}
