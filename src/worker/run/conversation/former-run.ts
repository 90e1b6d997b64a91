import type { Attempt } from '../../../domain/task/task'
import type { Assignment } from '../../../domain/task/worker-protocol'
import { proveGone } from '../../../util/process/process-tree'
import type { WorkerOptions } from '../../options'

/**
 * Makes sure that nothing of the task's earlier attempt is at work on this machine before its conversation goes on: ends what is
 * left of it.
 *
 * @param look  the task's attempts, as the server knows them
 * @returns what would not end: then it still holds the conversation; `null` = nothing is left
 */
export async function endFormer(
  { task, generation }: Assignment,
  { hostName }: Pick<WorkerOptions, 'hostName'>,
  look: () => Promise<{ attempts: Attempt[] }>,
): Promise<{ pid: number; kind: string } | null> {
  if (generation <= 1) return null
  const { attempts } = await look()
  const former = attempts.find((attempt) => attempt.number === generation - 1)
  if (former === undefined) return null
  const known = former.hostName === hostName ? former.process : null
  // The mark finds what lost its parents, and a process whose report never came.
  const isGone = await proveGone(known, { mark: `LODELINE_ATTEMPT_ID=${task.id}.${generation - 1}` })
  return isGone ? null : { pid: known?.pid ?? 0, kind: 'an earlier run that does not end' }
}
