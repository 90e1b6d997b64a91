import { defineCommand } from '../../../kit/command'
import { fields } from '../../../print/table'
import { openAdmin } from '../../../server/open-admin'

export const command = defineCommand({
  summary: 'Show the schema version without changing it',
  examples: [
    { line: 'lode db migrate status', does: 'the current version and the version this program needs' },
    {
      line: 'lode db migrate status --json',
      does: 'print JSON: {location, version, wanted, pending, unknown, isCompatible, servers}',
    },
  ],
  async run(context) {
    await using admin = await openAdmin(context)
    const { version, wanted, pending, unknown, isCompatible } = await admin.migrationStatus()
    const servers = await admin.servers()
    context.answer({ location: admin.location, version, wanted, pending, unknown, isCompatible, servers }, () =>
      fields([
        ['database', admin.location],
        ['schema', version === 0 ? 'none yet' : String(version)],
        ['this program', `needs ${wanted}`],
        ['to apply', pending.map((each) => `${each.number} ${each.name}`).join(', ') || null],
        [
          'unknown',
          unknown.length > 0
            ? `${unknown.join(', ')} (${isCompatible ? 'this program works beside them' : 'the database is newer than this program'})`
            : null,
        ],
        [
          'at work',
          servers.map((each) => `${each.hostName} (${each.version}, schema ${each.schemaVersion})`).join(', ') || null,
        ],
      ]),
    )
  },
})
