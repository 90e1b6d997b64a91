import { ISSUE_ARG, openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Make an issue depend on another',
  details: [
    'ID depends on OTHER. Blocking types: blocks (default), parent-child (OTHER is the parent), conditional-blocks, waits-for. Other',
    'types only link the issues: related, discovered-from, duplicates ... A cycle of blocking dependencies is refused.',
  ].join('\n'),
  args: [
    ISSUE_ARG,
    { name: 'OTHER', help: 'the issue it depends on, or external:PROJECT:CAPABILITY', isOptional: true },
  ],
  options: {
    type: { kind: 'text', short: 't', value: 'TYPE', help: 'the dependency type (default: blocks)' },
    'blocked-by': { kind: 'text', value: 'ID', complete: 'issue', help: 'same as OTHER' },
    'depends-on': { kind: 'text', value: 'ID', complete: 'issue', help: 'same as OTHER' },
    metadata: { kind: 'text', value: 'JSON', help: 'JSON to store with the dependency' },
    ...SCOPE,
  },
  examples: [
    { line: 'lode dep add ld-7f2a ld-3k9q', does: 'ld-7f2a waits until ld-3k9q is closed' },
    {
      line: 'lode dep add ld-7f2a ld-3k9q -t discovered-from',
      does: 'record where the issue was found; blocks nothing',
    },
  ],
  keepsTodosInFile: true,
  async run(context, { args: [id = '', argument], options }) {
    const { type, metadata } = options
    const named = [argument, options['blocked-by'], options['depends-on']].filter((each) => each !== undefined)
    const [other] = named
    if (other === undefined || named.length > 1)
      throw usageError(context.path)('Pass exactly one OTHER issue that ID depends on.')
    const { issues, scope } = await openTracker(context, options)
    const { issue, notices } = await issues.addDependency(id, {
      ...scope,
      dependsOnId: other,
      ...(type !== undefined && { type }),
      ...(metadata !== undefined && { metadata }),
    })
    const edge = issue.dependencies.at(-1)
    context.answer({ issue, dependency: edge ?? null, notices }, () =>
      edge === undefined ? '' : `${oneLine(`${edge.issueId} depends on ${edge.dependsOnId} (${edge.type})`)}\n`,
    )
    printNotices(context, notices)
  },
})
