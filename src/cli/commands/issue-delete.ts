import { AppError } from '../../domain/errors'
import { defineCommand } from '../command'
import { EXIT } from '../exit-codes'
import { ISSUE_ARG, openTracker, SCOPE, sayNotices } from '../issue-call'
import { plural } from '../measures'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Delete an issue, after showing what would go',
  details: [
    'A person is asked first; where nobody can be asked it only says what would go, unless --yes. A tombstone stays, so that no',
    'other copy of the file brings the issue back. Edges of other issues to it go; with --cascade so does everything below it.',
  ].join('\n'),
  args: [ISSUE_ARG],
  options: {
    yes: { kind: 'flag', short: 'y', help: "don't ask" },
    force: { kind: 'flag', short: 'f', help: 'the same' },
    cascade: { kind: 'flag', help: 'with everything below it' },
    'dry-run': { kind: 'flag', help: 'only say what would go' },
    reason: { kind: 'text', short: 'r', value: 'TEXT', help: 'why: kept with the tombstone' },
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue delete ld-3k9q', does: 'shows what would go and asks' },
    { line: 'lode issue delete ld-3k9q --yes --json', does: 'for scripts: {ids, dependents, isDone, notices}' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { issues, scope } = await openTracker(context, options)
    const { reason, cascade } = options
    const input = { ...scope, ...(cascade && { cascade }), ...(reason !== undefined && { reason }) }
    const preview = await issues.delete(id, input)
    const isMeant = (options.yes || options.force) && !options['dry-run']
    const { ids, dependents } = preview
    const [root = id] = ids
    const what = `${plural(ids.length, 'issue')}: ${ids.slice(0, 20).join(', ')}${ids.length > 20 ? ', ...' : ''}`
    const edges = dependents.length === 0 ? '' : `, with edges of ${dependents.slice(0, 20).join(', ')}`
    if (!isMeant && (options['dry-run'] || !context.io.canAsk)) {
      context.answer(preview, () => `would go: ${oneLine(what + edges)}\n`)
      if (!options['dry-run']) context.note(`nothing was deleted: nobody can be asked here. --yes means it.`)
      sayNotices(context, preview.notices)
      return options['dry-run'] ? undefined : EXIT.declined
    }
    if (!isMeant && !/^y(es)?$/i.test(context.io.ask(`Delete ${oneLine(what + edges)}? [y/N] `))) {
      context.note('nothing was changed.')
      return EXIT.declined
    }
    const deleted = await issues.delete(root, { ...input, confirm: true })
    if (!deleted.isDone) throw new AppError('internal', 'It was not deleted.')
    context.answer(deleted, () => `deleted ${oneLine(what)}\n`)
    sayNotices(context, deleted.notices)
    return
  },
})
