import type { CallerKind } from '../../src/domain/access/caller-kind'
import type { RelationTo, Subject } from '../../src/domain/access/subjects'
import type { Side } from './world'

type Own = (of: Side, kind: CallerKind) => string | null

/** To what a caller of a side stands in each relation; `null` = it has no such thing. A new relation does not compile without it. */
const OWN: { readonly [Of in Subject]: Readonly<Record<RelationTo<Of>, Own>> } = {
  task: {
    own: (of, kind) => (kind === 'lead' ? null : of.task),
    made: (of, kind) => (kind === 'attempt' ? of.byRun : kind === 'worker' ? of.byWorker : of.byLead),
    below: (of, kind) => (kind === 'attempt' ? of.byRun : of.task),
    ownOrMade: (of) => of.task,
    ownOrBelow: (of) => of.task,
    family: (of) => of.byRun,
    tree: (of) => of.byRun,
  },
  attempt: { own: (of) => of.attempt },
  session: { own: (of) => of.session },
  agent: { self: (of, kind) => agentOf(of, kind) },
  address: { own: (of, kind) => (kind === 'attempt' ? of.task : agentOf(of, kind)) },
  message: {
    party: (of, kind) => sentBy(of, kind),
    sender: (of, kind) => sentBy(of, kind),
  },
  receiver: { known: (of) => of.byRun },
  folder: { own: (of) => of.dir },
  host: { own: (of) => of.hostName },
}

const sentBy = (of: Side, kind: CallerKind): string | null =>
  kind === 'lead' || kind === 'worker' || kind === 'attempt' ? of.sent[kind] : null

const agentOf = (of: Side, kind: CallerKind): string => (kind === 'lead' ? of.lead : of.worker)

/** The caller's own object of a relation; `undefined` = the grant is for any. */
export function ownObject(of: Subject, grant: string, side: Side, kind: CallerKind): string | null | undefined {
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
