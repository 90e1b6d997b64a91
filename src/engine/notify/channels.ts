import { AppError } from '../../domain/errors'
import { CHANNEL_KINDS } from '../../domain/notify/channel-kind'
import { type ChannelRow, NOTIFY_LIMITS, type NotifyTx, type PushKeys } from '../../domain/notify/notify'
import { DEFAULT_EVENTS } from '../../domain/notify/notify-event'
import { isTimeZone } from '../../domain/notify/quiet-hours'
import { mayLead, parseOutsideUrl } from '../../util/net/address-reach'
import { ipVersion } from '../../util/net/ip'
import { recordAct } from '../audit/record-act'
import { checkWhole } from '../tasks/check-fields'
import { quoted } from '../unit/find-task'
import type { Unit } from '../unit/unit'
import type { PutChannel } from './notify-inputs'

/** A unit of work that sees the channels too. */
export interface NotifyUnit extends Unit {
  readonly notify: NotifyTx
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i
/** One line that a header or an envelope can hold. */
const MAIL_ADDRESS = /^[^\s<>"@\p{Cc}]{1,64}@[^\s<>"@\p{Cc}]{1,253}$/u
const CHAT = /^(?:-?\d{1,20}|@[a-z0-9_]{1,64})$/i

/** Adds a channel or changes it. @returns the secret where it was made now */
export async function putChannel(unit: NotifyUnit, input: PutChannel): Promise<{ secret: string | null }> {
  onlyOperator(unit)
  if (!NAME.test(input.name))
    throw invalid('name', `${quoted(input.name)} can't be the name of a channel.`, {
      hint: 'Use at most 64 letters, digits, dots, dashes and underscores.',
    })
  const before = await unit.notify.channel(input.name)
  if (before !== undefined && before.kind !== input.kind)
    throw new AppError('conflict', `The channel ${input.name} is of the kind ${before.kind}.`, {
      hint: `Use another name, or run \`lode notify remove ${input.name}\` first.`,
    })
  if (before === undefined && (await unit.notify.channels()).length >= NOTIFY_LIMITS.channels)
    throw new AppError('too_large', `There are already ${NOTIFY_LIMITS.channels} channels, the maximum.`, {
      hint: 'Remove one with `lode notify remove`.',
      details: { limit: NOTIFY_LIMITS.channels, unit: 'channels' },
    })
  const isMade = CHANNEL_KINDS[input.kind].secret === 'made' && before === undefined
  const row = checkChannel(unit, input, before, isMade)
  await unit.notify.putChannel(row)
  await recordAct(unit, 'channel.save', {
    target: row.name,
    detail: { kind: row.kind, events: row.events.join(' '), isNew: before === undefined },
  })
  return { secret: isMade ? row.secret : null }
}

/** @throws `forbidden` `not_found` */
export async function removeChannel(unit: NotifyUnit, name: string): Promise<void> {
  onlyOperator(unit)
  if (!(await unit.notify.removeChannel(name))) throw noChannel(name)
  await recordAct(unit, 'channel.remove', { target: name })
}

/** The public key that a browser asks its push service for a subscription with. Made once, for all servers of the database. */
export async function pushKey(unit: NotifyUnit, made: PushKeys): Promise<string> {
  onlyOperator(unit)
  const known = await unit.notify.pushKeys()
  if (known !== undefined) return known.publicKey
  await unit.notify.insertPushKeys(made)
  // Another server may have been quicker.
  return (await unit.notify.pushKeys())?.publicKey ?? made.publicKey
}

/** The browser ended its subscription: the channel leads nowhere any more. */
export async function endChannel(unit: NotifyUnit, name: string): Promise<void> {
  if (await unit.notify.removeChannel(name)) await recordAct(unit, 'channel.remove', { target: name })
}

export const noChannel = (name: string): AppError =>
  new AppError('not_found', `There is no channel ${quoted(name)}.`, {
    hint: 'Run `lode notify list` to see all channels.',
  })

export function onlyOperator(unit: Unit): void {
  if (unit.caller.kind !== 'operator') throw new AppError('forbidden', 'Only an operator may change who is notified.')
}

function checkChannel(
  unit: NotifyUnit,
  input: PutChannel,
  before: ChannelRow | undefined,
  isMade: boolean,
): Omit<ChannelRow, 'key'> {
  const { name, kind } = input
  const spec = CHANNEL_KINDS[kind]
  const target = input.target === undefined ? (before?.target ?? null) : checkTarget(kind, input.target)
  if ((target === null) !== (spec.target === null))
    throw invalid(
      'target',
      spec.target === null ? `A ${kind} channel takes no target.` : `A ${kind} channel needs a target.`,
      {
        hint: spec.target === null ? 'Leave it out.' : `Give ${spec.targetHelp}.`,
      },
    )
  const given = input.secret === undefined ? (before?.secret ?? null) : input.secret
  const secret = isMade ? `lns_${Buffer.from(unit.random(32)).toString('base64url')}` : given
  if (secret !== null && spec.secret === null)
    throw invalid('secret', `A ${kind} channel takes no secret.`, { hint: 'Leave it out.' })
  if (secret === null && spec.secret === 'needed')
    throw invalid('secret', `A ${kind} channel needs ${spec.secretHelp}.`, {
      hint: 'Pass --secret FILE, or --secret - to give it on the standard input.',
    })
  if (secret !== null && !/^[\x21-\x7e]{1,500}$/.test(secret))
    throw invalid('secret', 'The secret must be one word of at most 500 characters.')
  if (kind === 'push' && secret !== null && !/^[\w-]{87}=?\.[\w-]{22}(?:==)?$/.test(secret))
    throw invalid('secret', 'These are not the keys of a browser.', { hint: 'Turn notifications on in the dashboard.' })
  const server = input.server === undefined ? (before?.server ?? null) : input.server
  if (server !== null) checkServer(kind, server)
  else if (spec.server === 'needed')
    throw invalid('server', `A channel for ${kind} needs a mail server.`, {
      hint: 'Pass --via smtps://USER@HOST, and the password by --secret.',
    })
  const sender = input.sender === undefined ? (before?.sender ?? null) : input.sender
  if (sender !== null && (kind !== 'email' || !MAIL_ADDRESS.test(sender)))
    throw invalid('sender', `${quoted(sender)} can't be the sender of this channel.`, {
      hint: 'Use a mail address, for a channel of kind email.',
    })
  const quiet = input.quiet === undefined ? (before?.quiet ?? null) : input.quiet
  if (quiet !== null && !isTimeZone(quiet.zone))
    throw invalid('quiet', `${quoted(quiet.zone)} is not a time zone.`, { hint: 'Use a name such as Europe/Berlin.' })
  return {
    name,
    kind,
    target,
    server,
    sender,
    secret,
    events: [...new Set(input.events ?? before?.events ?? DEFAULT_EVENTS)],
    project: input.project === undefined ? (before?.project ?? null) : input.project,
    quiet,
    afterMs: checkWhole('afterMs', input.afterMs ?? before?.afterMs ?? 0, { least: 0, most: NOTIFY_LIMITS.afterMs }),
    createdAt: before?.createdAt ?? unit.now,
  }
}

function checkTarget(kind: PutChannel['kind'], target: string | string[]): string | null {
  const spec = CHANNEL_KINDS[kind]
  if (Array.isArray(target)) {
    const isFit = spec.target === 'argv' && target.length > 0 && target.length <= NOTIFY_LIMITS.argv && target[0] !== ''
    const text = JSON.stringify(target)
    if (isFit && text.length <= NOTIFY_LIMITS.target && !target.some((word) => word.includes('\0'))) return text
    throw invalid('target', 'This is not a command.', { hint: 'Give a program and its arguments after --.' })
  }
  if (spec.target === 'url') {
    const url = parseOutsideUrl(target)
    if (url !== null && mayLead(url)) return url.href
  } else if (kind === 'telegram' && CHAT.test(target)) return target
  else if (kind === 'email' && MAIL_ADDRESS.test(target)) return target
  throw invalid('target', `${spec.isTargetSecret ? 'The target' : quoted(target)} is no target of a ${kind} channel.`, {
    hint: `Give ${spec.targetHelp || 'none'}${spec.target === 'url' ? '; https, or http for this machine' : ''}.`,
  })
}

/** The address of a service's server, without a password: that is the secret. */
function checkServer(kind: PutChannel['kind'], server: string): void {
  if (CHANNEL_KINDS[kind].server === null)
    throw invalid('server', `A ${kind} channel takes no server.`, { hint: 'Leave it out.' })
  if (kind === 'email') {
    const url = server.length <= 500 && URL.canParse(server) ? new URL(server) : null
    if (url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && url.password === '') return
    throw invalid('server', `${quoted(server)} is not a mail server.`, {
      hint: 'Use smtps://USER@HOST:PORT, or smtp:// for one that takes STARTTLS; pass the password by --secret.',
    })
  }
  const url = parseOutsideUrl(server)
  if (url !== null && (ipVersion(url.hostname) === 0 || mayLead(url))) return
  throw invalid('server', `${quoted(server)} is not the address of a server.`, {
    hint: 'Use an https address, or http for this machine.',
  })
}

const invalid = (field: string, message: string, { hint }: { hint?: string } = {}): AppError =>
  new AppError('invalid', message, { ...(hint !== undefined && { hint }), details: { field } })
