import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../../lib/api'
import type { ShownIssue } from '../../lib/issue-edit'
import { detailKey, type IssueDetail, scopeOf } from '../../lib/issue-query'
import { drop, keep, readKept } from '../../lib/task-draft'
import { visibleText } from '../../lib/visible-text'
import { Button } from '../ui/button'
import { ErrorLine } from '../ui/error-card'
import { TextArea } from '../ui/field'
import { KeyHint } from '../ui/key-hint'
import { AgentMarkdown } from '../ui/markdown'
import { When } from '../ui/when'
import { submitOnModEnter } from './submit-key'

/** Of longer talks the newest are shown first. */
const SHOWN = 50

/** What people and agents said about it, oldest first, and a field for more. */
export function IssueComments({ shown }: { shown: ShownIssue }) {
  const { comments } = shown.detail.issue
  const [isAll, setAll] = useState(comments.length <= SHOWN)
  const listed = isAll ? comments : comments.slice(-SHOWN)
  return (
    <section aria-labelledby="comments" className="flex flex-col gap-2">
      <h2 id="comments" className="text-xs font-semibold text-ink-3">
        Comments {comments.length > 0 ? <span className="font-normal">{comments.length}</span> : null}
      </h2>
      {isAll ? null : (
        <Button look="quiet" className="self-start" onClick={() => setAll(true)}>
          Show the {comments.length - SHOWN} before
        </Button>
      )}
      <ul className="flex flex-col">
        {listed.map(({ id, author, text, createdAt }) => (
          <li key={id} className="border-b border-line py-1.5">
            <p className="flex items-baseline gap-2 text-xs text-ink-3">
              <span className="font-medium text-ink-2">{visibleText(author)}</span>
              <When at={createdAt} />
            </p>
            <div className="max-w-prose text-sm">
              <AgentMarkdown text={text} />
            </div>
          </li>
        ))}
      </ul>
      <NewComment shown={shown} />
    </section>
  )
}

function NewComment({ shown: { detail, dir, project } }: { shown: ShownIssue }) {
  const { id } = detail.issue
  const kept = `lodeline.comment.${id}`
  const [text, setText] = useState(() => readKept(kept) ?? '')
  const queries = useQueryClient()
  const put = (next: string) => {
    setText(next)
    if (next === '') drop(kept)
    else keep(kept, next)
  }
  const send = useMutation({
    mutationFn: (said: string) => client.issues.comment(id, { ...scopeOf(dir), text: said }),
    onSuccess: ({ issue }) => {
      put('')
      queries.setQueryData<IssueDetail>(detailKey(id, project), (before) => before && { ...before, issue })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '' && !send.isPending) send.mutate(text)
  }
  return (
    <form onSubmit={submit} className="flex max-w-prose flex-col items-start gap-1.5">
      <div className="w-full">
        <TextArea
          label="New comment"
          isLabelHidden
          placeholder="Say something about it (Markdown)"
          rows={text === '' ? 2 : 5}
          value={text}
          onKeyDown={submitOnModEnter}
          onChange={(event) => put(event.target.value)}
        />
      </div>
      <ErrorLine error={send.error} />
      {text.trim() === '' ? null : (
        <Button type="submit" look="main" isBusy={send.isPending}>
          Comment <KeyHint keys="Mod+Enter" />
        </Button>
      )}
    </form>
  )
}
