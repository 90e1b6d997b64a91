import { listRows, PAGING } from '../../kit/arguments/paging'
import { defineCommand } from '../../kit/command'
import { bytes, plural } from '../../print/measures'
import { oneLine } from '../../print/text'
import { secretTable } from '../../views/secret-views'

export const command = defineCommand({
  summary: 'Look for secrets in all that is recorded, and list them',
  details: [
    'New lines are looked through as they are recorded. This command looks through what was recorded before a rule or a setting',
    'was there, goes on where an earlier scan ended, and lists what is known. It prints the first 4 characters of a secret only.',
  ].join('\n'),
  options: {
    session: { kind: 'text', value: 'ID', complete: 'session', help: 'only the secrets of this session' },
    ...PAGING,
  },
  examples: [
    { line: 'lode secret scan', does: 'each secret, newest first, with its sessions' },
    { line: 'lode secret scan --all --json', does: 'print JSON: {scan, secrets, nextCursor}' },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const scan = await client.secrets.scan()
    const { rows: secrets, nextCursor } = await listRows(options, async (page) => {
      const listed = await client.secrets.list({ ...page, ...(options.session && { sessionId: options.session }) })
      return { rows: listed.secrets, nextCursor: listed.nextCursor }
    })
    context.answer({ scan, secrets, nextCursor }, () => secretTable(secrets, context.io.columns))
    if (context.globals.isJson) return
    if (scan.bytes > 0)
      context.note(
        `looked through ${bytes(scan.bytes)} of ${plural(scan.journals, 'journal')} and found ${plural(scan.found, 'new place')}.`,
      )
    if (secrets.length === 0) context.note('no secrets were found.')
    if (nextCursor !== null) context.note(`there are more; use --all, or --cursor ${oneLine(nextCursor)}`)
  },
})
