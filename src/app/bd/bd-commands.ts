import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../domain/errors'
import type { FullIssue, IssueDependency } from '../../domain/issue/issue'
import {
  type AnyIssueField,
  ISSUE_FIELDS,
  type IssueFieldName,
  issueFieldNames,
  UNSET_ISSUE_FIELDS,
} from '../../domain/issue/issue-fields'
import { isIssueId } from '../../domain/issue/issue-id'
import type { Asked, KeeperChange } from '../../engine/issues/kept/issue-keeper'

/** One call of bd that changes something. */
export interface BdCommand {
  /** The command itself comes first; `--json` and who acts are added when it is run. */
  args: string[]
  stdin?: string
  /** A text that bd reads from a file: `flag` gets its path. */
  file?: { flag: string; text: string }
  /** Ids and texts, which no flag can be mistaken for. */
  operands: string[]
}

/** Linux hands a program no argument of more than 131,072 bytes, and bd takes these texts no other way. */
const ARGUMENT_BYTES = 100_000
/** Types that bd leaves out of what it tells: nobody could see whether such an issue was made. */
const HIDDEN_TYPES = new Set(['agent', 'rig', 'role', 'message'])

/**
 * What bd has no command for, found before anything is run.
 * @throws `invalid`
 */
export function refuseUnsupported({ before, after, isDeleted }: KeeperChange, asked: Asked): void {
  if (isDeleted) {
    if (asked.reason !== null) throw unsupported('a reason for a deletion', 'Write it as a comment first, or omit it.')
    return
  }
  const changed = (field: keyof FullIssue) => !isDeepStrictEqual(before?.[field] ?? null, after[field])
  if (changed('owner') && (before !== null || after.owner !== null))
    throw unsupported('owner', 'bd takes the owner from the e-mail address in git’s settings.')
  if (before === null && asked.hasPrefix)
    throw unsupported(
      'the prefix of a single new ID',
      'Use `bd config set issue_prefix` to set the prefix of all new IDs, or `bd rename-prefix` to change it.',
    )
  if (before !== null && before.estimatedMinutes !== null && after.estimatedMinutes === null)
    throw unsupported('removing an estimate', 'Set another estimate.')
  if (changed('issueType') && HIDDEN_TYPES.has(after.issueType))
    throw unsupported(`issues of type ${after.issueType} that it also shows`, 'Use another type.')
  for (const key of new Set([...Object.keys(before?.extra ?? {}), ...Object.keys(after.extra)]))
    if (key !== 'metadata' && !isDeepStrictEqual(before?.extra[key], after.extra[key]))
      throw unsupported(key, 'Omit it, or store it in the metadata.')
  if (after.extra.metadata !== undefined && !isPlainObject(after.extra.metadata))
    throw unsupported('metadata that is not an object', 'Use an object.')
  for (const edge of newEdges(before, after))
    if (edge.metadata !== '{}' || edge.threadId !== null) throw unsupported('metadata of a dependency', 'Omit it.')
  if (newEdges(before, after).filter(({ type }) => type === 'parent-child').length > 1)
    throw unsupported('two parents of one issue', 'Name one.')
  const commentIds = new Set(after.comments.map(({ id }) => id))
  if (before?.comments.some(({ id }) => !commentIds.has(id)) === true)
    throw unsupported('removing a comment', 'Write another comment.')
  if (after.labels.some((label) => /[\r\n]/.test(label)))
    throw unsupported('labels with several lines', 'Use one line.')
  for (const field of ['design', 'acceptanceCriteria', 'notes', 'closeReason'] as const)
    if (changed(field) && Buffer.byteLength(after[field] ?? '') > ARGUMENT_BYTES)
      throw unsupported(
        `${field} of more than ${ARGUMENT_BYTES} bytes`,
        'Write long text into the description or a comment.',
      )
}

const unsupported = (what: string, hint: string): AppError =>
  new AppError('invalid', `bd, which keeps these issues, has no command for ${what}. Nothing was changed.`, { hint })

/** Fields that bd takes as an argument. A description goes through standard input; the owner bd chooses. */
const UPDATE_FIELDS = issueFieldNames.filter((name) => name !== 'description' && name !== 'owner')
/** `create` of bd defers no issue. */
const CREATE_FIELDS = UPDATE_FIELDS.filter((name) => name !== 'deferUntil')

function argumentOf(name: IssueFieldName, issue: FullIssue): string {
  const value = issue[name]
  if (typeof value === 'number') return String(value)
  const { kind }: AnyIssueField = ISSUE_FIELDS[name]
  if (kind === 'time') return timeOf(value)
  return value ?? (kind === 'minutes' ? '0' : '')
}

/** Makes the issue, with what `create` takes. Its other fields follow by `changesOf`. */
export function creationOf(issue: FullIssue, { hasId }: Asked, idOf: (id: string) => string): BdCommand {
  const parent = hasId ? undefined : issue.dependencies.find(({ type }) => type === 'parent-child')
  const args = ['create', `--title=${issue.title}`, `--type=${issue.issueType}`, `--priority=${issue.priority}`]
  if (issue.description !== '') args.push('--body-file=-')
  for (const name of CREATE_FIELDS)
    if (issue[name] !== UNSET_ISSUE_FIELDS[name]) args.push(`--${ISSUE_FIELDS[name].option}=${argumentOf(name, issue)}`)
  if (issue.labels.length > 0) args.push(`--labels=${csv(issue.labels)}`)
  if (issue.extra.metadata !== undefined) args.push(`--metadata=${JSON.stringify(issue.extra.metadata)}`)
  if (parent !== undefined) args.push(`--parent=${idOf(parent.dependsOnId)}`)
  if (hasId) args.push(`--id=${issue.id}`)
  return { args, operands: [], ...(issue.description !== '' && { stdin: issue.description }) }
}

/** What is left of a new issue once bd has made it. */
export const created = (issue: FullIssue, { hasId }: Asked): FullIssue => ({
  ...issue,
  status: 'open',
  deferUntil: null,
  closeReason: null,
  comments: [],
  // An id that lies below another's makes it a child of that by itself.
  dependencies: issue.dependencies.filter(
    ({ type, dependsOnId }) => type === 'parent-child' && (!hasId || issue.id.startsWith(`${dependsOnId}.`)),
  ),
})

/** The commands that make `after` of `before`, in their order. @param idOf  what bd calls an id of ours */
export function changesOf(
  before: FullIssue,
  after: FullIssue,
  asked: Asked,
  actor: string,
  idOf: (id: string) => string,
): BdCommand[] {
  const id = idOf(after.id)
  const commands: BdCommand[] = []
  const update = (...args: string[]) => commands.push({ args: ['update', ...args], operands: [id] })
  const isOpened = before.status === 'closed' && after.status !== 'closed'
  const isClosed = before.status !== 'closed' && after.status === 'closed'
  const isClaim =
    before.status === 'open' && before.assignee === null && after.status === 'in_progress' && after.assignee === actor
  if (isOpened)
    commands.push({ args: ['reopen', ...(asked.reason === null ? [] : [`--reason=${asked.reason}`])], operands: [id] })
  // bd itself sees to it that of two who claim it at once one is refused.
  if (isClaim) update('--claim')
  const status = isOpened ? 'open' : isClaim ? 'in_progress' : before.status
  commands.push(...metadataOf(before, after, id))
  const fields = fieldsOf(before, { ...after, assignee: isClaim ? before.assignee : after.assignee })
  if (!isClosed && (after.status !== status || fields.some((field) => field.startsWith('--defer='))))
    fields.push(`--status=${after.status}`)
  const stdin = after.description !== before.description && after.description !== '' ? after.description : null
  if (fields.length > 0)
    commands.push({ args: ['update', ...fields], operands: [id], ...(stdin !== null && { stdin }) })
  commands.push(...edgesOf(before, after, id, idOf))
  const known = new Set(before.comments.map((comment) => comment.id))
  for (const { id: comment, author, text } of after.comments)
    if (!known.has(comment))
      commands.push({ args: ['comments', 'add', `--author=${author}`], file: { flag: '--file', text }, operands: [id] })
  const session = after.closedBySession === null ? [] : [`--session=${after.closedBySession}`]
  if (isClosed && after.closeReason === null) update('--status=closed', ...session)
  else if (isClosed) {
    const force = asked.force ? ['--force'] : []
    commands.push({ args: ['close', `--reason=${after.closeReason}`, ...session, ...force], operands: [id] })
  }
  return commands
}

export const deletionOf = (ids: readonly string[]): BdCommand => ({ args: ['delete', '--force'], operands: [...ids] })

function fieldsOf(before: FullIssue, after: FullIssue): string[] {
  const fields: string[] = []
  const add = (field: keyof FullIssue, flag: string, value: string) => {
    if (before[field] !== after[field]) fields.push(`--${flag}=${value}`)
  }
  add('title', 'title', after.title)
  if (after.description === '') add('description', 'description', '')
  else add('description', 'body-file', '-')
  for (const name of UPDATE_FIELDS) add(name, ISSUE_FIELDS[name].option, argumentOf(name, after))
  add('priority', 'priority', String(after.priority))
  add('issueType', 'type', after.issueType)
  const added = after.labels.filter((label) => !before.labels.includes(label))
  const removed = before.labels.filter((label) => !after.labels.includes(label))
  if (added.length > 0) fields.push(`--add-label=${csv(added)}`)
  if (removed.length > 0) fields.push(`--remove-label=${csv(removed)}`)
  return fields
}

/** bd merges what it is given into what is there, so keys that are to go have to be named. */
function metadataOf(before: FullIssue, after: FullIssue, id: string): BdCommand[] {
  const [was, is] = [before.extra.metadata, after.extra.metadata]
  if (isDeepStrictEqual(was, is)) return []
  const now = isPlainObject(is) ? is : {}
  const gone = isPlainObject(was) ? Object.keys(was).filter((key) => !Object.hasOwn(now, key)) : []
  const commands: BdCommand[] = []
  if (gone.length > 0)
    commands.push({ args: ['update', ...gone.map((key) => `--unset-metadata=${key}`)], operands: [id] })
  if (Object.keys(now).length > 0)
    commands.push({ args: ['update', `--metadata=${JSON.stringify(now)}`], operands: [id] })
  return commands
}

function edgesOf(before: FullIssue, after: FullIssue, id: string, idOf: (id: string) => string): BdCommand[] {
  const added = newEdges(before, after)
  const gone = newEdges(after, before)
  const parent = added.find(({ type }) => type === 'parent-child')
  const former = gone.filter(({ type }) => type === 'parent-child')
  const commands: BdCommand[] = []
  // bd changes a parent in one step.
  const isMoved = parent !== undefined && former.length === 1
  for (const { dependsOnId, type } of gone)
    if (!(isMoved && type === 'parent-child'))
      commands.push({ args: ['dep', 'remove'], operands: [id, idOf(dependsOnId)] })
  if (parent !== undefined) commands.push({ args: ['update', `--parent=${idOf(parent.dependsOnId)}`], operands: [id] })
  for (const { dependsOnId, type } of added)
    if (type !== 'parent-child')
      commands.push({ args: ['dep', 'add', `--type=${type}`], operands: [id, idOf(dependsOnId)] })
  return commands
}

/** Edges that the second has and the first has not. */
function newEdges(before: FullIssue | null, after: FullIssue): IssueDependency[] {
  const known = new Set(before?.dependencies.map(({ dependsOnId, type }) => `${type}\0${dependsOnId}`))
  return after.dependencies.filter(({ dependsOnId, type }) => !known.has(`${type}\0${dependsOnId}`))
}

/** As bd reads it; whole seconds are what it keeps. */
const timeOf = (time: string | null): string => {
  const at = time === null ? Number.NaN : Date.parse(time)
  return Number.isNaN(at) ? '' : `${new Date(at).toISOString().slice(0, 19)}Z`
}

/** bd reads a list of labels as a line of CSV. */
const csv = (labels: readonly string[]): string =>
  labels.map((label) => (/[",]|^\s|\s$/.test(label) ? `"${label.replaceAll('"', '""')}"` : label)).join(',')

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The id of the issue that `create` answered with; `null` = it answered with none. */
export function createdId(answer: unknown): string | null {
  const value = isPlainObject(answer) && isPlainObject(answer.data) ? answer.data : answer
  const id = isPlainObject(value) ? value.id : undefined
  return typeof id === 'string' && isIssueId(id) ? id : null
}
