import { compareFiles } from '../../../domain/session/compare'
import { defineCommand } from '../../kit/command'
import { compareView } from '../../views/session/compare-view'

export const command = defineCommand({
  summary: 'Compare what came of two sessions: result, files, time, errors, tokens and cost',
  details:
    'Takes any two sessions: a fork and its origin, or the attempts of a task. Their turns: `lode session diff`.',
  args: [
    { name: 'A', help: "a session's ID, or a unique prefix of it", complete: 'session' },
    { name: 'B', help: 'the other session', complete: 'session' },
  ],
  examples: [
    { line: 'lode session compare 3f2a9c1e 7bd01c44', does: 'show what the two came to, side by side' },
    {
      line: 'lode session compare 3f2a9c1e 7bd01c44 --json',
      does: 'print JSON: {relation, origin, shared, first, second, files}',
    },
  ],
  async run(context, { args: [a = '', b = ''] }) {
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
  },
})
