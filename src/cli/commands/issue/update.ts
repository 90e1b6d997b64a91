import { eachOf, ISSUE_ARG, openTracker, SCOPE } from '../../issues/issue-call'
import { answerChanged } from '../../issues/issue-changed'
import { defined, ISSUE_OPTIONS, issueFields, LABEL_OPTION, listOf } from '../../issues/issue-options'
import { quote, usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import type { Context } from '../../kit/context'

export const command = defineCommand({
  summary: 'Change issues, or claim them',
  details: [
    'Changes only the fields you pass. --claim assigns the issue to the caller and sets it in progress. It is refused while a holder',
    'that may be alive has the claim; the claim expires some time after its holder is gone.',
  ].join('\n'),
  args: [{ ...ISSUE_ARG, isRepeated: true }],
  options: {
    title: { kind: 'text', value: 'TEXT', help: 'the title' },
    status: { kind: 'text', short: 's', value: 'STATUS', help: 'open, in_progress, blocked, deferred, closed ...' },
    ...ISSUE_OPTIONS,
    'append-notes': { kind: 'text', value: 'TEXT', help: 'append a line to the notes' },
    'add-label': { ...LABEL_OPTION, help: 'add labels: a or a,b' },
    'remove-label': { kind: 'text', value: 'LABELS', isRepeated: true, help: 'remove labels' },
    'set-labels': { kind: 'text', value: 'LABELS', isRepeated: true, help: 'replace all labels' },
    'set-metadata': { kind: 'text', value: 'KEY=VALUE', isRepeated: true, help: 'set one metadata key to a text' },
    'unset-metadata': { kind: 'text', value: 'KEY', isRepeated: true, help: 'remove a metadata key' },
    claim: { kind: 'flag', help: 'claim it: set in_progress and assign it to the caller' },
    force: { kind: 'flag', short: 'f', help: 'close even if blockers or children are open' },
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue update ld-3k9q --claim', does: 'claim the issue' },
    { line: 'lode issue update ld-3k9q -p P0 --add-label urgent', does: 'set the priority and add a label' },
    { line: "lode issue update ld-3k9q --assignee ''", does: 'clear the assignee' },
  ],
  keepsTodosInFile: true,
  async run(context, { args, options }) {
    const change = {
      ...(await issueFields(context, options)),
      ...defined({
        title: options.title,
        status: options.status,
        // An empty text moves it below none.
        parentId: options.parent === '' ? null : options.parent,
        appendNotes: options['append-notes'],
        labels: options['set-labels'].length === 0 ? undefined : (listOf(options['set-labels']) ?? []),
        addLabels: listOf(options['add-label']),
        removeLabels: listOf(options['remove-label']),
        metadata: metadataOf(context, options),
        claim: options.claim || undefined,
        force: options.force || undefined,
      }),
    }
    if (Object.keys(change).every((name) => name === 'force'))
      throw usageError(context.path)('Pass at least one field to change.')
    const { issues, scope } = await openTracker(context, options)
    const result = await eachOf(context, args, (id) => issues.update(id, { ...scope, ...change }))
    return answerChanged(context, result)
  },
})

/** Keys to be put (texts) and taken out (`null`). */
function metadataOf(
  context: Context,
  { 'set-metadata': set, 'unset-metadata': unset }: Record<'set-metadata' | 'unset-metadata', readonly string[]>,
): Record<string, string | null> | undefined {
  if (set.length === 0 && unset.length === 0) return undefined
  const put = set.map((text): [string, string] => {
    const at = text.indexOf('=')
    if (at < 1) throw usageError(context.path)(`--set-metadata needs KEY=VALUE, not ${quote(text)}.`)
    return [text.slice(0, at), text.slice(at + 1)]
  })
  return Object.fromEntries([...unset.map((key): [string, null] => [key, null]), ...put])
}
