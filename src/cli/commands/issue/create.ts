import { AppError } from '../../../domain/errors'
import { isExternalTarget } from '../../../domain/issue/issue-edges'
import { openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { defined, ISSUE_OPTIONS, LABEL_OPTION, listOf, newIssueFields } from '../../issues/issue-options'
import { quote, usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { issueLine } from '../../views/issue-views'

export const command = defineCommand({
  summary: 'Create an issue',
  details: [
    '--deps adds dependencies. ID or depends-on:ID: the new issue waits for ID. blocks:ID: ID waits for the new issue.',
    'Any other TYPE:ID, e.g. discovered-from:ID or related:ID, adds a dependency of that type on ID.',
  ].join('\n'),
  args: [{ name: 'TITLE', help: 'the title, at most 500 characters', isOptional: true }],
  options: {
    title: { kind: 'text', value: 'TEXT', help: 'the title, instead of the argument' },
    ...ISSUE_OPTIONS,
    labels: { ...LABEL_OPTION, help: 'labels: a or a,b' },
    deps: {
      kind: 'text',
      value: 'TYPE:ID',
      isRepeated: true,
      help: 'dependencies: ID or TYPE:ID, separated by commas',
    },
    status: { kind: 'text', short: 's', value: 'STATUS', help: 'the initial status (default: open)' },
    id: { kind: 'text', value: 'ID', help: 'use this ID instead of a generated one' },
    prefix: { kind: 'text', value: 'PREFIX', help: "the prefix of the new ID (default: the tracker's)" },
    silent: { kind: 'flag', help: 'print only the ID' },
    key: {
      kind: 'text',
      value: 'TEXT',
      help: 'idempotency key: the same key creates the issue only once',
    },
    ...SCOPE,
  },
  examples: [
    { line: "lode issue create 'Fix the login' -t bug -p 1", does: 'create an issue and print its ID' },
    {
      line: "lode issue create 'Write the docs' --parent ld-3k9q -l docs,easy",
      does: 'create a child issue with two labels',
    },
    {
      line: "lode issue create 'Found a leak' --deps discovered-from:ld-3k9q --json",
      does: 'print JSON: {issue, notices}',
    },
  ],
  keepsTodosInFile: true,
  async run(context, { args: [argument], options }) {
    const fail = usageError(context.path)
    if (argument !== undefined && options.title !== undefined && argument !== options.title)
      throw fail('Pass the title only once.')
    const title = argument ?? options.title
    if (title === undefined) throw fail('Missing TITLE: what to do.')
    const { issues, scope } = await openTracker(context, options)
    const created = await issues.create(
      {
        ...scope,
        title,
        ...(await newIssueFields(context, options)),
        ...defined({
          status: options.status,
          labels: listOf(options.labels),
          parentId: options.parent || undefined,
          id: options.id,
          prefix: options.prefix?.replace(/-$/, ''),
          ...edgesOf(options.deps),
        }),
      },
      { signal: context.signal, ...(options.key === undefined ? {} : { idempotencyKey: options.key }) },
    )
    context.answer(created, () => (options.silent ? `${created.issue.id}\n` : `${issueLine(created.issue)}\n`))
    printNotices(context, created.notices)
  },
})

const NEEDS: readonly string[] = ['depends-on', 'depends_on', 'blocked-by', 'blocked_by']

function edgesOf(texts: readonly string[]): {
  dependencies: { dependsOnId: string; type: string }[] | undefined
  blocks: string[] | undefined
} {
  const dependencies: { dependsOnId: string; type: string }[] = []
  const blocks: string[] = []
  for (const text of listOf(texts) ?? []) {
    const colon = isExternalTarget(text) ? -1 : text.indexOf(':')
    const [type, id] = colon < 0 ? ['depends-on', text] : [text.slice(0, colon).trim(), text.slice(colon + 1).trim()]
    if (type === '' || id === '') throw new AppError('invalid', `--deps needs ID or TYPE:ID, not ${quote(text)}.`)
    if (type === 'blocks') blocks.push(id)
    else dependencies.push({ dependsOnId: id, type: NEEDS.includes(type) ? 'blocks' : type })
  }
  return {
    dependencies: dependencies.length === 0 ? undefined : dependencies,
    blocks: blocks.length === 0 ? undefined : blocks,
  }
}
