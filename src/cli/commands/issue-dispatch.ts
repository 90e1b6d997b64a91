import type { ResponseOf } from '../../api/contract/responses'
import { defineCommand } from '../command'
import { ISSUE_ARG, openTracker, SCOPE, sayNotices } from '../issue-call'
import { usageError } from '../parse-args'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Make a task of an issue, for a worker to take',
  details: [
    "The task's text is the issue's, with how to claim and close it. With --with-dependents what waits for the issue becomes tasks as",
    'well, and each waits for the tasks of what its issue is blocked by. An issue whose task is not over is not dispatched again.',
  ].join('\n'),
  args: [ISSUE_ARG],
  options: {
    'with-dependents': { kind: 'flag', help: 'also what waits for it, and what waits for that' },
    agent: { kind: 'text', short: 'a', value: 'AGENT', help: 'for this agent (default: the pool)' },
    priority: {
      kind: 'number',
      value: 'N',
      min: 0,
      max: 100,
      help: "of the tasks, 0 to 100 (default: by the issue's: 90, 70, 50, 30, 10)",
    },
    'dry-run': { kind: 'flag', help: 'only say what would be made' },
    again: { kind: 'flag', help: 'a new task though one is not over' },
    force: { kind: 'flag', short: 'f', help: 'though it is closed, blocked, put off or held by another' },
    key: {
      kind: 'text',
      value: 'TEXT',
      help: 'the same key dispatches only once: for scripts that may run twice',
    },
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue dispatch ld-3k9q', does: 'a task in the pool' },
    { line: 'lode issue dispatch ld-3k9q --with-dependents --dry-run', does: 'what would be made, and in which order' },
    { line: 'lode issue dispatch ld-3k9q -a w1 --json', does: 'for w1, as {tasks, isDryRun, notices}' },
  ],
  async run(context, { args: [id], options }) {
    if (id === undefined) throw usageError(context.path)('ID is missing: which issue.')
    const { issues, scope } = await openTracker(context, options)
    const input = {
      ...scope,
      ...(options['with-dependents'] && { withDependents: true }),
      ...(options.agent !== undefined && { agentId: options.agent }),
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
    sayNotices(context, done.notices)
  },
})

type DispatchedTask = ResponseOf<'issues.dispatch'>['tasks'][number]

function taskLine({ issueId, title, taskId, dependsOn, waitsFor, isNew }: DispatchedTask, isDryRun: boolean): string {
  const what = isNew ? (isDryRun ? 'would be a task' : `task ${taskId}`) : `task ${taskId} is there already`
  const after = isDryRun ? waitsFor : dependsOn
  const waits = after.length === 0 ? '' : `, after ${after.map((id) => oneLine(id)).join(', ')}`
  return `${oneLine(issueId)} ${oneLine(title)}: ${what}${waits}`
}
