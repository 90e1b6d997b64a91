import type { Answers } from '../../../api/contract/operations'
import { AppError } from '../../../domain/errors'
import { defineCommand } from '../../kit/command'
import { EXIT } from '../../kit/exit-codes'
import { bytes, plural } from '../../print/measures'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Remove a session and its journals for good',
  details: [
    'Removes what Lodeline stores about the session: journals, events, to-dos, usage, search entries, its lines in the hook journal,',
    'its hand-overs, messages to and from it, and what its runs said: logs, progress, output and questions of tasks. The text of a',
    'task goes as well if the task has ended and no other session had it.',
    'Keeps:',
    '  - its ID and file names, so that the collector does not record it again, and IDs in other rows and in the audit log;',
    '  - texts of tasks that are open or that another session had too; the answer names these tasks;',
    '  - issues, to-dos made into issues, and requests from outside;',
    '  - what other sessions quote or copied from it, such as forks and parents;',
    "  - the server's log, which holds prompts only at level debug, and files on other machines.",
    "Does not touch the agent CLI's own files. If a CLI still runs in the session, its hooks keep reporting.",
  ].join('\n'),
  args: [{ name: 'ID', help: "the session's ID, or a unique prefix of it", complete: 'session' }],
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
    context.answer(forgotten, () => forgottenText(forgotten))
  },
})

function forgottenText({
  sessionId,
  journals,
  bytes: size,
  handoffs,
  tasks,
  keptTasks,
}: Answers['sessions']['forget']): string {
  const what = [plural(journals, 'journal'), bytes(size)]
  if (handoffs > 0) what.push(plural(handoffs, 'hand-over'))
  if (tasks.length > 0) what.push(`texts of ${plural(tasks.length, 'task')}`)
  const lines = [`forgot session ${oneLine(sessionId)}: ${what.join(', ')}`]
  if (keptTasks.length > 0)
    lines.push(
      `kept the texts of tasks that are open or that another session had too: ${keptTasks.map(oneLine).join(', ')}`,
    )
  return lines.map((line) => `${line}\n`).join('')
}
