import { AppError } from '../../../domain/errors'
import { defineCommand } from '../../kit/command'
import { findServer } from '../../kit/connect'
import { EXIT } from '../../kit/exit-codes'
import { oneLine } from '../../print/text'
import { uninstallText } from '../../views/service-views'

export const command = defineCommand({
  summary: 'Remove what Lodeline added to this machine; your record stays unless you ask',
  details: [
    'Removes what Lodeline put outside of its folder: hooks in the settings of agent CLIs, also those of projects, the plugin, and the',
    'service. It prints the command that removes the program itself. --purge also deletes the folder of Lodeline with the whole record,',
    'for good; a record in PostgreSQL stays. Files of agent CLIs and issue files in repositories always stay.',
  ].join('\n'),
  options: {
    purge: { kind: 'flag', help: 'delete the record and the settings too' },
    yes: { kind: 'flag', short: 'y', help: "with --purge: don't ask; required when there is no terminal to ask in" },
    'dry-run': { kind: 'flag', help: 'show what would be removed without removing it' },
  },
  examples: [
    { line: 'lode uninstall --dry-run', does: 'show what would be removed' },
    { line: 'lode uninstall', does: 'remove everything but the record and the program' },
    { line: 'lode uninstall --purge --yes', does: 'delete the record too, without asking' },
  ],
  async run(context, { options }) {
    const config = context.config()
    const { io } = context
    const { ownHost, serviceState } = await import('../../../app/service/service')
    const { uninstall } = await import('../../../app/install/uninstall')
    const host = ownHost(io.env)
    const isDryRun = options['dry-run']
    const running = await findServer(config.home)
    // The one of the service is ended with it.
    const isOther =
      running !== null && (host.platform === 'win32' || serviceState(config.home, host).pid !== running.pid)
    if (isOther && !isDryRun) {
      throw new AppError('conflict', `A server runs here (process ${running.pid}). Nothing was removed.`, {
        hint: 'End it with Ctrl-C where it was started, then run this command again.',
      })
    }
    if (options.purge && !options.yes && !isDryRun) {
      if (!io.canAsk) {
        throw new AppError('invalid', "Deleting the record can't be undone, and there is no terminal to ask in.", {
          hint: "Run 'lode uninstall --purge --yes'.",
        })
      }
      if (!/^y(es)?$/i.test(io.ask(`Delete ${oneLine(config.home)} with the whole record for good? [y/N] `))) {
        context.note('nothing was changed.')
        return EXIT.declined
      }
    }
    const done = await uninstall({ config, host, cwd: io.cwd, isPurging: options.purge, isDryRun })
    context.answer(done, () => uninstallText(done))
    if (config.databaseUrl !== null && options.purge)
      context.note('the record in PostgreSQL stays. Drop that database yourself.')
    return undefined
  },
})
