import type { OptionSpecs, OptionValues } from '../kit/arguments/specs'
import type { Context } from '../kit/context'
import { parseMoment, parsePastMoment } from '../print/moments'
import { defined, LABEL_OPTION, listOf, priorityOf } from './issue-options'

/** What narrows `ready` and `list`. */
export const READY_FILTER = {
  type: {
    kind: 'text',
    short: 't',
    value: 'TYPE',
    isRepeated: true,
    help: 'only issues of these types: bug or bug,task',
  },
  priority: {
    kind: 'text',
    short: 'p',
    value: 'P',
    isRepeated: true,
    help: 'only issues of these priorities: 0 to 4 or P0 to P4',
  },
  assignee: { kind: 'text', short: 'a', value: 'NAME', help: 'only issues assigned to NAME' },
  'no-assignee': { kind: 'flag', help: 'only unassigned issues' },
  label: { ...LABEL_OPTION, help: 'only issues with all of these labels: a or a,b' },
  'label-any': { kind: 'text', value: 'LABELS', isRepeated: true, help: 'only issues with any of these labels' },
  parent: { kind: 'text', value: 'ID', complete: 'issue', help: 'only direct children of this issue' },
} as const satisfies OptionSpecs

/** What narrows `list` and `search` besides. */
export const LIST_FILTER = {
  ...READY_FILTER,
  status: {
    kind: 'text',
    short: 's',
    value: 'STATUS',
    isRepeated: true,
    help: 'only issues with this status: open, in_progress, blocked, deferred, closed ... or open,blocked',
  },
  all: { kind: 'flag', help: 'include finished issues' },
  'priority-min': { kind: 'text', value: 'P', help: 'priority P or lower (a greater number)' },
  'priority-max': { kind: 'text', value: 'P', help: 'priority P or higher (a smaller number)' },
  'no-labels': { kind: 'flag', help: 'only issues without labels' },
  'no-parent': { kind: 'flag', help: 'only issues without a parent' },
  blocked: { kind: 'flag', help: 'only blocked issues' },
  deferred: { kind: 'flag', help: 'only deferred issues' },
  'created-after': { kind: 'text', value: 'TIME', help: 'created after TIME, e.g. 2026-11-20' },
  'created-before': { kind: 'text', value: 'TIME', help: 'created before TIME' },
  'updated-after': { kind: 'text', value: 'TIME', help: 'updated after TIME' },
  'updated-before': { kind: 'text', value: 'TIME', help: 'last updated before TIME' },
  'closed-after': { kind: 'text', value: 'TIME', help: 'closed after TIME' },
  'closed-before': { kind: 'text', value: 'TIME', help: 'closed before TIME' },
  'due-before': { kind: 'text', value: 'TIME', help: 'due before TIME' },
} as const satisfies OptionSpecs

export function readyFilter(context: Context, options: OptionValues<typeof READY_FILTER>) {
  const priorities = listOf(options.priority)?.map((text) => priorityOf(context, text))
  return defined({
    types: listOf(options.type),
    priorities,
    assignee: options.assignee,
    noAssignee: options['no-assignee'] || undefined,
    labels: listOf(options.label),
    anyLabels: listOf(options['label-any']),
    parentId: options.parent,
  })
}

export function listFilter(context: Context, options: OptionValues<typeof LIST_FILTER>) {
  const { 'priority-min': least, 'priority-max': most } = options
  const time = (name: keyof typeof LIST_FILTER & `${string}-${'after' | 'before'}`) => {
    const text = options[name]
    // Only a due date may be to come.
    const parse = name === 'due-before' ? parseMoment : parsePastMoment
    return text === undefined ? undefined : parse(`--${name}`, text, context.io.now())
  }
  const statuses = listOf(options.status)
  const isEvery = options.all || statuses?.includes('all') === true
  return {
    ...readyFilter(context, options),
    ...defined({
      statuses: isEvery ? undefined : statuses,
      all: isEvery || undefined,
      priorityMin: least === undefined ? undefined : priorityOf(context, least),
      priorityMax: most === undefined ? undefined : priorityOf(context, most),
      noLabels: options['no-labels'] || undefined,
      noParent: options['no-parent'] || undefined,
      isBlocked: options.blocked || undefined,
      isDeferred: options.deferred || undefined,
      createdAfter: time('created-after'),
      createdBefore: time('created-before'),
      updatedAfter: time('updated-after'),
      updatedBefore: time('updated-before'),
      closedAfter: time('closed-after'),
      closedBefore: time('closed-before'),
      dueBefore: time('due-before'),
    }),
  }
}
