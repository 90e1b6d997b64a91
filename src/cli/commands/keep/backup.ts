import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ENCRYPT_OPTIONS, encryptToOf } from '../../backup/encryption-options'
import { defineCommand } from '../../kit/command'
import { bytes, plural } from '../../print/measures'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Write a backup of everything to one file',
  details: [
    "Writes the database and the files of Lodeline's folder to a compressed tar archive that only you can read. A server may run",
    'meanwhile: the backup shows one moment. Works with PostgreSQL too, without its programs. It leaves out:',
    "  - the server's own token and tokens for servers elsewhere: a restored server makes a new one, and browsers log in again;",
    '  - worktrees of tasks, folders of runs, and the log;',
    '  - links in the folder.',
    'An interrupted backup keeps what it has written. Run the same command again to continue it; what is new by then is included.',
    'A backup holds all conversations, the secrets of inbox sources, and hashes of tokens. Encrypt it if others can read it; the format',
    "is age's (age-encryption.org).",
  ].join('\n'),
  args: [
    {
      name: 'TO',
      help: 'the file to write, or a folder to write a file with the time in its name to',
      complete: 'file',
    },
  ],
  options: ENCRYPT_OPTIONS,
  examples: [
    { line: 'lode backup /mnt/backups', does: 'write a backup that is not encrypted' },
    {
      line: 'lode backup /mnt/backups --encrypt-to age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
      does: 'encrypt it to a key',
    },
    {
      line: 'lode backup lodeline.tar.gz.age --passphrase --json',
      does: 'ask for a passphrase; print the facts as JSON',
    },
  ],
  async run(context, { args: [to = ''], options }) {
    const encryptTo = await encryptToOf(context, options)
    const { makeBackup } = await import('../../../app/backup/make-backup')
    const place = resolve(context.io.cwd, to)
    const path = fileOf(place, context.io.now(), encryptTo !== null)
    const report = await makeBackup({
      config: context.config(),
      to: path,
      place,
      encryptTo,
      signal: context.signal,
      onResume: (size) => context.note(`going on with an unfinished backup: ${bytes(size)} of it are written.`),
      onKept: (size) => context.note(`unfinished: ${bytes(size)} are kept. The same command goes on there.`),
    })
    context.answer(report, () => {
      const what = `${bytes(report.bytes)}, ${plural(report.files, 'file')} and the database${report.isEncrypted ? ', encrypted' : ''}`
      return `${oneLine(report.path)}: ${what}\n`
    })
    if (!report.isEncrypted) context.note('the backup is not encrypted: whoever reads it reads every conversation.')
  },
})

function fileOf(to: string, now: number, isEncrypted: boolean): string {
  const time = new Date(now)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '')
  const isFolder = statSync(to, { throwIfNoEntry: false })?.isDirectory() === true
  return isFolder ? join(to, `lodeline-${time}.tar.gz${isEncrypted ? '.age' : ''}`) : to
}
