import type { Caller } from '../task/worker-protocol'
import { type CallerKind, kindOf } from './caller-kind'
import type { RelationTo, Subject } from './subjects'

/** Callers with a column in the table: the kinds of caller, and runs of tasks that an operator made to lead. */
export type Column = CallerKind | 'leadRun'
export const COLUMNS = [
  'operator',
  'approver',
  'viewer',
  'lead',
  'worker',
  'attempt',
  'leadRun',
] as const satisfies readonly Column[]

interface Refusal {
  /** What a refused caller may do instead. */
  hint?: string
}

/** A row without a subject: the named callers may do it to every object. */
interface Unbound extends Refusal {
  of?: undefined
  operator: 'any'
  approver?: 'any'
  viewer?: 'any'
  lead?: 'any'
  worker?: 'any'
  attempt?: 'any'
  /** Beside what every run may. */
  leadRun?: 'any'
}

/** A row about a subject: the named callers may do it to objects to which they stand in this relation. */
interface Bound<Of extends Subject> extends Refusal {
  of: Of
  operator: 'any'
  approver?: 'any'
  viewer?: 'any'
  lead?: Grant<Of>
  worker?: Grant<Of>
  attempt?: Grant<Of>
  leadRun?: Grant<Of>
}

export type Grant<Of extends Subject> = 'any' | RelationTo<Of>

/** Which callers may do what, and to what: a row of the table. A caller that is not named may not. */
export type Access = Unbound | { [Of in Subject]: Bound<Of> }[Subject]

/** A row for agents alone: what a run may not do, though the engine would know when. */
export const withoutRuns = <Row extends Access>(row: Row): Row => ({ ...row, attempt: undefined, leadRun: undefined })

/** Whether any object is open to this kind of caller; a run that does not lead has no part in `leadRun`. */
export const isNamed = (access: Access, kind: CallerKind): boolean =>
  access[kind] !== undefined || (kind === 'attempt' && access.leadRun !== undefined)

/** Whether a row of no subject is open to the caller; what only runs that lead may, is not looked at. */
export const isOpenTo = (access: Access & { of?: undefined }, caller: AnyCaller): boolean =>
  caller.kind === 'system' || access[kindOf(caller)] === 'any'

/** A caller, or what happens because time passed. */
export type AnyCaller = Caller | { kind: 'system' }
