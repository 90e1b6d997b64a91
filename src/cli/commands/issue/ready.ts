import { openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { READY_FILTER, readyFilter } from '../../issues/issue-filter'
import { LIST_LIMIT, requestLimit } from '../../issues/issue-page'
import { defineCommand } from '../../kit/command'
import { block, oneLine } from '../../print/text'
import { issueTable } from '../../views/issue-views'

export const command = defineCommand({
  summary: 'List issues that are ready to work on, best first',
  details: [
    'An issue is ready if it is open, unclaimed and not deferred, and neither it nor any of its parents has an open blocker.',
    'An open parent alone does not block its children.',
  ].join('\n'),
  options: {
    explain: {
      kind: 'text',
      value: 'ID',
      complete: 'issue',
      help: 'explain why this issue is ready or not, instead of listing',
    },
    claim: { kind: 'flag', help: 'claim the first ready issue' },
    ...READY_FILTER,
    ...LIST_LIMIT,
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue ready', does: 'the first 100 ready issues' },
    {
      line: 'lode issue ready -t bug -n 1 --json',
      does: 'the best bug as JSON: {issues, total, isTruncated, nextCursor, notices}',
    },
    { line: 'lode issue ready --explain ld-3k9q', does: 'explain what blocks the issue' },
  ],
  keepsTodosInFile: true,
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const { io, globals } = context
    if (options.explain !== undefined) {
      const explained = await issues.explain(options.explain, scope)
      context.answer(explained, () => {
        const why = explained.reasons.map(({ text }) => `  ${block(text)}\n`).join('')
        return `${oneLine(explained.id)} is ${explained.isReady ? 'ready' : 'not ready:'}\n${why}`
      })
      printNotices(context, explained.notices)
      return
    }
    const filter = { ...scope, ...readyFilter(context, options) }
    if (options.claim) {
      const { issue, notices } = await issues.claimNext(filter)
      const claimed = issue === null ? [] : [issue]
      const page = { issues: claimed, total: claimed.length, isTruncated: false, nextCursor: null, notices }
      context.answer(page, () => issueTable(claimed, { now: io.now(), columns: io.columns }))
      if (issue === null) context.note('no ready issues.')
      return
    }
    const page = { ...(await issues.ready({ ...filter, limit: requestLimit(options.limit) })), nextCursor: null }
    context.answer(page, () => issueTable(page.issues, { now: io.now(), columns: io.columns }))
    if (globals.isJson) return
    printNotices(context, page.notices)
    if (page.issues.length === 0) context.note("no ready issues. 'lode issue blocked' lists the blockers.")
    if (page.isTruncated) context.note(`showing ${page.issues.length} of ${page.total}; use -n 0 to show all.`)
  },
})
