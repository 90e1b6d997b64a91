import { defineCommand } from '../command'
import { openTracker, SCOPE, sayNotices } from '../issue-call'
import { READY_FILTER, readyFilter } from '../issue-filter'
import { EVERY } from '../issue-page'
import { block, oneLine } from '../text'
import { issueTable } from '../views/issue-views'

export const command = defineCommand({
  summary: 'List issues that can be worked on now, best first',
  details: [
    'Ready is what is open, claimed by nobody, not put off, and held up by nothing: no open blocker of its own or of its parents.',
    'An open parent alone holds nothing up.',
  ].join('\n'),
  options: {
    explain: { kind: 'text', value: 'ID', help: 'instead: why this issue is ready or not' },
    claim: { kind: 'flag', help: 'claim the first of them' },
    ...READY_FILTER,
    limit: { kind: 'number', short: 'n', value: 'N', min: 0, max: EVERY, fallback: 100, help: 'at most N; 0 = all' },
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue ready', does: 'the first 100' },
    {
      line: 'lode issue ready -t bug -n 1 --json',
      does: 'the best bug, as {issues, total, isTruncated, nextCursor, notices}',
    },
    { line: 'lode issue ready --explain ld-3k9q', does: 'what holds it up' },
  ],
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const { io, globals } = context
    if (options.explain !== undefined) {
      const explained = await issues.explain(options.explain, scope)
      context.answer(explained, () => {
        const why = explained.reasons.map(({ text }) => `  ${block(text)}\n`).join('')
        return `${oneLine(explained.id)} is ${explained.isReady ? 'ready' : 'not ready:'}\n${why}`
      })
      sayNotices(context, explained.notices)
      return
    }
    const filter = { ...scope, ...readyFilter(context, options) }
    if (options.claim) {
      const { issue, notices } = await issues.claimNext(filter)
      const claimed = issue === null ? [] : [issue]
      const page = { issues: claimed, total: claimed.length, isTruncated: false, nextCursor: null, notices }
      context.answer(page, () => issueTable(claimed, { now: io.now(), columns: io.columns }))
      if (issue === null) context.note('nothing is ready.')
      return
    }
    const limit = options.limit === 0 ? EVERY : options.limit
    const page = { ...(await issues.ready({ ...filter, limit })), nextCursor: null }
    context.answer(page, () => issueTable(page.issues, { now: io.now(), columns: io.columns }))
    if (globals.isJson) return
    sayNotices(context, page.notices)
    if (page.issues.length === 0) context.note("nothing is ready. 'lode issue blocked' says what holds the others up.")
    if (page.isTruncated) context.note(`${page.issues.length} of ${page.total}: -n 0 shows all.`)
  },
})
