import { basename, resolve } from 'node:path'
import { defineCommand } from '../../kit/command'
import { usageError } from '../../kit/parse-args'
import { bytes, plural } from '../../print/measures'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: "Export a session's transcript and sub-agent files, byte for byte",
  details: [
    'Writes the layout that the agent CLI reads: SESSION.jsonl, and in SESSION/subagents/ a transcript and a .meta.json file',
    'per sub-agent. Writes all files or none. If the transcript was deleted before Lodeline recorded it, exports only the sub-agent',
    'files and reports that.',
  ].join('\n'),
  args: [{ name: 'ID', help: "the session's ID, or a unique prefix of it" }],
  options: {
    to: {
      kind: 'text',
      value: 'DIR',
      complete: 'folder',
      help: 'the folder to write to, created if missing (required)',
    },
    incarnation: {
      kind: 'number',
      value: 'N',
      min: 1,
      max: 1_000_000,
      help: 'an earlier incarnation of the transcript, before a rewrite (default: the newest)',
    },
    masked: { kind: 'flag', help: 'overwrite secrets with as many characters, so that the files can be given away' },
    force: { kind: 'flag', help: 'replace existing files' },
  },
  examples: [
    { line: 'lode session export 3f2a9c1e --to /tmp/out', does: 'export the newest state of all files' },
    {
      line: 'lode session export 3f2a9c1e --to /tmp/out --incarnation 1 --json',
      does: 'export the state before the first rewrite; print the file list as JSON',
    },
  ],
  async run(context, { args: [id = ''], options }) {
    if (options.to === undefined) throw usageError(context.path)('Missing --to DIR.')
    const folder = resolve(context.io.cwd, options.to)
    const client = await context.client()
    const { session } = await client.sessions.get(id)
    const { writeExport } = await import('../../sessions/export-files')
    const source = client.sessions.export(
      session.id,
      { incarnation: options.incarnation, partial: true, ...(options.masked && { masked: true }) },
      { signal: context.signal },
    )
    const files = await writeExport(source, folder, options.force)
    const total = files.reduce((sum, file) => sum + file.bytes, 0)
    const hasTranscript = files.some(({ path }) => basename(path) === `${session.id}.jsonl`)
    if (!hasTranscript)
      context.note(
        `the transcript of session ${oneLine(session.id)} was never recorded; only the files of its sub-agents were exported`,
      )
    context.answer({ sessionId: session.id, folder, files, bytes: total, hasTranscript }, () => {
      const lines = files.map((file) => `${oneLine(file.path)}\n`).join('')
      return `${lines}${plural(files.length, 'file')}, ${bytes(total)}\n`
    })
  },
})
