import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError } from '../../../domain/errors'
import { defineCommand } from '../../kit/command'
import { plural } from '../../print/measures'
import { progressBar, readText } from '../../print/progress'

const PROBLEMS_SHOWN = 10

export const command = defineCommand({
  summary: 'Import transcript files and folders once',
  details: [
    'Accepts transcripts, sub-agent files and whole configuration folders (~/.claude, ~/.codex and so on). A repeated',
    'import adds only new data. The files themselves are never changed.',
  ].join('\n'),
  args: [{ name: 'PATH', help: 'a file or a folder', isRepeated: true, complete: 'file' }],
  examples: [
    { line: 'lode import ~/.claude/projects', does: 'import every transcript that Claude Code has kept' },
    {
      line: 'lode import session.jsonl --json',
      does: 'import one file and print JSON: {files, bytes, sessions, events, malformedLines, durationMs, problems}',
    },
  ],
  async run(context, { args }) {
    const paths = args.map((path) => resolve(context.io.cwd, path))
    const { client, isRemote } = await context.connection()
    const missing = isRemote ? undefined : paths.find((path) => !existsSync(path))
    if (missing !== undefined) throw new AppError('not_found', `File or folder not found: ${missing}.`)
    const bar = progressBar(context, 'importing')
    const totals = await client.import({ paths }, { signal: context.signal, onProgress: bar.show }).finally(bar.clear)
    context.answer(totals, () => {
      const broken =
        totals.malformedLines > 0 ? `, ${plural(totals.malformedLines, 'malformed line')} stored unchanged` : ''
      return (
        `read ${readText(totals)}\n` +
        `new: ${plural(totals.sessions, 'session')}, ${plural(totals.events, 'event')}${broken}\n`
      )
    })
    if (context.globals.isJson) return
    for (const { path, reason } of totals.problems.slice(0, PROBLEMS_SHOWN)) context.note(`${path}: ${reason}`)
    const more = totals.problems.length - PROBLEMS_SHOWN
    if (more > 0) context.note(`and ${plural(more, 'more file')} with problems; use --json to list them all.`)
  },
})
