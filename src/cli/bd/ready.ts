import type { Client } from '../../api/client'
import type { Answers, Inputs } from '../../api/contract/operations'
import { readinessOf } from '../../domain/issue/issue-ready'
import { command as own } from '../commands/issue/ready'
import { openTracker, printNotices, SCOPE, type Scope } from '../issues/issue-call'
import { READY_FILTER, readyFilter } from '../issues/issue-filter'
import { LIST_LIMIT, MAX_ISSUES_PER_REQUEST } from '../issues/issue-page'
import { quote, usageError } from '../kit/arguments/parse-args'
import { defineCommand } from '../kit/command'
import type { Context } from '../kit/context'
import { blockedTable, issueTable } from '../views/issue-views'
import { type Explained, ready } from './answers'
import { asBd } from './verb'

type Issue = Answers['issues']['list']['issues'][number]

/** `bd ready` by bd's own rule, which differs from ours: see `ReadinessOptions.rule`. What it explains and claims is by ours. */
export const command = asBd(
  'lode bd ready',
  defineCommand({
    ...own,
    args: [{ name: 'ID', help: 'with --explain: the issue to explain', isOptional: true }],
    options: {
      explain: { kind: 'flag', help: 'explain why issues are ready or blocked; with ID, only that issue' },
      claim: { kind: 'flag', help: 'claim the first ready issue' },
      ...READY_FILTER,
      ...LIST_LIMIT,
      ...SCOPE,
    },
    keepsTodosInFile: true,
    async run(context, input) {
      const { options, args } = input
      const [id] = args
      if (id !== undefined && !options.explain) throw usageError(context.path)(`Unexpected argument ${quote(id)}.`)
      if (id !== undefined || options.claim)
        return own.run(context, { args: [], options: { ...options, explain: id } } as never)
      const { issues, scope } = await openTracker(context, options)
      if (options.explain) return explainAll(context, issues, scope)
      const filter = readyFilter(context, options)
      const all = await issues.list({ ...scope, all: true, limit: MAX_ISSUES_PER_REQUEST })
      const parentId = filter.parentId === undefined ? undefined : (await issues.get(filter.parentId, scope)).issue.id
      const { io } = context
      const found = readinessOf(all.issues, { nowMs: io.now(), rule: 'bd' })
        .ready()
        .filter((issue) => isWanted(issue, { ...filter, ...(parentId !== undefined && { parentId }) }))
      const shown = options.limit === 0 ? found : found.slice(0, options.limit)
      const isTruncated = shown.length < found.length
      const page = { issues: shown, total: found.length, isTruncated, nextCursor: null, notices: all.notices }
      context.answer(page, () => issueTable(shown, { now: io.now(), columns: io.columns }))
      if (context.globals.isJson) return undefined
      printNotices(context, page.notices)
      if (isTruncated) context.note(`showing ${shown.length} of ${found.length}; use -n 0 to show all.`)
      return undefined
    },
  }),
  ready,
)

/** What is ready, what is blocked by what, and circles, as bd explains them. */
async function explainAll(context: Context, issues: Client['issues'], scope: Scope): Promise<undefined> {
  const [all, stuck, circles] = await Promise.all([
    issues.list({ ...scope, all: true, limit: MAX_ISSUES_PER_REQUEST }),
    issues.blocked({ ...scope, limit: MAX_ISSUES_PER_REQUEST }),
    issues.cycles(scope),
  ])
  const free = readinessOf(all.issues, { nowMs: context.io.now(), rule: 'bd' }).ready()
  const explained: Explained = { free, stuck: stuck.issues, cycles: circles.cycles }
  const { now, columns } = context.io
  const view = { now: now(), columns }
  context.answer(explained, () =>
    [`Ready:\n${issueTable(free, view)}`, `Blocked:\n${blockedTable(stuck.issues, view)}`].join('\n'),
  )
  return undefined
}

function isWanted(issue: Issue, filter: Inputs['issues']['ready']): boolean {
  const { types, priorities, assignee, noAssignee, labels, anyLabels, parentId } = filter
  return (
    types?.includes(issue.issueType) !== false &&
    priorities?.includes(issue.priority) !== false &&
    (assignee === undefined || issue.assignee === assignee) &&
    (noAssignee !== true || issue.assignee === null) &&
    labels?.every((label) => issue.labels.includes(label)) !== false &&
    anyLabels?.some((label) => issue.labels.includes(label)) !== false &&
    (parentId === undefined || issue.parentId === parentId)
  )
}
