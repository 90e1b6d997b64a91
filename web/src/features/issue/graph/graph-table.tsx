import { useState } from 'react'
import { Link } from '../../../components/link'
import { Button } from '../../../components/ui/button'
import { Status } from '../../../components/ui/status'
import { issuePathIn } from '../../../lib/links'
import { visibleText } from '../../../lib/visible-text'
import { edgeWords } from './graph-edges'
import type { IssueGraph } from './issue-graph'

/** Rows shown at first, and added by each click. */
const FIRST_ROWS = 200
const MORE_ROWS = 1_000

/** The graph as a table, one edge per row. */
export function GraphTable({ graph, project }: { graph: IssueGraph; project: string | undefined }) {
  const [shown, setShown] = useState(FIRST_ROWS)
  const byId = new Map<string, IssueGraph['nodes'][number]>(graph.nodes.map((issue) => [issue.id, issue]))
  const cell = (id: string) => {
    const issue = byId.get(id)
    return (
      <span className="flex min-w-0 items-baseline gap-1.5">
        {issue === undefined ? null : <Status status={issue.status} isSmall />}
        <Link to={issuePathIn(id, project)} className="min-w-0">
          <span className="font-mono text-2xs text-ink-3">{id}</span> {visibleText(issue?.title ?? '')}
        </Link>
      </span>
    )
  }
  return (
    <div className="scrolls min-h-0 flex-1 px-4 py-2 max-md:px-3">
      <table className="w-full text-left text-sm">
        <caption className="sr-only">Links between issues</caption>
        <thead className="text-xs text-ink-3">
          <tr>
            <th scope="col" className="py-1 font-normal">
              Issue
            </th>
            <th scope="col" className="w-28 py-1 font-normal">
              Link
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
        <Button className="my-2" onClick={() => setShown(shown + MORE_ROWS)}>
          Show more of {graph.edges.length.toLocaleString('en')}
        </Button>
      ) : null}
    </div>
  )
}
