import { AppError } from '../../../domain/errors'
import { defineCommand } from '../../kit/command'
import { EXIT } from '../../kit/exit-codes'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Remove a workspace with everything in it',
  details: [
    'Asks for the name again. Removes the database and its role; nothing brings them back but a backup (`lode backup` with the URL of the',
    'workspace). Packs in object storage stay and can be read by nobody: their keys went with the database. Remove its folder there.',
    '',
    'A workspace with open connections is refused: stop its servers first. LODELINE_ADMIN_DATABASE_URL names an administrator.',
  ].join('\n'),
  args: [{ name: 'NAME', help: "the workspace's name" }],
  options: {
    yes: { kind: 'text', value: 'NAME', help: 'the name again; required when there is no terminal to ask in' },
  },
  examples: [
    { line: 'lode workspace remove blue', does: 'remove it, after asking for its name' },
    { line: 'lode workspace remove blue --yes blue --json', does: 'print JSON: {removed, database}' },
  ],
  async run(context, { args: [name = ''], options }) {
    const { openWorkspaces } = await import('../../../app/workspaces')
    await using workspaces = openWorkspaces(context.io.env)
    const warning = `Everything in the workspace ${oneLine(name)} will be lost.`
    if (options.yes === undefined && !context.io.canAsk)
      throw new AppError('invalid', `${warning} There is no terminal to ask in.`, {
        hint: 'Run the command again with --yes NAME, the same name twice.',
      })
    const again = options.yes ?? context.io.ask(`${warning} Type its name to remove it: `).trim()
    if (options.yes !== undefined && again !== name)
      throw new AppError('invalid', '--yes names another workspace. Nothing was removed.', {
        hint: 'Give the name twice.',
      })
    if (again !== name) {
      context.note('nothing was removed.')
      return EXIT.declined
    }
    const { database } = await workspaces.remove(name)
    context.answer({ removed: name, database }, () =>
      oneLine(`removed ${name} with its database ${database}`).concat('\n'),
    )
    return EXIT.ok
  },
})
