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
      <section
        aria-label="Request text"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled with the keys
        tabIndex={0}
        className="max-h-60 overflow-y-auto rounded bg-sunken px-3 py-2"
      >
        <AgentText text={text} className="text-sm" />
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
