import { useState } from 'react'
import type { IssueGraph } from '../../lib/issue-graph'
import { visibleText } from '../../lib/visible-text'
import { Link } from '../link'
import { Button } from '../ui/button'
import { Status } from '../ui/status'
import { edgeWords } from './graph-edges'
import { pathTo } from './issue-grid'

const FIRST = 200

/** The same graph as words, an edge each. */
export function GraphTable({ graph, project }: { graph: IssueGraph; project: string | undefined }) {
  const [shown, setShown] = useState(FIRST)
  const byId = new Map<string, IssueGraph['nodes'][number]>(graph.nodes.map((issue) => [issue.id, issue]))
  const cell = (id: string) => {
    const issue = byId.get(id)
    return (
      <span className="flex min-w-0 items-baseline gap-1.5">
        {issue === undefined ? null : <Status status={issue.status} isSmall />}
        <Link to={pathTo(id, project)} className="min-w-0">
          <span className="font-mono text-2xs text-ink-3">{id}</span> {visibleText(issue?.title ?? '')}
        </Link>
      </span>
    )
  }
  return (
    <div className="scrolls min-h-0 flex-1 px-4 py-2 max-md:px-3">
      <table className="w-full text-left text-sm">
        <caption className="sr-only">What needs what</caption>
        <thead className="text-xs text-ink-3">
          <tr>
            <th scope="col" className="py-1 font-normal">
              Issue
            </th>
            <th scope="col" className="w-28 py-1 font-normal">
              Relation
            </th>
            <th scope="col" className="py-1 font-normal">
              Other issue
            </th>
          </tr>
        </thead>
        <tbody>
          {graph.edges.slice(0, shown).map(({ from, to, type, kind }) => (
            <tr key={`${from} ${to} ${type}`} className="border-t border-line align-top">
              <td className="py-1 pr-2">{cell(to)}</td>
              <td className="py-1 pr-2 text-xs text-ink-2" title={visibleText(type)}>
                {edgeWords(kind)}
              </td>
              <td className="py-1">{cell(from)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {graph.edges.length > shown ? (
        <Button className="my-2" onClick={() => setShown(shown + 1_000)}>
          Show more of {graph.edges.length.toLocaleString('en')}
        </Button>
      ) : null}
    </div>
  )
}
