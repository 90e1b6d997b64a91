import { basename, resolve } from 'node:path'
import { defineCommand } from '../command'
import { bytes, plural } from '../measures'
import { usageError } from '../parse-args'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: "Write a session's transcript and its sub-agents' files back, byte for byte",
  details: [
    'Writes the layout that the agent CLI reads: SESSION.jsonl, and below SESSION/subagents/ a transcript and a .meta.json',
    'for each sub-agent. All files are put in place together, or none is. Where the transcript was gone before Lodeline saw it, what is',
    'recorded of the sub-agents is written, and said to be no more than that.',
  ].join('\n'),
  args: [{ name: 'ID', help: "the session's id, or a unique beginning of it" }],
  options: {
    to: { kind: 'text', value: 'DIR', complete: 'folder', help: 'folder to write to; made when missing (required)' },
    incarnation: {
      kind: 'number',
      value: 'N',
      min: 1,
      max: 1_000_000,
      help: 'an earlier life of the transcript, before it was rewritten (default: the newest)',
    },
    force: { kind: 'flag', help: 'replace files that are there' },
  },
  examples: [
    { line: 'lode session export 3f2a9c1e --to /tmp/out', does: 'the newest state of all files' },
    {
      line: 'lode session export 3f2a9c1e --to /tmp/out --incarnation 1 --json',
      does: 'as it was before the first rewrite; lists the files',
    },
  ],
  async run(context, { args: [id = ''], options }) {
    if (options.to === undefined) throw usageError(context.path)('--to DIR is missing.')
    const folder = resolve(context.io.cwd, options.to)
    const client = await context.client()
    const { session } = await client.sessions.get(id)
    const { writeExport } = await import('../export-files')
    const source = client.sessions.export(
      session.id,
      { incarnation: options.incarnation, partial: true },
      { signal: context.signal },
    )
    const files = await writeExport(source, folder, options.force)
    const total = files.reduce((sum, file) => sum + file.bytes, 0)
    const hasTranscript = files.some(({ path }) => basename(path) === `${session.id}.jsonl`)
    if (!hasTranscript)
      context.note(
        `the transcript of session ${oneLine(session.id)} was never recorded: these are its sub-agents' files alone`,
      )
    context.answer({ sessionId: session.id, folder, files, bytes: total, hasTranscript }, () => {
      const lines = files.map((file) => `${oneLine(file.path)}\n`).join('')
      return `${lines}${plural(files.length, 'file')}, ${bytes(total)}\n`
    })
  },
})
