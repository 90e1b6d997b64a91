import { CircleCheck, ListChecks, RotateCcw } from 'lucide-react'
import { useCallback, useMemo, useRef } from 'react'
import type { ShownIssue } from '../../lib/issue-edit'
import { type IssuePageSearch, type IssueText, issuePagePath } from '../../lib/issue-page-search'
import { type IssueDetail, isOver } from '../../lib/issue-query'
import { type KeyBinding, useKeys } from '../../lib/keys'
import { useGo } from '../../lib/links'
import { visibleText } from '../../lib/visible-text'
import { Link } from '../link'
import { PageHead } from '../page-head'
import { AgentText } from '../ui/agent-text'
import { Button } from '../ui/button'
import { IdChip } from '../ui/id-chip'
import { KeyHint } from '../ui/key-hint'
import { Panel } from '../ui/panel'
import { Status } from '../ui/status'
import { When } from '../ui/when'
import { EditableText } from './editable-text'
import { IssueComments } from './issue-comments'
import { IssueFields } from './issue-fields'
import { pathTo } from './issue-grid'
import { IssueHistory } from './issue-history'
import { IssueLinks } from './issue-links'
import { IssueWork } from './issue-work'
import { PriorityMark, TypeMark } from './marks'
import { useIssueDialogs } from './use-issue-dialogs'

const TEXTS: readonly (readonly [field: IssueText, label: string])[] = [
  ['description', 'Description'],
  ['design', 'Design'],
  ['acceptanceCriteria', 'Acceptance criteria'],
  ['notes', 'Notes'],
]

interface IssueDetailsProps {
  detail: IssueDetail
  search: IssuePageSearch
  /** The last look at it failed. */
  isOld: boolean
}

export function IssueDetails({ detail, search, isOld }: IssueDetailsProps) {
  const { issue, path, isInFile } = detail
  const dir = search.project ?? (path === null ? undefined : path.split('/').slice(0, -2).join('/'))
  const shown: ShownIssue = { detail, dir, project: search.project }
  const go = useGo()
  const onEdit = useCallback(
    (field: IssueText | undefined) => {
      const { edit: _, ...rest } = search
      go(issuePagePath(issue.id, field === undefined ? rest : { ...rest, edit: field }), { replace: true })
    },
    [go, issue.id, search],
  )
  const latest = useRef({ issue, onEdit })
  latest.current = { issue, onEdit }
  const read = useCallback(() => latest.current.issue, [])
  const dialogs = useIssueDialogs(dir, read)
  const bindings = useMemo(
    (): KeyBinding[] => [
      {
        keys: 'e',
        label: 'edit the description',
        group: 'Issue',
        opensField: true,
        run: () => latest.current.onEdit('description'),
      },
      {
        keys: 'E',
        label: 'edit the title',
        group: 'Issue',
        opensField: true,
        run: () => latest.current.onEdit('title'),
      },
    ],
    [],
  )
  useKeys(bindings)
  const isDone = isOver(issue)
  const text = (field: IssueText, label: string) => (
    <EditableText
      key={field}
      shown={shown}
      field={field}
      label={label}
      isEditing={search.edit === field}
      onEdit={(is) => onEdit(is ? field : undefined)}
    />
  )
  const there = TEXTS.filter(([field]) => field === 'description' || issue[field] !== '' || search.edit === field)
  const missing = TEXTS.filter((one) => !there.includes(one))
  return (
    <>
      <PageHead
        title={`${issue.id} ${visibleText(issue.title).slice(0, 80)}`}
        name={text('title', 'Title')}
        below={
          <>
            <Status status={issue.status} evidence={issue.isBlocked ? 'blocked by another' : null} />
            {issue.isBlocked && !isDone && issue.status !== 'blocked' ? <Status status="blocked" /> : null}
            <PriorityMark priority={issue.priority} />
            <TypeMark type={issue.issueType} />
            <IdChip id={issue.id} />
            {issue.parentId === null ? null : (
              <span>
                part of{' '}
                <Link to={pathTo(issue.parentId, search.project)} className="underline">
                  {issue.parentId}
                </Link>
              </span>
            )}
            <span>
              written <When at={issue.createdAt} />
              {issue.createdBy === null ? '' : ` by ${visibleText(issue.createdBy)}`}
            </span>
            <span>
              changed <When at={issue.updatedAt} />
            </span>
            {dir === undefined ? null : <span className="min-w-0 truncate font-mono text-2xs">{dir}</span>}
          </>
        }
        actions={
          <>
            <Button icon={<ListChecks aria-hidden size={13} />} onClick={() => dialogs.openDispatch(issue)}>
              Dispatch <KeyHint keys="t" />
            </Button>
            <Button
              icon={isDone ? <RotateCcw aria-hidden size={13} /> : <CircleCheck aria-hidden size={13} />}
              onClick={() => dialogs.openClose(issue)}
            >
              {isDone ? 'Open again' : 'Close'} <KeyHint keys="x" />
            </Button>
          </>
        }
      />
      {isOld ? <Note text="The last look at it failed: what you see may be old." /> : null}
      {isInFile ? null : <Note text="The project’s file has it no longer. Whoever changes it brings it back." />}
      <div className="scrolls min-h-0 flex-1" data-testid="issue-page">
        <div className="mx-auto grid max-w-6xl gap-x-6 gap-y-4 p-4 max-md:p-3 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr]">
          <div className="flex min-w-0 flex-col gap-4">
            {isDone && issue.closeReason !== null && issue.closeReason !== '' ? (
              <p className="text-sm">
                <span className="text-ink-3">Closed: </span>
                <AgentText text={issue.closeReason} />
              </p>
            ) : null}
            {there.map(([field, label]) => text(field, label))}
            {missing.length === 0 ? null : (
              <div className="flex flex-wrap gap-1">
                {missing.map(([field, label]) => (
                  <Button key={field} look="quiet" onClick={() => onEdit(field)}>
                    Add {label.toLowerCase()}
                  </Button>
                ))}
              </div>
            )}
          </div>
          <div className="flex min-w-0 flex-col gap-3 lg:row-span-2">
            <Panel title="Fields" id="fields">
              <div className="px-3 py-1.5">
                <IssueFields shown={shown} onClose={() => dialogs.openClose(issue)} />
              </div>
            </Panel>
            <Panel title="Work" id="work">
              <div className="px-3 py-2">
                <IssueWork shown={shown} />
              </div>
            </Panel>
            <Panel title="Links" id="links">
              <div className="px-3 py-2">
                <IssueLinks key={issue.id} shown={shown} onNewChild={() => dialogs.openNew(issue.id)} />
              </div>
            </Panel>
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <IssueComments key={issue.id} shown={shown} />
            <IssueHistory shown={shown} />
          </div>
        </div>
      </div>
      {dialogs.element}
    </>
  )
}

const Note = ({ text }: { text: string }) => (
  <p role="status" className="border-b border-line px-4 py-1.5 text-xs tint-wait">
    {text}
  </p>
)
