/** What `lode task diff`, `merge` and `drop` share: the task's branch on this machine, and its words. */
import { tmpdir } from 'node:os'
import { AppError } from '../../domain/errors'
import type { OptionSpecs } from '../kit/arguments/specs'
import type { Context } from '../kit/context'
import { plural } from '../print/measures'
import { oneLine } from '../print/text'

export const INTO_OPTION = {
  into: {
    kind: 'text',
    value: 'BRANCH',
    help: 'the other branch (default: the one that the worktree was made from, else the one that is checked out)',
  },
} as const satisfies OptionSpecs

/** @throws `not_found` `invalid` `conflict` the task still runs */
export async function openTaskBranch(context: Context, id: string, into: string | undefined, isRead = false) {
  const { task, attempts } = await (await context.client()).tasks.get(id)
  if (!isRead && attempts.some(({ isLive }) => isLive))
    throw new AppError('conflict', `Task ${task.id} is running.`, {
      hint: `Wait for its end, or run 'lode task pause ${task.id}' first.`,
    })
  const [{ hostIdentity }, work, { fetchBundle }] = await Promise.all([
    import('../../app/files/home'),
    import('../../worker/workplace/task-branch'),
    import('../../worker/workplace/work-copies'),
  ])
  const client = await context.client()
  const found = await work.findTaskBranch(task, attempts, hostIdentity(context.config().home).name, into, {
    repository: context.io.cwd,
    copy: async () => (await client.tasks.workCopy(task.id)).workCopy,
    bundleOf: (copy) => fetchBundle(client, task.id, copy, tmpdir()),
  })
  return { task, found, work }
}

type Found = Awaited<ReturnType<typeof openTaskBranch>>['found']

/** `lode/t-1 is 2 commits ahead of main and 1 behind, with 1 file in no commit`. */
export function standText({ branch, into, ahead, behind, uncommitted }: Found): string {
  const rest = uncommitted.length > 0 ? `, with ${plural(uncommitted.length, 'file')} in no commit` : ''
  return oneLine(`${branch} is ${plural(ahead, 'commit')} ahead of ${into} and ${behind} behind${rest}`)
}

/** What JSON says of it. */
export const standOf = ({ taskId, branch, base, into, ahead, behind, path, uncommitted }: Found) => ({
  ...{ taskId, branch, base, into, ahead, behind, path, uncommitted },
})
