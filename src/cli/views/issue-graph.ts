import type { Answers } from '../../api/contract/operations'
import { duration, plural } from '../print/measures'
import { fields, table } from '../print/table'
import { oneLine } from '../print/text'
import type { ViewSettings } from './session/session-views'

type TreeNode = Answers['issues']['tree']['nodes'][number]

/** Indented, with the edge that leads to each; what is shown at another place already, or lies too deep, ends in `...`. */
export function issueTree(nodes: readonly TreeNode[]): string {
  const children = new Map<string | null, TreeNode[]>()
  const [root] = nodes
  if (root === undefined) return ''
  for (const node of nodes.slice(1)) {
    const known = children.get(node.parentId)
    if (known === undefined) children.set(node.parentId, [node])
    else known.push(node)
  }
  const lines: string[] = []
  const shown = new Set<string>()
  const add = (node: TreeNode, depth: number): void => {
    const edge = node.edge === null || node.edge === 'blocks' ? '' : ` (${node.edge})`
    const what = node.isMissing ? 'missing' : `${node.status} P${node.priority}: ${node.title}`
    lines.push(`${'  '.repeat(depth)}${oneLine(`${node.id}${edge} ${what}`)}${node.isCut ? ' ...' : ''}\n`)
    if (node.isCut || shown.has(node.id)) return
    shown.add(node.id)
    for (const child of children.get(node.id) ?? []) add(child, depth + 1)
  }
  add(root, 0)
  return lines.join('')
}

export function statsText(stats: Answers['issues']['stats']): string {
  const counts = (of: Record<string, number>) =>
    Object.entries(of)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ') || '0'
  return fields([
    ['issues', String(stats.total)],
    ['by status', counts(stats.byStatus)],
    ['by type', counts(stats.byType)],
    ['by priority', counts(Object.fromEntries(Object.entries(stats.byPriority).map(([p, n]) => [`P${p}`, n])))],
    ['ready', String(stats.ready)],
    ['blocked', String(stats.blocked)],
    ['deferred', String(stats.deferred)],
    ['worked on', String(stats.claimed)],
    ['lead time', stats.leadTimeMs === null ? null : `${duration(stats.leadTimeMs)} on average`],
    ['epics to close', stats.epicsEligibleForClose === 0 ? null : String(stats.epicsEligibleForClose)],
  ])
}

export function epicProgressTable(epics: Answers['issues']['epics']['epics'], { columns }: ViewSettings): string {
  return table(
    epics,
    [
      { title: 'ID', cell: ({ epic }) => epic.id, max: 40 },
      { title: 'STATUS', cell: ({ epic }) => epic.status },
      { title: 'PRI', cell: ({ epic }) => `P${epic.priority}`, spare: 1 },
      { title: 'DONE', cell: (e) => `${e.closedChildren}/${e.totalChildren}`, align: 'right' },
      { title: 'CAN CLOSE', cell: (e) => (e.isEligibleForClose ? 'yes' : null), spare: 2 },
      { title: 'TITLE', cell: ({ epic }) => epic.title, max: 200, flexible: 16 },
    ],
    columns,
  )
}

/** What was taken over from a file. */
export function importText(outcome: Answers['issues']['import']): string {
  const { created, updated, unchangedCount, skipped, isDryRun } = outcome
  const older = skipped.length === 0 ? '' : `, ${plural(skipped.length, 'issue')} older than here and left alone`
  const counts = `${created.length} new, ${updated.length} changed, ${unchangedCount} as they were${older}`
  return `${isDryRun ? 'would be' : 'imported'}: ${counts}\n`
}
