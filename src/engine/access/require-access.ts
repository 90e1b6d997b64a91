import type { Access } from '../../domain/access/access'
import { callerName, kindOf } from '../../domain/access/caller-kind'
import { SUBJECTS, type Subject } from '../../domain/access/subjects'
import { AppError } from '../../domain/errors'
import { LEAD_TASK_TYPE } from '../../domain/task/task'
import type { Asking, Related, RunCaller } from './asking'
import { type Check, RELATIONS } from './relations'

/** The one place that decides whether a caller may do what a row of the table is about. Handlers and use cases ask here. */

/**
 * @param id  of the object: an id, a folder's path, a machine's name; `null` = there is none yet
 * @throws `forbidden`
 */
export async function requireAccess(asking: Asking, access: Access, id: string | null): Promise<void> {
  if (await hasAccess(asking, access, id)) return
  const { caller } = asking
  if (caller.kind === 'system') return
  const kind = kindOf(caller)
  const who = callerName(caller)
  const words = access.of === undefined ? [] : wordsOf(access.of, [access[kind], leadGrant(asking, access)])
  const message =
    words.length === 0
      ? `${who} may not do this.`
      : `${who} may do this only to ${words.join(' or ')}, not to ${(id ?? '').slice(0, 200)}.`
  const hint = access.hint ?? (caller.kind === 'attempt' ? `The task of this run is ${caller.taskId}.` : undefined)
  throw new AppError('forbidden', message, hint === undefined ? {} : { hint })
}

const leadGrant = ({ caller }: Asking, access: Access) => (caller.kind === 'attempt' ? access.leadRun : undefined)

/** Whether a caller may do what the row is about to this object. */
export async function hasAccess(asking: Asking, access: Access, id: string | null): Promise<boolean> {
  const { caller } = asking
  if (caller.kind === 'system') return true
  if (caller.kind === 'operator' || caller.kind === 'approver' || caller.kind === 'viewer')
    return access[caller.kind] === 'any'
  if (await fits(asking, caller, access.of, access[kindOf(caller)], id)) return true
  if (caller.kind !== 'attempt' || access.leadRun === undefined || access.leadRun === access.attempt) return false
  return (await isLeadRun(asking, caller)) && (await fits(asking, caller, access.of, access.leadRun, id))
}

async function fits(
  asking: Asking,
  caller: Related,
  of: Subject | undefined,
  grant: string | undefined,
  id: string | null,
) {
  if (grant === undefined || of === undefined || grant === 'any') return grant === 'any'
  const checks: Readonly<Record<string, Check>> = RELATIONS[of]
  const check = checks[grant]
  return id !== null && check !== undefined && (await check(asking, caller, id))
}

/** Whether a run's task was made by an operator to lead. */
export const isLeadRun = async ({ tasks }: Asking, caller: RunCaller): Promise<boolean> =>
  (await tasks.kinOf(caller.taskId))?.taskType === LEAD_TASK_TYPE

function wordsOf(of: Subject, grants: readonly (string | undefined)[]): string[] {
  const words: Readonly<Record<string, string>> = SUBJECTS[of]
  return [...new Set(grants)].flatMap((grant) => (grant === undefined ? [] : (words[grant] ?? [])))
}
