import {
  AUDIT_LIMITS,
  type AuditAct,
  type AuditActor,
  type AuditDetail,
  type AuditEntry,
  type AuditTx,
} from '../../domain/audit'
import type { Caller } from '../../domain/task/worker-protocol'
import { nameOf, type SystemCaller } from '../unit/unit'
import { hashOfLine } from './chain'

/** What an act was done to, and what else its line says. */
export interface AboutAct {
  target?: string | null
  detail?: AuditDetail
}

/** What recording takes of a unit: its line is committed with what the unit does, or not at all. */
interface ActUnit {
  readonly audit: AuditTx
  readonly now: number
  readonly caller: Caller | SystemCaller
}

/** Records an act of the unit's caller. Called once for each act, in the unit that does it. */
export const recordAct = (unit: ActUnit, act: AuditAct, { target = null, detail = {} }: AboutAct = {}): Promise<void> =>
  addLine(unit.audit, unit.now, { act, actor: actorOf(unit.caller), target, detail })

/** Adds a line to the log: the one place that does. */
export async function addLine(audit: AuditTx, now: number, { act, actor, target, detail }: AuditEntry): Promise<void> {
  const last = await audit.head()
  const line = {
    number: last.number + 1,
    at: now,
    act,
    actorKind: fitting(actor.kind),
    actorName: actor.name === null ? null : fitting(actor.name),
    peer: actor.peer === null ? null : fitting(actor.peer),
    target: target === null ? null : fitting(target),
    detail: JSON.stringify(detail, (_, value: unknown) =>
      typeof value === 'string' ? fitting(value, AUDIT_LIMITS.value) : value,
    ),
    before: last.hash,
  }
  await audit.append({ ...line, hash: hashOfLine(line) })
}

/** The name of a caller in the log. */
export const actorOf = (caller: Caller | SystemCaller): AuditActor => ({
  kind: caller.kind === 'agent' ? caller.agentKind : isAdmin(caller) ? 'admin' : caller.kind,
  name:
    caller.kind === 'agent' || caller.kind === 'attempt' || isPerson(caller)
      ? nameOf(caller)
      : (tokenOf(caller) ?? null),
  peer: ('peer' in caller ? caller.peer : undefined) ?? null,
})

const isPerson = (caller: Caller | SystemCaller) => 'user' in caller && caller.user !== undefined
const isAdmin = (caller: Caller | SystemCaller) => caller.kind === 'operator' && isPerson(caller)
const tokenOf = (caller: Caller | SystemCaller) => ('tokenId' in caller ? caller.tokenId : undefined)

/** Both databases keep such a text as it is, so that its hash holds. */
const fitting = (text: string, most: number = AUDIT_LIMITS.word): string =>
  text.slice(0, most).toWellFormed().replaceAll('\0', '�')
