import { AppError } from '../../domain/errors'
import type { InboxSource, SourceRow } from '../../domain/inbox'
import { INBOX_LIMITS } from '../../domain/inbox'
import { mayLead, parseOutsideUrl } from '../../util/net/address-reach'
import { recordAct } from '../audit/record-act'
import { resolveAddress } from '../mail/address'
import { quoted } from '../unit/find-task'
import type { PutSource } from './inbox-inputs'
import type { InboxUnit } from './inbox-unit'

const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/i

/** Adds a source or changes it. The secret leaves only when it is new. */
export async function putSource(
  unit: InboxUnit,
  input: PutSource,
): Promise<{ source: InboxSource; secret: string | null }> {
  onlyOperator(unit)
  if (!NAME.test(input.name))
    throw new AppError('invalid', `${quoted(input.name)} can't be the name of a source.`, {
      hint: 'Use at most 100 letters, digits, dots, dashes and underscores.',
    })
  const before = await unit.inbox.source(input.name)
  if (before === undefined && (await unit.inbox.countSources()) >= INBOX_LIMITS.sources)
    throw new AppError('too_large', `There are already ${INBOX_LIMITS.sources} sources, the maximum.`, {
      hint: 'Remove one with `lode inbox source remove`.',
      details: { limit: INBOX_LIMITS.sources, unit: 'sources' },
    })
  const isNew = before === undefined || input.rotate === true
  const row: SourceRow = {
    name: input.name,
    secret: isNew ? `lis_${Buffer.from(unit.random(32)).toString('base64url')}` : before.secret,
    callback: input.callback === undefined ? (before?.callback ?? null) : checkCallback(input.callback),
    lead: input.lead === undefined ? (before?.lead ?? null) : await leadOf(unit, input.lead),
    autoDelegate: input.autoDelegate ?? before?.autoDelegate ?? false,
    createdAt: before?.createdAt ?? unit.now,
  }
  await unit.inbox.putSource(row)
  await recordAct(unit, 'source.save', {
    target: row.name,
    detail: { callback: row.callback, lead: row.lead, isNew: before === undefined, hasNewSecret: isNew },
  })
  const { secret, createdAt, ...shown } = row
  return { source: { ...shown, createdAt: new Date(createdAt).toISOString() }, secret: isNew ? secret : null }
}

/** @throws `forbidden` `not_found` */
export async function removeSource(unit: InboxUnit, name: string): Promise<void> {
  onlyOperator(unit)
  if (!(await unit.inbox.removeSource(name)))
    throw new AppError('not_found', `There is no source ${quoted(name)}.`, {
      hint: 'Run `lode inbox source list` to see all sources.',
    })
  await recordAct(unit, 'source.remove', { target: name })
}

function onlyOperator(unit: InboxUnit): void {
  if (unit.caller.kind !== 'operator')
    throw new AppError('forbidden', 'Only an operator may change who may send requests.')
}

async function leadOf(unit: InboxUnit, ref: string | null): Promise<SourceRow['lead']> {
  return ref === null ? null : await resolveAddress(unit, ref)
}

/** Replies hold what agents wrote: they travel in the clear on this machine alone. */
function checkCallback(text: string | null): string | null {
  if (text === null) return null
  const url = parseOutsideUrl(text)
  if (url === null)
    throw new AppError('invalid', `${quoted(text)} is not a valid callback.`, {
      hint: 'Use an https address, or http for this machine, without user name and password.',
      details: { field: 'callback' },
    })
  if (!mayLead(url))
    throw new AppError('invalid', `${quoted(text)} is an address where no callback may go.`, {
      hint: 'Use an address of the internet, of a private network, or of this machine.',
      details: { field: 'callback' },
    })
  return url.href
}
