import { basename, join, resolve } from 'node:path'
import { ENCRYPT_OPTIONS, encryptToOf } from '../../backup/encryption-options'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { bytes, plural } from '../../print/measures'
import { oneLine } from '../../print/text'
import { exportDocument } from '../../sessions/export-document'
import { withImportables } from '../../sessions/importable-files'
import { RANGE_OPTIONS } from '../../sessions/range-options'

export const command = defineCommand({
  summary: "Export a session's files, byte for byte, or the session as one page of HTML or Markdown",
  details: [
    'Writes the layout that the agent CLI reads: SESSION.jsonl, and in SESSION/subagents/ a transcript and a .meta.json file',
    'per sub-agent. Writes all files or none. If the transcript was deleted before Lodeline recorded it, exports only the sub-agent',
    'files and reports that.',
    'For a conversation of opencode, the files are the rows of its database, and SESSION.opencode.json, which opencode import takes.',
    'With --encrypt-to or a passphrase, writes one file instead: SESSION.tar.gz.age, encrypted in the format of age',
    '(age-encryption.org). To unpack it: age -d -i KEYFILE SESSION.tar.gz.age | tar xz',
    'With --html or --md, writes one file that anybody can read: the conversation, or the turns from --from to --until, with its calls',
    'and sub-agents. Secrets of a known form are masked in it; the command says which.',
  ].join('\n'),
  args: [{ name: 'ID', help: "the session's ID, or a unique prefix of it", complete: 'session' }],
  options: {
    to: {
      kind: 'text',
      value: 'DIR',
      complete: 'folder',
      help: 'the folder to write to, created if missing (required; with --html or --md, default: this folder)',
    },
    html: { kind: 'flag', help: 'write one page of HTML, without scripts and without anything from elsewhere' },
    md: { kind: 'flag', help: 'write one file of Markdown' },
    ...RANGE_OPTIONS,
    incarnation: {
      kind: 'number',
      value: 'N',
      min: 1,
      max: 1_000_000,
      help: 'an earlier incarnation of the transcript, before a rewrite (default: the newest)',
    },
    masked: { kind: 'flag', help: 'overwrite secrets with as many characters, so that the files can be given away' },
    force: { kind: 'flag', help: 'replace existing files' },
    ...ENCRYPT_OPTIONS,
  },
  examples: [
    { line: 'lode session export 3f2a9c1e --to /tmp/out', does: 'export the newest state of all files' },
    {
      line: 'lode session export 3f2a9c1e --to /tmp/out --incarnation 1 --json',
      does: 'export the state before the first rewrite; print the file list as JSON',
    },
    {
      line: 'lode session export 3f2a9c1e --html --from 4 --until 6',
      does: 'write turns 4 to 6 as a page for somebody without Lodeline',
    },
    {
      line: 'lode session export 3f2a9c1e --to /tmp/out --passphrase',
      does: 'ask for a passphrase; write one encrypted file',
    },
  ],
  async run(context, { args: [id = ''], options }) {
    if (options.html || options.md) return await exportDocument(context, id, options)
    if (options.from !== undefined || options.until !== undefined)
      throw usageError(context.path)('--from and --until go with --html or --md.')
    if (options.to === undefined) throw usageError(context.path)('Missing --to DIR.')
    const folder = resolve(context.io.cwd, options.to)
    const encryptTo = await encryptToOf(context, options)
    const client = await context.client()
    const { session } = await client.sessions.get(id)
    const recorded = client.sessions.export(
      session.id,
      { incarnation: options.incarnation, partial: true, ...(options.masked && { masked: true }) },
      { signal: context.signal },
    )
    const harness = (await import('../../../harness/registry')).findHarness(session.agent)
    const source = harness === undefined ? recorded : withImportables(recorded, harness)
    const exported =
      encryptTo === null
        ? { files: await (await import('../../sessions/export-files')).writeExport(source, folder, options.force) }
        : await (await import('../../sessions/export-archive')).writeExportArchive(source, {
            to: join(folder, `${session.id}.tar.gz.age`),
            isForced: options.force,
            encryptTo,
            signal: context.signal,
          })
    const { files } = exported
    const archive = 'archive' in exported ? exported.archive : null
    const total = files.reduce((sum, file) => sum + file.bytes, 0)
    // Some files of 2025 are one JSON document.
    const names = [`${session.id}.jsonl`, `${session.id}.json`]
    const hasTranscript = files.some(({ path }) => names.includes(basename(path)))
    if (!hasTranscript)
      context.note(
        `the transcript of session ${oneLine(session.id)} was never recorded; only the files of its sub-agents were exported`,
      )
    context.answer({ sessionId: session.id, folder, archive, files, bytes: total, hasTranscript }, () => {
      const paths = archive === null ? files.map(({ path }) => path) : [archive]
      const lines = paths.map((path) => `${oneLine(path)}\n`).join('')
      return `${lines}${plural(files.length, 'file')}, ${bytes(total)}\n`
    })
    return undefined
  },
})
