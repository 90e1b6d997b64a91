import { resolve } from 'node:path'
import { DECRYPT_OPTIONS, openWithOf } from '../../backup/encryption-options'
import { defineCommand } from '../../kit/command'
import { bytes, plural } from '../../print/measures'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Restore everything from a backup',
  details: [
    'Restores into a folder that is missing or empty: that of --home, $LODELINE_HOME or ~/.lodeline. A backup of a PostgreSQL',
    'database goes into an empty database, which $LODELINE_DATABASE_URL names. The whole file is checked before anything is',
    'written, and a failure leaves nothing behind.',
    'The restored folder counts as the same machine as the old one: use only one of them from then on.',
  ].join('\n'),
  args: [{ name: 'FROM', help: 'the file that `lode backup` wrote', complete: 'file' }],
  options: DECRYPT_OPTIONS,
  examples: [
    { line: 'lode restore lodeline.tar.gz', does: "restore into Lodeline's folder" },
    {
      line: 'lode restore lodeline.tar.gz.age --identity key.txt --home /tmp/look',
      does: 'restore an encrypted backup elsewhere',
    },
    { line: 'lode restore lodeline.tar.gz --json', does: 'print the facts as JSON' },
  ],
  async run(context, { args: [from = ''], options }) {
    const keys = await openWithOf(context, options)
    const { restoreBackup } = await import('../../../app/backup/restore-backup')
    const config = context.config()
    const report = await restoreBackup({ from: resolve(context.io.cwd, from), config, keys, signal: context.signal })
    context.answer(
      report,
      () =>
        `${oneLine(report.home)}: ${plural(report.files, 'file')} and the database of ${report.madeAt}, ${bytes(report.contentBytes)}\n`,
    )
    // Settings that came with the backup may name another database than the one that was filled.
    const { readConfig } = await import('../../../config/load')
    const { LODELINE_DATABASE_URL: _, ...env } = context.io.env
    const restored = readConfig({ env, cwd: report.home, flags: { home: report.home } })
    const entry = restored.entries.find(({ key }) => key === 'databaseUrl')
    if (entry?.origin === 'user file' && entry.value !== config.databaseUrl)
      context.note('the restored config.yaml names another database: change its databaseUrl before you run `lode up`.')
  },
})
