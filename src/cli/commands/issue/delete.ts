import { AppError } from '../../../domain/errors'
import { ISSUE_ARG, openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { defineCommand } from '../../kit/command'
import { EXIT } from '../../kit/exit-codes'
import { plural } from '../../print/measures'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Delete an issue after a preview',
  details: [
    'Asks for confirmation first. Without a terminal it only shows a preview, unless you pass --yes. A tombstone stays so that no other',
    "copy of the file restores the issue. Other issues' dependencies on it are removed; --cascade also deletes its descendants.",
  ].join('\n'),
  args: [ISSUE_ARG],
  options: {
    yes: { kind: 'flag', short: 'y', help: "don't ask" },
    force: { kind: 'flag', short: 'f', help: 'same as --yes' },
    cascade: { kind: 'flag', help: 'also delete its descendants' },
    'dry-run': { kind: 'flag', help: 'show what would be deleted without deleting it' },
    reason: { kind: 'text', short: 'r', value: 'TEXT', help: 'the reason, stored in the tombstone' },
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue delete ld-3k9q', does: 'show a preview and ask for confirmation' },
    {
      line: 'lode issue delete ld-3k9q --yes --json',
      does: 'delete without asking; print JSON: {ids, dependents, isDone, notices}',
    },
  ],
  keepsTodosInFile: true,
  async run(context, { args: [id = ''], options }) {
    const { issues, scope } = await openTracker(context, options)
    const { reason, cascade } = options
    const input = { ...scope, ...(cascade && { cascade }), ...(reason !== undefined && { reason }) }
    const preview = await issues.delete(id, input)
    const isMeant = (options.yes || options.force) && !options['dry-run']
    const { ids, dependents } = preview
    const [root = id] = ids
    const what = `${plural(ids.length, 'issue')}: ${ids.slice(0, 20).join(', ')}${ids.length > 20 ? ', ...' : ''}`
    const edges = dependents.length === 0 ? '' : `, and their dependencies from ${dependents.slice(0, 20).join(', ')}`
    if (!isMeant && (options['dry-run'] || !context.io.canAsk)) {
      context.answer(preview, () => `would delete ${oneLine(what + edges)}\n`)
      if (!options['dry-run']) context.note(`nothing was deleted: there is no terminal to ask in. Use --yes to delete.`)
      printNotices(context, preview.notices)
      return options['dry-run'] ? undefined : EXIT.declined
    }
    if (!isMeant && !/^y(es)?$/i.test(context.io.ask(`Delete ${oneLine(what + edges)}? [y/N] `))) {
      context.note('nothing was changed.')
      return EXIT.declined
    }
    const deleted = await issues.delete(root, { ...input, confirm: true })
    if (!deleted.isDone) throw new AppError('internal', 'The issue was not deleted.')
    context.answer(deleted, () => `deleted ${oneLine(what)}\n`)
    printNotices(context, deleted.notices)
    return
  },
})
