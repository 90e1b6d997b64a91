import { AppError } from '../../../domain/errors'
import { defineCommand } from '../../kit/command'
import { EXIT } from '../../kit/exit-codes'
import { bytes, plural } from '../../print/measures'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Remove a session and its journals for good',
  details: [
    'Removes everything that Lodeline stores about the session: journals, events, to-dos, usage and search entries.',
    'Keeps only its ID and file names, so that the collector does not record it again.',
    "Does not touch the agent CLI's own files.",
  ].join('\n'),
  args: [{ name: 'ID', help: "the session's ID, or a unique prefix of it" }],
  options: { yes: { kind: 'flag', short: 'y', help: "don't ask; required when there is no terminal to ask in" } },
  examples: [
    { line: 'lode session forget 3f2a9c1e', does: 'show the session and ask before removing it' },
    { line: 'lode session forget 3f2a9c1e --yes', does: 'remove it without asking' },
  ],
  async run(context, { args: [id = ''], options }) {
    const client = await context.client()
    const { session } = await client.sessions.get(id)
    if (!options.yes) {
      if (!context.io.canAsk) {
        throw new AppError('invalid', "Forgetting a session can't be undone, and there is no terminal to ask in.", {
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
