import { AppError } from '../../domain/errors'
import { defineCommand } from '../command'
import { EXIT } from '../exit-codes'
import { bytes, plural } from '../measures'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Remove a session and its journals for good',
  details: [
    "Removes everything that Lodeline holds of the session: its journals' bytes, events, to-dos, usage and what",
    'search finds. Its id and files are remembered as forgotten, so that the collector does not bring it back.',
    "The agent CLI's own files are not touched.",
  ].join('\n'),
  args: [{ name: 'ID', help: "the session's id, or a unique beginning of it" }],
  options: { yes: { kind: 'flag', short: 'y', help: "don't ask; needed where nobody can be asked" } },
  examples: [
    { line: 'lode session forget 3f2a9c1e', does: 'shows which session it is and asks first' },
    { line: 'lode session forget 3f2a9c1e --yes', does: 'for scripts' },
  ],
  async run(context, { args: [id = ''], options }) {
    const client = await context.client()
    const { session } = await client.sessions.get(id)
    if (!options.yes) {
      if (!context.io.canAsk) {
        throw new AppError('invalid', 'Forgetting a session can not be undone, and nobody can be asked here.', {
          hint: `Run 'lode session forget ${session.id} --yes'.`,
        })
      }
      const title = session.title === null ? '' : ` '${oneLine(session.title)}'`
      const what = `${session.id}${title}, ${plural(session.counts.events, 'event')}`
      const answer = context.io.ask(`Forget session ${oneLine(what)} for good? [y/N] `)
      if (!/^y(es)?$/i.test(answer)) {
        context.note('nothing was changed.')
        return EXIT.declined
      }
    }
    const forgotten = await client.sessions.forget(session.id)
    context.answer(
      forgotten,
      () =>
        `forgot session ${oneLine(forgotten.sessionId)}: ${plural(forgotten.journals, 'journal')}, ${bytes(forgotten.bytes)}\n`,
    )
  },
})
