import { defineCommand } from '../command'
import type { Context } from '../context'
import { eachOf, ISSUE_ARG, openTracker, SCOPE } from '../issue-call'
import { answerChanged } from '../issue-changed'
import { defined, ISSUE_FIELDS, issueFields, LABEL_OPTION, listOf, timeOf } from '../issue-options'
import { quote, usageError } from '../parse-args'

export const command = defineCommand({
  summary: 'Change issues, or claim them',
  details: [
    'Only what is said changes. --claim makes the caller the one who works on it: it is refused while somebody who may be alive',
    'holds the issue, and comes free by itself some time after its holder is gone.',
  ].join('\n'),
  args: [{ ...ISSUE_ARG, isRepeated: true }],
  options: {
    title: { kind: 'text', value: 'TEXT', help: 'its title' },
    status: { kind: 'text', short: 's', value: 'STATUS', help: 'open, in_progress, blocked, deferred, closed ...' },
    ...ISSUE_FIELDS,
    'append-notes': { kind: 'text', value: 'TEXT', help: 'goes below the notes, on a line of its own' },
    'add-label': { ...LABEL_OPTION, help: 'add labels: a or a,b' },
    'remove-label': { kind: 'text', value: 'LABELS', isRepeated: true, help: 'take labels away' },
    'set-labels': { kind: 'text', value: 'LABELS', isRepeated: true, help: 'these labels instead' },
    'set-metadata': { kind: 'text', value: 'KEY=VALUE', isRepeated: true, help: 'one text in its metadata' },
    'unset-metadata': { kind: 'text', value: 'KEY', isRepeated: true, help: 'take a key out of its metadata' },
    claim: { kind: 'flag', help: 'work on it: status in_progress, assigned to the caller' },
    force: { kind: 'flag', short: 'f', help: 'close in spite of open blockers or children' },
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue update ld-3k9q --claim', does: 'work on it' },
    { line: 'lode issue update ld-3k9q -p P0 --add-label urgent', does: 'priority and a label more' },
    { line: "lode issue update ld-3k9q --assignee ''", does: 'nobody is assigned any more' },
  ],
  async run(context, { args, options }) {
    const { due, defer, parent } = options
    // An empty text takes away what is there.
    const cleared = <T>(text: string | undefined, value: (text: string) => T): T | null | undefined =>
      text === undefined ? undefined : text === '' ? null : value(text)
    const change = {
      ...(await issueFields(context, options)),
      ...defined({
        title: options.title,
        status: options.status,
        assignee: cleared(options.assignee, String),
        parentId: cleared(parent, String),
        externalRef: cleared(options['external-ref'], String),
        specId: cleared(options['spec-id'], String),
        dueAt: cleared(due, (text) => timeOf(context, '--due', text) ?? null),
        deferUntil: cleared(defer, (text) => timeOf(context, '--defer', text) ?? null),
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
      throw usageError(context.path)('Nothing is to be changed: say what.')
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
