import { resolve } from 'node:path'
import { defineCommand } from '../../kit/command'
import { plural } from '../../print/measures'

export const command = defineCommand({
  summary: 'Merge three versions of the issue file field by field',
  details: [
    'Needs no server and no database. Labels, dependencies and comments merge as sets. If both sides changed a text, both are kept.',
    'Closed wins over open unless the issue was reopened later. Otherwise the newer side wins. Decisions are listed on stderr.',
    'To use it as a Git merge driver:',
    "  git config merge.lode.driver 'lode issue merge %O %A %B'",
    "  echo '.lodeline/issues.jsonl merge=lode' >> .gitattributes",
  ].join('\n'),
  args: [
    { name: 'BASE', help: 'the common ancestor; an empty or missing file = none', complete: 'file' },
    { name: 'OURS', help: 'our version; receives the result', complete: 'file' },
    { name: 'THEIRS', help: 'their version', complete: 'file' },
  ],
  options: {
    out: {
      kind: 'text',
      short: 'o',
      value: 'FILE',
      complete: 'file',
      help: 'write to FILE instead; - writes to stdout',
    },
  },
  examples: [
    { line: 'lode issue merge base.jsonl ours.jsonl theirs.jsonl', does: 'write the result to ours.jsonl' },
    {
      line: 'lode issue merge base.jsonl ours.jsonl theirs.jsonl --out -',
      does: 'print the result without changing the three files',
    },
  ],
  async run(context, { args, options }) {
    const [base = '', ours = '', theirs = ''] = args.map((path) => resolve(context.io.cwd, path))
    const isToStdout = options.out === '-'
    const out = isToStdout ? null : options.out === undefined ? ours : resolve(context.io.cwd, options.out)
    const { mergeIssueFilesOnDisk } = await import('../../../app/issue-files/merge-issue-files')
    const merged = await mergeIssueFilesOnDisk({ base, ours, theirs }, out)
    for (const { id, field, taken, reason } of merged.decisions) {
      context.note(`${id}${field === '' ? '' : `, ${field}`}: ${taken}: ${reason}`)
    }
    for (const notice of merged.notices) context.note(notice)
    if (isToStdout && !context.globals.isJson) {
      context.io.out(merged.text)
      return
    }
    const { path, issueCount, notices } = merged
    const decisions = merged.decisions.map(({ id, field, taken, reason }) => ({ id, key: field, taken, reason }))
    context.answer({ path, issueCount, decisions, notices, ...(isToStdout ? { text: merged.text } : {}) }, () =>
      // Git calls this for every merge, with files of its own for a moment: where nothing was decided there is nothing to say.
      decisions.length === 0
        ? ''
        : `merged ${plural(issueCount, 'issue')}: ${plural(decisions.length, 'field')} that both sides changed ${decisions.length === 1 ? 'was' : 'were'} decided\n`,
    )
  },
})
