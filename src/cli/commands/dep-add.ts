import { defineCommand } from '../command'
import { ISSUE_ARG, openTracker, SCOPE, sayNotices } from '../issue-call'
import { usageError } from '../parse-args'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Make an issue depend on another',
  details: [
    'ID needs OTHER. Types that hold ID up: blocks (default), parent-child (OTHER is the parent), conditional-blocks, waits-for. Others',
    'only link: related, discovered-from, duplicates ... A circle over edges that hold up is refused.',
  ].join('\n'),
  args: [ISSUE_ARG, { name: 'OTHER', help: 'the issue that it needs, or external:PROJECT:WHAT', isOptional: true }],
  options: {
    type: { kind: 'text', short: 't', value: 'TYPE', help: 'default blocks' },
    'blocked-by': { kind: 'text', value: 'ID', help: 'the same as OTHER' },
    'depends-on': { kind: 'text', value: 'ID', help: 'the same as OTHER' },
    metadata: { kind: 'text', value: 'JSON', help: 'kept with the edge' },
    ...SCOPE,
  },
  examples: [
    { line: 'lode dep add ld-7f2a ld-3k9q', does: 'ld-7f2a waits until ld-3k9q is closed' },
    { line: 'lode dep add ld-7f2a ld-3k9q -t discovered-from', does: 'only where it came from' },
  ],
  async run(context, { args: [id = '', argument], options }) {
    const { type, metadata } = options
    const named = [argument, options['blocked-by'], options['depends-on']].filter((each) => each !== undefined)
    const [other] = named
    if (other === undefined || named.length > 1) throw usageError(context.path)('Name one OTHER that the issue needs.')
    const { issues, scope } = await openTracker(context, options)
    const { issue, notices } = await issues.addDependency(id, {
      ...scope,
      dependsOnId: other,
      ...(type !== undefined && { type }),
      ...(metadata !== undefined && { metadata }),
    })
    const edge = issue.dependencies.at(-1)
    context.answer({ issue, dependency: edge ?? null, notices }, () =>
      edge === undefined ? '' : `${oneLine(`${edge.issueId} needs ${edge.dependsOnId} (${edge.type})`)}\n`,
    )
    sayNotices(context, notices)
  },
})
