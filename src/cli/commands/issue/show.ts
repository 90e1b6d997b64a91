import { eachOf, ISSUE_ARG, openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { noteSeen, workOn } from '../../issues/issue-work'
import { defineCommand } from '../../kit/command'
import { issueView, workView } from '../../views/issue-views'

export const command = defineCommand({
  summary: 'Show issues with texts, dependencies, children, comments and active work',
  args: [{ ...ISSUE_ARG, isRepeated: true }],
  options: SCOPE,
  examples: [
    { line: 'lode issue show ld-3k9q', does: 'all details of the issue' },
    { line: 'lode issue show 3k9q 7f2a --json', does: 'print JSON: {issues, failures, notices}' },
  ],
  keepsTodosInFile: true,
  async run(context, { args, options }) {
    const { issues, scope } = await openTracker(context, options)
    const client = await context.client()
    const { done, failures, code } = await eachOf(context, args, async (id) => {
      const detail = await issues.get(id, scope)
      const sessions = await workOn(client, detail.issue.id, scope)
      await noteSeen(context, client, detail.issue.id, scope)
      return { ...detail, sessions }
    })
    const notices = [...new Set(done.flatMap((detail) => detail.notices))]
    const shown = done.map(({ issue, children, dependencies, dependents, isInFile, path, tasks, sessions }) => {
      return {
        ...issue,
        children,
        needs: dependencies,
        dependents,
        isInFile,
        path,
        tasks,
        work: sessions[0] ?? null,
        sessions,
      }
    })
    context.answer({ issues: shown, failures, notices }, () => {
      const view = { now: context.io.now(), columns: context.io.columns }
      return done.map((detail) => issueView(detail, view) + workView(detail.sessions, view)).join('\n')
    })
    printNotices(context, notices)
    return code
  },
})
