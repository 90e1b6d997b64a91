import { CALLER_KINDS } from '../api/contract/callers'
import type { Answers, Inputs } from '../api/contract/operations'
import { inline, quote } from '../util/quote'
import type { ToolHost } from './host'
import { choice, defineTool, flag, list, optional, text, whole } from './tool'

type Issue = Answers['issues']['create']['issue']

/** Characters of each text of an issue; a cut one says how much is missing. */
const TEXT_LIMIT = 4_000
const COMMENTS = 10

/** Which tracker: a run's own folder is known to the server, others say theirs. */
const dir = () => optional(text('Project folder, absolute; not needed within a run'))

const scope = (host: ToolHost, folder: string | undefined) => ({
  ...(folder !== undefined && { dir: folder }),
  ...(host.sessionId !== null && { sessionId: host.sessionId }),
})

/** `ld-7f3k P1 bug open "Make it faster"` */
function issueLine({ id, priority, issueType, status, title, assignee, claim }: Issue): string {
  const who = claim !== null ? ` held by ${inline(claim.holder, 60)}` : assignee ? ` @${inline(assignee, 60)}` : ''
  return `${id} P${priority} ${inline(issueType, 30)} ${inline(status, 30)}${who} ${inline(title, 120)}`
}

const said = (notices: string[]): string[] => notices.slice(0, 5).map((notice) => `note: ${inline(notice, 300)}`)

function quoted(name: string, value: string): string {
  if (value.trim() === '') return ''
  const { text: shown, left } = quote(value, TEXT_LIMIT)
  return `${name}${left > 0 ? ` (${left} more characters are not shown)` : ''}:\n${shown}`
}

export const readyIssues = defineTool({
  name: 'ready-issues',
  description: 'Issues that can be worked on now: open, nothing blocks them, nobody holds them. Best first.',
  callers: CALLER_KINDS,
  isReadOnly: true,
  input: { limit: optional(whole('Default 20')), labels: optional(list('Has all of these')), dir: dir() },
  async run({ limit = 20, labels, dir: folder }, { host, client }) {
    const found = await client.issues.ready({
      ...scope(host, folder),
      limit: Math.min(Math.max(limit, 1), 200),
      ...(labels && { labels }),
    })
    const lines = found.issues.map(issueLine)
    if (found.isTruncated) lines.push(`These are ${found.issues.length} of ${found.total}.`)
    return [...(lines.length === 0 ? ['No issue is ready.'] : lines), ...said(found.notices)].join('\n')
  },
})

export const getIssue = defineTool({
  name: 'get-issue',
  description: 'Shows an issue: texts, dependencies, children, comments, who holds it.',
  callers: CALLER_KINDS,
  isReadOnly: true,
  input: { id: text('Issue id, or a unique beginning'), dir: dir() },
  async run({ id, dir: folder }, { host, client }) {
    const found = await client.issues.get(id, scope(host, folder))
    const { issue, children, dependencies, dependents, notices } = found
    // For the suggestion to link it: what the session looked at.
    if (host.sessionId !== null)
      await client.links
        .saw(host.sessionId, issue.id, folder === undefined ? {} : { dir: folder })
        .catch(() => undefined)
    const comments = issue.comments.slice(-COMMENTS)
    const older = issue.comments.length - comments.length
    return [
      issueLine(issue),
      issue.labels.length === 0 ? '' : `labels: ${issue.labels.map((label) => inline(label, 60)).join(', ')}`,
      issue.isBlocked ? 'blocked' : '',
      issue.closeReason === null ? '' : `closed: ${inline(issue.closeReason, 300)}`,
      ...dependencies.map(
        ({ id: to, type, issue: other }) =>
          `${inline(type, 50)}: ${other === null ? `${inline(to, 200)} (not here)` : issueLine(other)}`,
      ),
      ...dependents
        .filter(({ type }) => type === 'blocks')
        .map(({ issue: other, id: from }) => `blocks ${other === null ? from : issueLine(other)}`),
      ...children.map((child) => `child: ${issueLine(child)}`),
      quoted('description', issue.description),
      quoted('design', issue.design),
      quoted('acceptance criteria', issue.acceptanceCriteria),
      quoted('notes', issue.notes),
      older > 0 ? `${older} older comments are not shown` : '',
      ...comments.map((one) =>
        quoted(`comment of ${inline(one.author, 60)} at ${inline(one.createdAt, 40)}`, one.text),
      ),
      ...said(notices),
    ]
      .filter((line) => line !== '')
      .join('\n')
  },
})

export const claimIssue = defineTool({
  name: 'claim-issue',
  description:
    'Makes you the one who works on an issue; without `id` on the first that is ready. Others then leave it alone.',
  callers: CALLER_KINDS,
  input: { id: optional(text('Issue id')), dir: dir() },
  async run({ id, dir: folder }, { host, client }) {
    const at = scope(host, folder)
    const { issue, notices } = id === undefined ? await client.issues.claimNext(at) : await client.issues.claim(id, at)
    return [issue === null ? 'No issue is ready.' : `Claimed: ${issueLine(issue)}`, ...said(notices)].join('\n')
  },
})

export const updateIssue = defineTool({
  name: 'update-issue',
  description: 'Changes an issue, or with `create` makes one. What is left out stays.',
  callers: CALLER_KINDS,
  input: {
    id: optional(text('Issue id; with create: none')),
    create: optional(flag('Make a new one; needs title')),
    title: optional(text('One line')),
    description: optional(text('Markdown')),
    appendNotes: optional(text('Goes below the notes')),
    comment: optional(text('Adds a comment')),
    status: optional(text('open, in_progress, blocked, deferred, …')),
    priority: optional(whole('0 (highest) to 4')),
    issueType: optional(text('task, bug, feature, epic, chore, …')),
    addLabels: optional(list('Labels')),
    removeLabels: optional(list('Labels')),
    parentId: optional(text('Issue that it belongs under')),
    dependsOn: optional(list('Issues that must be done first')),
    dependencyType: optional(choice(['blocks', 'related', 'discovered-from'], 'Of dependsOn, default blocks')),
    dir: dir(),
  },
  async run({ id, create, comment, dependsOn, dependencyType, dir: folder, ...fields }, { host, client, toolUseId }) {
    const at = scope(host, folder)
    const edges = (dependsOn ?? []).map((dependsOnId) => ({ dependsOnId, type: dependencyType ?? 'blocks' }))
    if (create === true) {
      const { addLabels, removeLabels: _, appendNotes, title = '', ...rest } = fields
      const input: Inputs['issues']['create'] = { ...at, ...rest, title, dependencies: edges }
      if (addLabels) input.labels = addLabels
      if (appendNotes !== undefined) input.notes = appendNotes
      const key =
        host.sessionId !== null && toolUseId !== null ? { idempotencyKey: `mcp ${host.sessionId} ${toolUseId}` } : {}
      const made = await client.issues.create(input, key)
      return [`Created: ${issueLine(made.issue)}`, ...said(made.notices)].join('\n')
    }
    const ref = id ?? ''
    let { issue, notices } = await client.issues.update(ref, { ...at, ...fields })
    for (const edge of edges) ({ issue } = await client.issues.addDependency(ref, { ...at, ...edge }))
    if (comment !== undefined) ({ issue } = await client.issues.comment(ref, { ...at, text: comment }))
    return [`Updated: ${issueLine(issue)}`, ...said(notices)].join('\n')
  },
})

export const closeIssue = defineTool({
  name: 'close-issue',
  description: 'Closes an issue that is done. Refused while something open blocks it.',
  callers: CALLER_KINDS,
  input: { id: text('Issue id'), reason: optional(text('What was done, or why not')), dir: dir() },
  async run({ id, reason, dir: folder }, { host, client }) {
    const at = scope(host, folder)
    const { issue, notices } = await client.issues.close(id, { ...at, ...(reason !== undefined && { reason }) })
    return [`Closed: ${issueLine(issue)}`, ...said(notices)].join('\n')
  },
})
