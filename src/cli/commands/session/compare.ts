import { compareFiles } from '../../../domain/session/compare'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { exportDocument } from '../../sessions/export-document'
import { compareView } from '../../views/session/compare-view'

export const command = defineCommand({
  summary: 'Compare what came of two sessions: result, files, time, errors, tokens and cost',
  details:
    'Takes any two sessions: a fork and its origin, or the attempts of a task. Their turns: `lode session diff`.',
  args: [
    { name: 'A', help: "a session's ID, or a unique prefix of it", complete: 'session' },
    { name: 'B', help: 'the other session', complete: 'session' },
  ],
  options: {
    html: {
      kind: 'flag',
      help: 'write one page of HTML with both, without scripts and without anything from elsewhere',
    },
    md: { kind: 'flag', help: 'write one file of Markdown with both' },
    to: {
      kind: 'text',
      value: 'DIR',
      complete: 'folder',
      help: 'with --html or --md: the folder to write to (default: this one)',
    },
    force: { kind: 'flag', help: 'replace an existing file' },
  },
  examples: [
    { line: 'lode session compare 3f2a9c1e 7bd01c44', does: 'show what the two came to, side by side' },
    {
      line: 'lode session compare 3f2a9c1e 7bd01c44 --html',
      does: 'write both as a page for somebody without Lodeline',
    },
    {
      line: 'lode session compare 3f2a9c1e 7bd01c44 --json',
      does: 'print JSON: {relation, origin, shared, first, second, files}',
    },
  ],
  async run(context, { args: [a = '', b = ''], options }) {
    if (options.html || options.md) return await exportDocument(context, a, { ...options, beside: b })
    if (options.to !== undefined || options.force)
      throw usageError(context.path)('--to and --force go with --html or --md.')
    const client = await context.client()
    const { first, second, ...how } = await client.sessions.diff(a, b, { limit: 1 })
    const outcomes = await Promise.all([first, second].map(({ session }) => client.sessions.outcome(session.id)))
    const [one, other] = [first, second].map(({ session, lineCount, turnCount }, at) => ({
      session,
      lineCount,
      turnCount,
      products: outcomes[at]?.products ?? [],
    }))
    const changed = ({ session }: typeof first, at: number) => ({ cwd: session.cwd, files: outcomes[at]?.files ?? [] })
    const files = compareFiles(changed(first, 0), changed(second, 1))
    const answer = { ...how, first: one, second: other, files }
    context.answer(answer, () => compareView({ ...how, first, second }, files, context.io.columns))
    return undefined
  },
})
