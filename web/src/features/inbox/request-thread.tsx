import { useState } from 'react'
import { Link } from '../../components/link'
import { AgentLine, AgentText } from '../../components/ui/agent-text'
import { IdChip } from '../../components/ui/id-chip'
import { Status } from '../../components/ui/status'
import { When } from '../../components/ui/when'
import { taskPath } from '../../lib/links'
import { whoIs } from '../../lib/me'
import { visibleText } from '../../lib/visible-text'
import { type InboxRequest, type InboxTask, REPLY_WORDS } from './inbox-words'

/** The request with its tasks and replies. */
export function RequestThread({ request }: { request: InboxRequest }) {
  const { text, tasks, replies, followsUp } = request
  return (
    <>
      <section aria-label="Request text" className="rounded bg-sunken px-3 py-2">
        <FoldedText text={text} />
      </section>
      {followsUp === null ? null : (
        <section className="flex flex-col gap-1">
          <h3 className="text-xs font-semibold text-ink-3">Earlier in this thread</h3>
          <TaskLine task={followsUp} />
        </section>
      )}
      {tasks.length === 0 ? null : (
        <section className="flex flex-col gap-1">
          <h3 className="text-xs font-semibold text-ink-3">Tasks</h3>
          {tasks.map((task) => (
            <TaskLine key={task.taskId} task={task} />
          ))}
        </section>
      )}
      {replies.length === 0 ? null : (
        <section className="flex flex-col gap-1.5">
          <h3 className="text-xs font-semibold text-ink-3">Replies</h3>
          <ul className="flex flex-col gap-1.5">
            {replies.map(({ id, author, text: words, status, error, createdAt }) => (
              <li key={id} className="border-l-2 border-line-strong pl-2.5 text-sm">
                <AgentText text={words} />
                <p className="flex flex-wrap gap-x-2 text-xs text-ink-3">
                  <span>{visibleText(whoIs(author))}</span>
                  <When at={createdAt} />
                  <span className={status === 'failed' ? 'text-fail' : ''}>{REPLY_WORDS[status]}</span>
                  {error === null ? null : <AgentText text={error} />}
                </p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

/** Letters of a request that are shown at once, so that what can be done about it stays near. */
const FIRST_LETTERS = 1_200

/** A long text begins folded: the dialog scrolls, and a second scrollbar in it would catch the wheel. */
function FoldedText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  const isLong = text.length > FIRST_LETTERS + 200
  return (
    <>
      <AgentText text={isLong && !isWhole ? `${text.slice(0, FIRST_LETTERS)} …` : text} className="text-sm" />
      {isLong ? (
        <button
          type="button"
          onClick={() => setWhole(!isWhole)}
          className="ml-1 rounded-sm px-1 text-xs text-accent underline"
        >
          {isWhole ? 'Show less' : `Show all (${text.length.toLocaleString('en')} characters)`}
        </button>
      ) : null}
    </>
  )
}

function TaskLine({ task: { taskId, title, status } }: { task: InboxTask }) {
  return (
    <p className="flex min-w-0 items-baseline gap-2 text-sm">
      <Status status={status} />
      <Link to={taskPath(taskId)} className="min-w-0 flex-1">
        <AgentLine text={title} />
      </Link>
      <IdChip id={taskId} />
    </p>
  )
}
