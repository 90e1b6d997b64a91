import type { Answers } from '../../../api/contract/operations'
import { ISSUE_ARG, openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { AGENT_OPTION, clisOf } from '../../tasks/task-options'

export const command = defineCommand({
  summary: 'Create a task for a worker from an issue',
  details: [
    "The task's text is the issue's text plus instructions to claim and close it. --with-dependents also creates tasks for the issues",
    'that wait for it; each task waits for the tasks of its blockers. An issue with an unfinished task is not dispatched again.',
  ].join('\n'),
  args: [ISSUE_ARG],
  options: {
    'with-dependents': { kind: 'flag', help: 'also dispatch the issues that wait for it, recursively' },
    assign: {
      kind: 'text',
      short: 'a',
      value: 'AGENT',
      help: 'assign the tasks to this worker or specialist (default: any worker)',
    },
    agent: AGENT_OPTION,
    priority: {
      kind: 'number',
      value: 'N',
      min: 0,
      max: 100,
      help: "the tasks' priority, 0 to 100 (default: 90, 70, 50, 30 or 10 for P0 to P4)",
    },
    'dry-run': { kind: 'flag', help: 'list the tasks without creating them' },
    again: { kind: 'flag', help: 'create a new task even if one is unfinished' },
    force: { kind: 'flag', short: 'f', help: 'dispatch even if it is closed, blocked, deferred or claimed by another' },
    key: {
      kind: 'text',
      value: 'TEXT',
      help: 'idempotency key: the same key dispatches only once',
    },
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue dispatch ld-3k9q', does: 'create a task for any worker' },
    { line: 'lode issue dispatch ld-3k9q --with-dependents --dry-run', does: 'preview the tasks and their order' },
    {
      line: 'lode issue dispatch ld-3k9q -a w1 --json',
      does: 'assign it to w1; print JSON: {tasks, isDryRun, notices}',
    },
  ],
  keepsTodosInFile: true,
  async run(context, { args: [id], options }) {
    if (id === undefined) throw usageError(context.path)('Missing ID: name the issue to dispatch.')
    const { issues, scope } = await openTracker(context, options)
    const input = {
      ...scope,
      ...(options['with-dependents'] && { withDependents: true }),
      ...(options.assign !== undefined && { agentId: options.assign }),
      ...(options.agent !== undefined && { agentClis: clisOf(options.agent) }),
      ...(options.priority !== undefined && { priority: options.priority }),
      ...(options['dry-run'] && { dryRun: true }),
      ...(options.again && { again: true }),
      ...(options.force && { force: true }),
    }
    const done = await issues.dispatch(id, input, {
      signal: context.signal,
      ...(options.key === undefined ? {} : { idempotencyKey: options.key }),
    })
    context.answer(done, () => done.tasks.map((task) => `${taskLine(task, done.isDryRun)}\n`).join(''))
    printNotices(context, done.notices)
  },
})

type DispatchedTask = Answers['issues']['dispatch']['tasks'][number]

function taskLine({ issueId, title, taskId, dependsOn, waitsFor, isNew }: DispatchedTask, isDryRun: boolean): string {
  const what = isNew ? (isDryRun ? 'would create a task' : `task ${taskId}`) : `task ${taskId} already exists`
  const after = isDryRun ? waitsFor : dependsOn
  const waits = after.length === 0 ? '' : `, after ${after.map((id) => oneLine(id)).join(', ')}`
  return `${oneLine(issueId)} ${oneLine(title)}: ${what}${waits}`
}
