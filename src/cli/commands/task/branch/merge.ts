import { defineCommand } from '../../../kit/command'
import { oneLine } from '../../../print/text'
import { INTO_OPTION, openTaskBranch, standOf } from '../../../tasks/task-branch'
import { TASK_ARG } from '../../../tasks/task-move'

export const command = defineCommand({
  summary: "Merge a task's branch",
  details: [
    'Merges all or nothing. If both sides changed the same lines, or either side has uncommitted files, it says so and changes nothing.',
    "Hooks of the repository do not run. The worktree and its branch stay; 'lode task drop' removes them.",
  ].join('\n'),
  args: [TASK_ARG],
  options: {
    ...INTO_OPTION,
    commit: {
      kind: 'flag',
      help: "first commit what is in no commit in the worktree, with the task's title as message",
    },
    message: { kind: 'text', short: 'm', value: 'TEXT', help: 'with --commit: another message' },
  },
  examples: [
    { line: 'lode task merge t-7f3k9q2m', does: 'merge its commits' },
    { line: "lode task merge t-7f3k9q2m --commit -m 'Add a parser'", does: 'commit what it left, and merge' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { task, found, work } = await openTaskBranch(context, id, options.into)
    const isCommitted = options.commit && found.uncommitted.length > 0
    if (isCommitted) await work.commitRest(found, options.message ?? oneLine(task.title))
    const now = isCommitted ? { ...found, uncommitted: [], ahead: found.ahead + 1 } : found
    const commit = await work.mergeTaskBranch(now)
    context.answer({ ...standOf(now), commit }, () =>
      oneLine(
        now.ahead === 0
          ? `${now.into} has all of ${now.branch} already`
          : `merged ${now.branch} into ${now.into}, which is at ${commit.slice(0, 12)}`,
      ).concat('\n'),
    )
    if (!context.globals.isJson) context.note(`'lode task drop ${task.id}' removes the worktree and its branch.`)
  },
})
