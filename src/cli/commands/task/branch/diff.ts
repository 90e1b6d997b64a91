import { defineCommand } from '../../../kit/command'
import { block } from '../../../print/text'
import { INTO_OPTION, openTaskBranch, standOf, standText } from '../../../tasks/task-branch'
import { TASK_ARG } from '../../../tasks/task-move'

export const command = defineCommand({
  summary: 'Show what a task changed in its worktree',
  details: [
    'Compares the worktree, uncommitted files included, with the commit that it began at. Also shows how many commits its branch is',
    'ahead of the branch that it would be merged into. Changes nothing.',
  ].join('\n'),
  args: [TASK_ARG],
  options: { ...INTO_OPTION, stat: { kind: 'flag', help: 'list the changed files instead' } },
  examples: [
    { line: 'lode task diff t-7f3k9q2m', does: 'the changes as a patch' },
    { line: 'lode task diff t-7f3k9q2m --stat', does: 'the changed files with counts of lines' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { found, work } = await openTaskBranch(context, id, options.into, true)
    const patch = await work.patchOf(found, options.stat)
    context.answer({ ...standOf(found), patch }, () => (patch === '' ? '' : `${block(patch)}\n`), { isExact: true })
    if (!context.globals.isJson) context.note(`${standText(found)}${patch === '' ? '; it changed nothing' : ''}`)
  },
})
