import { AppError } from '../../domain/errors'
import { type Address, address, sessionId } from '../../domain/ids'
import { addressKind } from '../../domain/message/message'
import { REGISTRY_LIMITS, type Registration, type RegistrationRow } from '../../domain/registry'
import { checkCapabilities, checkText } from '../tasks/check-fields'
import { quoted } from '../unit/find-task'
import { oncePerKey, repeatKey } from '../unit/repeat'
import { randomName } from '../unit/secrets'
import type { Unit } from '../unit/unit'
import type { RegisterSession } from './registry-inputs'

/** How addresses of clients without an id of their own begin. */
const WEB = 'websession-'
/** Characters after it: no two of a million installations meet. */
const WEB_LENGTH = 12

/** @throws `forbidden` */
export function mayRegister({ caller }: Unit): void {
  if (caller.kind === 'operator' || caller.kind === 'system') return
  throw new AppError('forbidden', 'A run acts as its task and an agent as itself; neither can act as a session.', {
    hint: "Read messages at the caller's own address. To attach a client, use the operator's token.",
  })
}

export const newWebAddress = (random: Unit['random']): Address => address(`${WEB}${randomName(WEB_LENGTH, random)}`)

/** An id that a client may have for its conversation: it can be no path, no option and no other kind of address. */
const FORM = /^(?!-)(?!\.{1,2}$)[\w.-]{1,200}$/

/**
 * The address of a session's id, known or not.
 *
 * @throws `invalid` it can't be a session's
 */
export async function sessionAddress(unit: Unit, id: string): Promise<Address> {
  if (!FORM.test(id))
    throw new AppError('invalid', `${quoted(id)} can't be the ID of a session.`, {
      hint: 'Use at most 200 letters, digits, dots, dashes and underscores.',
    })
  if (addressKind(address(id)) !== 'session')
    throw new AppError('invalid', `${quoted(id)} has the form of the ID of a task or an agent.`, {
      hint: 'Tasks and agents have an address without registration.',
    })
  return await unit.messages.addressOf(id)
}

/** The same for one that must be known. @throws `not_found` */
export async function knownSession(unit: Unit, id: string): Promise<Address> {
  const at = await sessionAddress(unit, id)
  if ((await unit.registry.isSession(at)) || (await unit.registry.isSession(id))) return at
  throw new AppError('not_found', `There is no session ${quoted(id)}.`, {
    hint: 'Run `lode session list` to see recorded sessions. To register another client, use POST /api/sessions.',
  })
}

/** Registers under the id that is given, or a new one of our own; the same key again is the same registration. */
export async function registerOnce(
  unit: Unit,
  given: { id: string | null; fresh: Address; input: RegisterSession; key: string | null },
): Promise<{ registration: Registration; isNew: boolean }> {
  const { id, fresh, input, key } = given
  const repeat = repeatKey(key, { ...input, id })
  let made: { registration: Registration; isNew: boolean } | undefined
  const { answer } = await oncePerKey(unit, 'sessions.register', repeat, async () => {
    const at = id === null ? fresh : await sessionAddress(unit, id)
    made = await putRegistration(unit, at, input)
    return made.registration.address
  })
  if (made !== undefined) return made
  const row = await unit.registry.registration(address(answer))
  if (row === undefined) throw new AppError('not_found', `The registration of ${answer} was forgotten.`)
  return { registration: shownRegistration(row), isNew: false }
}

/** @param input  `resumedAs` makes that id an alias of the address */
export async function updateRegistration(
  unit: Unit,
  at: Address,
  { resumedAs, ...input }: RegisterSession & { resumedAs?: string | undefined },
): Promise<{ registration: Registration; isNew: boolean }> {
  const before = await unit.registry.registration(at)
  if (before === undefined && at.startsWith(WEB) && !(await unit.registry.isSession(at)))
    throw new AppError('not_found', `Nothing is registered as ${quoted(at)}.`, {
      hint: 'To get an address for a web client, use POST /api/sessions.',
    })
  const put = await putRegistration(unit, at, input)
  if (resumedAs !== undefined) await resume(unit, at, resumedAs)
  return put
}

async function resume(unit: Unit, at: Address, newId: string): Promise<void> {
  const now = await sessionAddress(unit, newId)
  if (now === at) return
  if (now !== newId)
    throw new AppError('conflict', `${quoted(newId)} already belongs to ${now}.`, {
      hint: 'A conversation has one address: its first ID.',
    })
  await unit.messages.putAlias(newId, at, 'its client continues under this ID')
  await unit.feed('address.updated', { address: at, what: 'alias', alias: newId })
}

async function putRegistration(
  unit: Unit,
  at: Address,
  input: RegisterSession,
): Promise<{ registration: Registration; isNew: boolean }> {
  const live = await unit.registry.liveRunIn(sessionId(at))
  if (live !== undefined)
    throw new AppError('conflict', `${at} is the conversation of a run of ${live.taskId}.`, {
      hint: `Its address is its task: ${live.taskId}.`,
      details: { taskId: live.taskId, attemptId: live.attemptId },
    })
  const before = await unit.registry.registration(at)
  const row = rowOf(unit, at, before, checked(input))
  await unit.registry.putRegistration(row)
  await unit.feed('address.updated', { address: at, what: before === undefined ? 'registered' : 'changed' })
  return { registration: shownRegistration(row), isNew: before === undefined }
}

function rowOf(
  { now }: Unit,
  at: Address,
  before: RegistrationRow | undefined,
  input: RegisterSession,
): RegistrationRow {
  return {
    address: at,
    kind: at.startsWith(WEB) ? 'web' : 'chat',
    client: input.client ?? before?.client ?? null,
    host: input.host ?? before?.host ?? null,
    project: input.project ?? before?.project ?? null,
    title: input.title ?? before?.title ?? null,
    owner: input.owner ?? before?.owner ?? null,
    capabilities: input.capabilities ?? before?.capabilities ?? [],
    metadata: input.metadata ?? before?.metadata ?? {},
    createdAt: before?.createdAt ?? now,
    lastSeenAt: now,
  }
}

/** @throws `too_large` `invalid` */
function checked(input: RegisterSession): RegisterSession {
  const { name, title, project, metadata } = REGISTRY_LIMITS
  checkName('client', input.client)
  checkName('host', input.host)
  checkText('owner', input.owner ?? '', name)
  checkText('title', input.title ?? '', title)
  checkText('project', input.project ?? '', project)
  checkText('metadata', JSON.stringify(input.metadata ?? {}), metadata)
  const capabilities = input.capabilities && checkCapabilities(input.capabilities, 'capabilities')
  return { ...input, capabilities }
}

/** A name by which a client is known again. @throws `invalid` `too_large` */
export function checkName(field: 'client' | 'host', value: string | undefined): void {
  checkText(field, value ?? '', REGISTRY_LIMITS.name)
  if (value !== undefined && (value.trim() === '' || /\p{Cc}/u.test(value)))
    throw new AppError('invalid', `${field} can't be ${quoted(value)}.`, {
      hint: 'Use a name such as vscode, without control characters.',
      details: { field },
    })
}

const iso = (at: number): string => new Date(at).toISOString()

export const shownRegistration = (row: RegistrationRow): Registration => ({
  ...row,
  createdAt: iso(row.createdAt),
  lastSeenAt: iso(row.lastSeenAt),
})
