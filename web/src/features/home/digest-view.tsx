import { useQuery } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { useState } from 'react'
import type { Answers } from '#api/contract/operations/index'
import { digestMarkdown } from '#domain/overview/digest'
import { Link } from '../../components/link'
import { AgentText } from '../../components/ui/agent-text'
import { Button } from '../../components/ui/button'
import { CliName } from '../../components/ui/cli-name'
import { Empty, Loading } from '../../components/ui/empty'
import { ErrorCard } from '../../components/ui/error-card'
import { Money } from '../../components/ui/money'
import { Panel } from '../../components/ui/panel'
import { When } from '../../components/ui/when'
import { client } from '../../lib/api'
import { copyText } from '../../lib/clipboard'
import { counted, dollars } from '../../lib/format'
import { sessionPath, taskPath } from '../../lib/links'
import { visibleText } from '../../lib/visible-text'

type Digest = Answers['digest']
type Project = Digest['projects'][number]

/** What was done, failed, changed and spent by repository, against the usual. @param since  ISO 8601 */
export function DigestView({ since, agent }: { since: string; agent: string | undefined }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['overview', 'digest', since, agent ?? null],
    queryFn: ({ signal }) => client.digest({ since, agent }, { signal }),
  })
  if (data === undefined)
    return (
      <div className="p-4">
        {error === null ? (
          <Loading what="Reading what went on" />
        ) : (
          <ErrorCard error={error} onRetry={() => void refetch()} />
        )}
      </div>
    )
  return (
    <section aria-label="Since you left" className="flex max-w-4xl flex-col gap-3 p-3 md:p-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <p data-testid="digest-total" className="min-w-0 flex-1">
          Since <When at={data.since} />: {data.total.done} done, {data.total.failed} failed,{' '}
          {counted(data.total.edits, 'file change')}, <Spent cost={data.total} usualUsd={data.total.usualUsd} />
        </p>
        <CopyMarkdown digest={data} />
      </header>
      {data.projects.length === 0 ? <Empty title="Nothing went on in this time." /> : null}
      {data.projects.map((project) => (
        <ProjectPart key={project.name ?? ''} project={project} />
      ))}
    </section>
  )
}

function CopyMarkdown({ digest }: { digest: Digest }) {
  const [said, setSaid] = useState('Copy as Markdown')
  const time = (iso: string): string => new Date(iso).toLocaleString('en-GB')
  const text = () =>
    digestMarkdown(digest, {
      time,
      money: (usd, isEstimate) => (usd === null ? 'cost unknown' : dollars(usd, isEstimate)),
    })
  return (
    <Button
      icon={<Copy aria-hidden size={13} />}
      onClick={() => void copyText(text()).then((is) => setSaid(is ? 'Copied' : 'The browser did not allow it'))}
    >
      {said}
    </Button>
  )
}

const Spent = ({ cost, usualUsd }: { cost: Parameters<typeof Money>[0]['cost']; usualUsd: number | null }) => (
  <>
    <Money cost={cost} />
    {usualUsd === null ? null : <span className="text-ink-3"> (usually {dollars(usualUsd, false)})</span>}
  </>
)

function ProjectPart({ project }: { project: Project }) {
  const { name, done, failed, more, needs, edits, cost, usualUsd } = project
  const id = `digest-${name ?? 'none'}`
  return (
    <Panel
      id={id}
      title={name === null ? 'No project' : visibleText(name)}
      aside={
        <span className="text-xs text-ink-2">
          {needs === 0 ? null : <>{needs === 1 ? '1 needs you' : `${needs} need you`}, </>}
          {edits === 0 ? null : <>{counted(edits, 'file change')}, </>}
          <Spent cost={cost} usualUsd={usualUsd} />
        </span>
      }
    >
      <Items title="Done" items={done} />
      <Items title="Failed" items={failed} />
      {more === 0 ? null : <p className="px-3 py-1.5 text-xs text-ink-3">And {more} more.</p>}
    </Panel>
  )
}

function Items({ title, items }: { title: string; items: Project['done'] }) {
  if (items.length === 0) return null
  return (
    <section aria-label={title} className="px-3 py-2">
      <h3 className={`text-xs font-semibold ${title === 'Failed' ? 'text-fail' : 'text-done'}`}>{title}</h3>
      <ul className="flex flex-col gap-1 text-sm">
        {items.map(({ title: name, text, taskId, sessionId, agentCli, at }) => (
          <li key={`${taskId} ${sessionId} ${at}`}>
            <Link to={taskId !== null ? taskPath(taskId) : sessionPath(sessionId ?? '')} className="font-medium">
              <AgentText text={name} />
            </Link>
            <CliName name={agentCli} className="ml-2 text-xs text-ink-3" />
            {text === null || text === name ? null : (
              <span className="text-ink-2">
                {' '}
                <AgentText text={text} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
