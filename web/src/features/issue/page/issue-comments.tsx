import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { May } from '../../../components/may'
import { Button } from '../../../components/ui/button'
import { ErrorLine } from '../../../components/ui/error-card'
import { TextArea } from '../../../components/ui/field'
import { KeyHint } from '../../../components/ui/key-hint'
import { AgentMarkdown } from '../../../components/ui/markdown'
import { When } from '../../../components/ui/when'
import { client } from '../../../lib/api'
import { submitOnModEnter } from '../../../lib/keys/submit-key'
import { whoIs } from '../../../lib/me'
import { visibleText } from '../../../lib/visible-text'
import { drop, keep, readKept } from '../../task/form/task-draft'
import { detailKey, type IssueDetail, scopeOf } from '../issue-query'
import type { ShownIssue } from './issue-edit'

/** Comments shown at first; the newest of a longer discussion. */
const FIRST_SHOWN = 50

/** The comments, oldest first, and a field for a new one. */
export function IssueComments({ shown }: { shown: ShownIssue }) {
  const { comments } = shown.detail.issue
  const [isAll, setAll] = useState(comments.length <= FIRST_SHOWN)
  const listed = isAll ? comments : comments.slice(-FIRST_SHOWN)
  return (
    <section aria-labelledby="comments" className="flex flex-col gap-2">
      <h2 id="comments" className="text-xs font-semibold text-ink-3">
        Comments {comments.length > 0 ? <span className="font-normal">{comments.length}</span> : null}
      </h2>
      {isAll ? null : (
        <Button look="quiet" className="self-start" onClick={() => setAll(true)}>
          Show the {comments.length - FIRST_SHOWN} earlier comments
        </Button>
      )}
      <ul className="flex flex-col">
        {listed.map(({ id, author, text, createdAt }) => (
          <li key={id} className="border-b border-line py-1.5">
            <p className="flex items-baseline gap-2 text-xs text-ink-3">
              <span className="font-medium text-ink-2">{visibleText(whoIs(author))}</span>
              <When at={createdAt} />
            </p>
            <div className="max-w-prose text-sm">
              <AgentMarkdown text={text} />
            </div>
          </li>
        ))}
      </ul>
      <May act="issues.comment">
        <NewComment shown={shown} />
      </May>
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
          placeholder="Add a comment (Markdown)"
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
