import { listRows, PAGING } from '../../kit/arguments/paging'
import { defineCommand } from '../../kit/command'
import { bytes, plural } from '../../print/measures'
import { oneLine } from '../../print/text'
import { secretTable } from '../../views/secret-views'

export const command = defineCommand({
  summary: 'Find secrets in everything that is recorded, and list them',
  details: [
    'New lines are scanned when they are recorded. This command scans what was recorded before a rule or a setting existed, continues',
    'where an earlier scan ended, and lists all known secrets. It prints only the first 4 characters of a secret.',
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
