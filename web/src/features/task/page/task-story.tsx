import type { Task } from '#domain/task/task'
import { AgentText } from '../../../components/ui/agent-text'
import { CommandLine } from '../../../components/ui/id-chip'
import { AgentMarkdown } from '../../../components/ui/markdown'
import { Status } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { failureAdvice } from '../task-words'
import { Folded } from './folded'
import { Section } from './section'

/** Failure, result, progress and instructions of a task. */
export function TaskStory({ task }: { task: Task }) {
  return (
    <>
      {task.failureReason === null && task.failureClass === null ? null : <Failure task={task} />}
      {task.output === null ? null : (
        <Section
          title={task.status === 'completed' ? 'Result' : 'Last output'}
          aside={task.finishedBy === null ? null : <span className="text-2xs text-ink-3">by {task.finishedBy}</span>}
        >
          <div className="text-sm">
            <Folded text={task.output} lines={40} characters={6_000}>
              {(shown) => <AgentMarkdown text={shown} />}
            </Folded>
          </div>
        </Section>
      )}
      {task.progress === null ? null : (
        <Section
          title="Progress"
          aside={
            <span className="text-2xs text-ink-3">
              <When at={task.progressAt ?? task.updatedAt} />
            </span>
          }
        >
          <div className="text-sm">
            <Folded text={task.progress}>{(shown) => <AgentMarkdown text={shown} />}</Folded>
          </div>
        </Section>
      )}
      <Section title="Instructions">
        <div className="text-sm">
          <Folded text={task.task}>{(shown) => <AgentText text={shown} />}</Folded>
        </div>
      </Section>
    </>
  )
}

function Failure({ task }: { task: Task }) {
  const advice = failureAdvice(task.failureClass, task.id)
  return (
    <Section title="Why it failed">
      <div className="flex flex-col items-start gap-1.5 text-sm">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <Status status="failed" evidence={task.failureClass} />
          {task.failureClass === null ? null : (
            <code className="rounded-sm bg-sunken px-1 font-mono text-xs">{task.failureClass}</code>
          )}
          {task.failureReason === null ? null : <AgentText text={task.failureReason} />}
        </p>
        {task.status === 'failed' ? (
          <>
            <p className="text-ink-2">{advice.text}</p>
            {advice.command === undefined ? null : <CommandLine command={advice.command} />}
          </>
        ) : null}
      </div>
    </Section>
  )
}
