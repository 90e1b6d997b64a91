import { AppError } from '../../../../domain/errors'
import { defineCommand } from '../../../kit/command'
import { EXIT } from '../../../kit/exit-codes'
import { plural } from '../../../print/measures'
import { oneLine } from '../../../print/text'
import { INTO_OPTION, openTaskBranch, standOf } from '../../../tasks/task-branch'
import { TASK_ARG } from '../../../tasks/task-move'

export const command = defineCommand({
  summary: "Remove a task's worktree and its branch",
  details:
    'Asks first where work would be lost: files in no commit, or commits that were not merged. The task and its record stay.',
  args: [TASK_ARG],
  options: { ...INTO_OPTION, yes: { kind: 'flag', short: 'y', help: "don't ask, even if work is lost" } },
  examples: [
    { line: 'lode task drop t-7f3k9q2m', does: 'remove what was merged, else ask' },
    { line: 'lode task drop t-7f3k9q2m --yes', does: 'remove it with all that is in it' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { task, found, work } = await openTaskBranch(context, id, options.into)
    const lost = [
      ...(found.uncommitted.length > 0 ? [`${work.filesText(found.uncommitted)} in no commit`] : []),
      ...(found.ahead > 0 ? [`${plural(found.ahead, 'commit')} that ${found.into} does not have`] : []),
    ]
    if (lost.length > 0 && !options.yes) {
      const what = oneLine(lost.join(' and '))
      if (!context.io.canAsk)
        throw new AppError('conflict', `The worktree of task ${task.id} has ${what}.`, {
          hint: `Merge it with 'lode task merge ${task.id}', or lose it with 'lode task drop ${task.id} --yes'.`,
        })
      if (!/^y(es)?$/i.test(context.io.ask(`Lose ${what}? [y/N] `))) {
        context.note('nothing was changed.')
        return EXIT.declined
      }
    }
    await work.dropTaskBranch(found)
    context.answer(standOf(found), () =>
      oneLine(`removed ${[found.path, `the branch ${found.branch}`].filter(Boolean).join(' and ')}`).concat('\n'),
    )
    return undefined
  },
})
