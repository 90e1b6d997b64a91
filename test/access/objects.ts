import type { Column } from '../../src/domain/access/access'
import type { RelationTo, Subject } from '../../src/domain/access/subjects'
import type { Side } from './world'

type Own = (of: Side, kind: Column) => string | null

/** To what a caller of a side stands in each relation; `null` = it has no such thing. A new relation does not compile without it. */
const OWN: { readonly [Of in Subject]: Readonly<Record<RelationTo<Of>, Own>> } = {
  task: {
    own: (of, kind) => (kind === 'lead' ? null : runOf(of, kind).task),
    made: (of, kind) => madeBy(of, kind),
    below: (of, kind) => (kind === 'lead' || kind === 'leadRun' ? of.task : madeBy(of, kind)),
    ownOrMade: (of, kind) => runOf(of, kind).task,
    ownOrBelow: (of, kind) => runOf(of, kind).task,
    family: (of, kind) => (kind === 'leadRun' ? of.leading.made : of.byRun),
    tree: (of, kind) => (kind === 'leadRun' ? of.leading.made : of.byRun),
  },
  attempt: { own: (of, kind) => runOf(of, kind).attempt },
  session: { own: (of, kind) => runOf(of, kind).session },
  agent: { self: (of, kind) => agentOf(of, kind) },
  address: { own: (of, kind) => (isRun(kind) ? runOf(of, kind).task : agentOf(of, kind)) },
  message: {
    party: (of, kind) => sentBy(of, kind),
    sender: (of, kind) => sentBy(of, kind),
  },
  receiver: { known: (of, kind) => (kind === 'leadRun' ? of.leading.made : of.byRun) },
  folder: { own: (of) => of.dir },
  host: { own: (of) => of.hostName },
}

const sentBy = (of: Side, kind: Column): string | null =>
  kind === 'operator' || kind === 'approver' || kind === 'viewer' ? null : of.sent[kind]

const isRun = (kind: Column): boolean => kind === 'attempt' || kind === 'leadRun'
/** What a run has; of other callers what is on their side. */
const runOf = (of: Side, kind: Column): Pick<Side, 'task' | 'attempt' | 'session'> =>
  kind === 'leadRun' ? of.leading : of

function madeBy(of: Side, kind: Column): string {
  if (kind === 'leadRun') return of.leading.made
  return kind === 'attempt' ? of.byRun : kind === 'worker' ? of.byWorker : of.byLead
}

const agentOf = (of: Side, kind: Column): string => (kind === 'lead' ? of.lead : of.worker)

/** The caller's own object of a relation; `undefined` = the grant is for any. */
export function ownObject(of: Subject, grant: string, side: Side, kind: Column): string | null | undefined {
  const relations: Readonly<Record<string, Own>> = OWN[of]
  return relations[grant]?.(side, kind)
}

/** An object of that kind, whoever's it is. */
export function someObject(of: Subject | undefined, side: Side): string {
  const objects: Readonly<Record<Subject, string>> = {
    task: side.task,
    attempt: side.attempt,
    session: side.session,
    agent: side.worker,
    address: side.task,
    message: side.message,
    receiver: side.session,
    folder: side.dir,
    host: side.hostName,
  }
  return of === undefined ? '' : objects[of]
}
