import { type Address, taskId } from '../../domain/ids'
import { addressKind } from '../../domain/message/message'
import type { CarriedMessage, GoneCarrier, MessageRow } from '../../domain/message/message-store'
import { addressOf } from './address'
import { type MessageUnit, moveMessage } from './move-message'

export interface Settled {
  delivered: number
  consumed: number
  returned: number
}

/** Lines that one unit looks at. */
const LINES_PER_UNIT = 500

/** Lines that the messages do not know of yet, by address. */
export async function unsettledByAddress(unit: MessageUnit): Promise<CarriedMessage[][]> {
  const byAddress = new Map<Address, CarriedMessage[]>()
  for (const line of await unit.messages.unsettled(LINES_PER_UNIT)) {
    const lines = byAddress.get(line.to)
    if (lines === undefined) byAddress.set(line.to, [line])
    else lines.push(line)
  }
  return [...byAddress.values()]
}

/** Brings what is for the address in step with the record now, for a unit that decides by it. */
export async function settleAt(unit: MessageUnit, to: Address): Promise<void> {
  await settleLines(unit, await unit.messages.unsettled(LINES_PER_UNIT, to))
}

/**
 * Brings messages of one address in step with lines that carry them: a line in a conversation of the receiver delivers, a line of the
 * model after it consumes.
 */
export async function settleLines(unit: MessageUnit, lines: readonly CarriedMessage[]): Promise<Settled> {
  const settled = { delivered: 0, consumed: 0, returned: 0 }
  if (lines[0] !== undefined) await unit.messages.turn(lines[0].to)
  for (const line of lines) {
    const row = await unit.messages.find(line.id)
    if (row !== undefined && !line.isLost && (await isReceivedBy(unit, row, line))) {
      const moved = await moveByLine(unit, row, line)
      if (moved === 'delivered') settled.delivered++
      if (moved === 'consumed') settled.consumed++
    }
    await unit.messages.settleLine(line)
  }
  return settled
}

/** What was delivered and went out of sight before the receiver went on from it is offered again. */
export async function lapseLost(unit: MessageUnit): Promise<number> {
  let lapsed = 0
  for (const row of await unit.messages.lapsed(LINES_PER_UNIT))
    if ((await moveMessage(unit, row, { kind: 'lapse', why: LOST })) !== null) lapsed++
  return lapsed
}
const LOST = 'its line is no longer on the current branch, and nothing followed it'

async function moveByLine(unit: MessageUnit, row: MessageRow, line: CarriedMessage): Promise<string | null> {
  const evidence = `line ${line.line.slice(0, 8)} of session ${line.session}`
  const move =
    line.followedAt === null ? ({ kind: 'deliver', evidence } as const) : ({ kind: 'consume', evidence } as const)
  return (await moveMessage(unit, row, move))?.status ?? null
}

/** A marker counts only where the receiver reads: anybody may write one down elsewhere. */
async function isReceivedBy(unit: MessageUnit, row: MessageRow, line: CarriedMessage): Promise<boolean> {
  if (addressKind(row.to) === 'task')
    return (await unit.messages.conversationsOf(taskId(row.to))).includes(line.session)
  return (await addressOf(unit, line.session)) === row.to
}

/**
 * Messages whose carrier is gone come back, once its file was read to the end without them. A carrier may serve several addresses, each
 * with files of its own: only what is for `to` comes back by what those of `to` hold.
 */
export async function returnFlown(unit: MessageUnit, { target, to }: GoneCarrier): Promise<number> {
  let returned = 0
  for (const row of await unit.messages.flownBy([target])) {
    if (to !== undefined && row.to !== to) continue
    const lines = await unit.messages.linesOf(row.id)
    let isCarried = false
    for (const line of lines) isCarried ||= !line.isLost && (await isReceivedBy(unit, row, line))
    if (isCarried) continue
    const why = 'its carrier is gone and wrote no line with it'
    if ((await moveMessage(unit, row, { kind: 'return', why })) !== null) returned++
  }
  return returned
}
