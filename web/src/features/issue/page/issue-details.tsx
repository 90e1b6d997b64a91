import { CircleCheck, ListChecks, RotateCcw } from 'lucide-react'
import { useCallback, useMemo, useRef } from 'react'
import { Link } from '../../../components/link'
import { FieldsOf } from '../../../components/may'
import { PageHead } from '../../../components/page-head'
import { AgentText } from '../../../components/ui/agent-text'
import { Button } from '../../../components/ui/button'
import { IdChip } from '../../../components/ui/id-chip'
import { KeyHint } from '../../../components/ui/key-hint'
import { Panel } from '../../../components/ui/panel'
import { Status } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { type KeyBinding, useKeys } from '../../../lib/keys/keys'
import { issuePathIn, useGo } from '../../../lib/links'
import { visibleText } from '../../../lib/visible-text'
import { type IssueDetail, isOver } from '../issue-query'
import { PriorityMark, TypeMark } from '../marks'
import { type IssueDialogs, useIssueDialogs } from '../use-issue-dialogs'
import { EditableText } from './editable-text'
import { IssueComments } from './issue-comments'
import type { ShownIssue } from './issue-edit'
import { IssueFields } from './issue-fields'
import { IssueHistory } from './issue-history'
import { IssueLinks } from './issue-links'
import { type IssuePageSearch, type IssueText, issuePagePath } from './issue-page-search'
import { IssueWork } from './issue-work'

/** The texts of an issue below its title, in display order. */
const TEXTS: readonly (readonly [field: IssueText, label: string])[] = [
  ['description', 'Description'],
  ['design', 'Design'],
  ['acceptanceCriteria', 'Acceptance criteria'],
  ['notes', 'Notes'],
]

interface IssueDetailsProps {
  detail: IssueDetail
  search: IssuePageSearch
  /** Whether the last refresh failed. */
  isOld: boolean
}

/** The page of an issue. */
export function IssueDetails({ detail, search, isOld }: IssueDetailsProps) {
  const { issue, path, isInFile } = detail
  const dir = search.project ?? (path === null ? undefined : path.split('/').slice(0, -2).join('/'))
  const shown: ShownIssue = { detail, dir, project: search.project }
  const onEdit = useTextEditing(issue.id, search)
  const latest = useRef(issue)
  latest.current = issue
  const read = useCallback(() => [latest.current], [])
  const dialogs = useIssueDialogs(dir, read)
  return (
    <>
      <IssueHead shown={shown} edited={search.edit} onEdit={onEdit} dialogs={dialogs} />
      {isOld ? <Note text="Couldn’t refresh. This may be out of date." /> : null}
      {isInFile ? null : <Note text="This issue is no longer in the project’s file. Editing it here adds it back." />}
      <div className="scrolls min-h-0 flex-1" data-testid="issue-page">
        <div className="grid max-w-6xl gap-x-6 gap-y-4 p-4 max-md:p-3 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr]">
          <Texts shown={shown} edited={search.edit} onEdit={onEdit} />
          <Panels shown={shown} dialogs={dialogs} />
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

/** Opens or closes the editor of a text; `undefined` closes it. */
type OnEdit = (field: IssueText | undefined) => void

/** Edits texts of the issue: the address names the edited one. Binds the shortcuts that start editing. */
function useTextEditing(id: string, search: IssuePageSearch): OnEdit {
  const go = useGo()
  const onEdit = useCallback(
    (field: IssueText | undefined) => {
      const { edit: _, ...rest } = search
      go(issuePagePath(id, field === undefined ? rest : { ...rest, edit: field }), { replace: true })
    },
    [go, id, search],
  )
  const latest = useRef(onEdit)
  latest.current = onEdit
  useKeys(
    useMemo((): KeyBinding[] => {
      const bind = (keys: string, label: string, field: IssueText): KeyBinding => ({
        keys,
        act: 'issues.update',
        label,
        group: 'Issue',
        opensField: true,
        run: () => latest.current(field),
      })
      return [bind('e', 'edit the description', 'description'), bind('E', 'edit the title', 'title')]
    }, []),
  )
  return onEdit
}

interface TextsProps {
  shown: ShownIssue
  /** The text that is being edited. */
  edited: IssueText | undefined
  onEdit: OnEdit
}

/** One text of the issue, shown or edited. */
function Text({ shown, edited, onEdit, field, label }: TextsProps & { field: IssueText; label: string }) {
  return (
    <EditableText
      shown={shown}
      field={field}
      label={label}
      isEditing={edited === field}
      onEdit={(is) => onEdit(is ? field : undefined)}
    />
  )
}

function IssueHead({ dialogs, ...texts }: TextsProps & { dialogs: IssueDialogs }) {
  const { issue } = texts.shown.detail
  const isDone = isOver(issue)
  return (
    <PageHead
      title={`${issue.id} ${visibleText(issue.title).slice(0, 80)}`}
      name={<Text {...texts} field="title" label="Title" />}
      below={<HeadFacts shown={texts.shown} />}
      actions={
        <>
          <Button
            act="issues.dispatch"
            icon={<ListChecks aria-hidden size={13} />}
            onClick={() => dialogs.openDispatch(issue)}
          >
            Dispatch <KeyHint keys="t" />
          </Button>
          <Button
            act="issues.close"
            icon={isDone ? <RotateCcw aria-hidden size={13} /> : <CircleCheck aria-hidden size={13} />}
            onClick={() => dialogs.openClose(issue)}
          >
            {isDone ? 'Reopen' : 'Close'} <KeyHint keys="x" />
          </Button>
        </>
      }
    />
  )
}

/** Status, parent and times of the issue, below its title. */
function HeadFacts({ shown: { detail, dir, project } }: { shown: ShownIssue }) {
  const { issue } = detail
  return (
    <>
      <Status status={issue.status} evidence={issue.isBlocked ? 'blocked by another issue' : null} />
      {issue.isBlocked && !isOver(issue) && issue.status !== 'blocked' ? <Status status="blocked" /> : null}
      <PriorityMark priority={issue.priority} />
      <TypeMark type={issue.issueType} />
      <IdChip id={issue.id} />
      {issue.parentId === null ? null : (
        <span>
          child of{' '}
          <Link to={issuePathIn(issue.parentId, project)} className="underline">
            {issue.parentId}
          </Link>
        </span>
      )}
      <span>
        created <When at={issue.createdAt} />
        {issue.createdBy === null ? '' : ` by ${visibleText(issue.createdBy)}`}
      </span>
      <span>
        changed <When at={issue.updatedAt} />
      </span>
      {dir === undefined ? null : <span className="min-w-0 truncate font-mono text-2xs">{dir}</span>}
    </>
  )
}

/** The texts below the title, and buttons that add the missing ones. */
function Texts(texts: TextsProps) {
  const { shown, edited, onEdit } = texts
  const { issue } = shown.detail
  const there = TEXTS.filter(([field]) => field === 'description' || issue[field] !== '' || edited === field)
  const missing = TEXTS.filter((one) => !there.includes(one))
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {isOver(issue) && issue.closeReason !== null && issue.closeReason !== '' ? (
        <p className="text-sm">
          <span className="text-ink-3">Closed: </span>
          <AgentText text={issue.closeReason} />
        </p>
      ) : null}
      {there.map(([field, label]) => (
        <Text key={field} {...texts} field={field} label={label} />
      ))}
      {missing.length === 0 ? null : (
        <div className="flex flex-wrap gap-1">
          {missing.map(([field, label]) => (
            <Button key={field} act="issues.update" look="quiet" onClick={() => onEdit(field)}>
              Add {label.toLowerCase()}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}

/** Fields, work and links, beside the texts on wide pages. */
function Panels({ shown, dialogs }: { shown: ShownIssue; dialogs: IssueDialogs }) {
  const { issue } = shown.detail
  return (
    <div className="flex min-w-0 flex-col gap-3 lg:row-span-2">
      <Panel title="Fields" id="fields">
        <div className="px-3 py-1.5">
          <FieldsOf act="issues.update">
            <IssueFields shown={shown} onClose={() => dialogs.openClose(issue)} />
          </FieldsOf>
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
  )
}

const Note = ({ text }: { text: string }) => (
  <p role="status" className="border-b border-line px-4 py-1.5 text-xs tint-wait">
    {text}
  </p>
)
