import { readinessOf } from '../../domain/issue/issue-ready'
import { command as own } from '../commands/issue/list'
import { openTracker, SCOPE } from '../issues/issue-call'
import { LIST_FILTER, listFilter } from '../issues/issue-filter'
import { listOf } from '../issues/issue-options'
import { answerPage, LIST_PAGING, listIssues, MAX_ISSUES_PER_REQUEST } from '../issues/issue-page'
import { defineCommand } from '../kit/command'
import { listed } from './answers'
import { LIST_SPELLING } from './spelling'
import { asBd } from './verb'

/** `bd list`, with the filters that only bd has. Those look through all issues that the others leave, here. */
export const command = asBd(
  'lode bd list',
  defineCommand({
    ...own,
    options: {
      ...LIST_FILTER,
      id: { kind: 'text', value: 'IDS', isRepeated: true, help: 'only issues with these IDs: ID or ID,ID' },
      'title-contains': { kind: 'text', value: 'TEXT', help: 'only issues whose title contains TEXT' },
      overdue: { kind: 'flag', help: 'only issues that are past their due date' },
      ready: { kind: 'flag', help: "only issues that are ready by bd's rule" },
      ...LIST_PAGING,
      ...SCOPE,
    },
    keepsTodosInFile: true,
    async run(context, { options }) {
      const { id, 'title-contains': words, overdue, ready, limit } = options
      const { issues, scope } = await openTracker(context, options)
      const filter = { ...scope, ...listFilter(context, options) }
      if (overdue) filter.dueBefore = new Date(context.io.now()).toISOString()
      const ids = listOf(id)
      const none = 'no issues.'
      if (ids === undefined && words === undefined && !ready) {
        answerPage(context, await listIssues(issues, filter, options), none)
        return undefined
      }
      const page = await listIssues(issues, filter, { ...options, limit: 0 })
      const free = ready ? await readyIds() : undefined
      const text = words?.toLowerCase()
      const found = page.issues.filter(
        (issue) =>
          ids?.includes(issue.id) !== false &&
          (text === undefined || issue.title.toLowerCase().includes(text)) &&
          free?.has(issue.id) !== false,
      )
      const shown = limit === 0 ? found : found.slice(0, limit)
      const isTruncated = shown.length < found.length
      answerPage(context, { ...page, issues: shown, total: found.length, isTruncated, nextCursor: null }, none)
      return undefined

      async function readyIds(): Promise<Set<string>> {
        const all = await issues.list({ ...scope, all: true, limit: MAX_ISSUES_PER_REQUEST })
        const readiness = readinessOf(all.issues, { nowMs: context.io.now(), rule: 'bd' })
        return new Set(readiness.ready().map((issue) => issue.id))
      }
    },
  }),
  listed,
  LIST_SPELLING,
)
