import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useState } from 'react'
import type { AgentCli } from '#domain/harness/agent-cli'
import { TASK_LIMITS } from '#domain/task/task-limits'
import { Dialog } from '../../../components/ui/dialog'
import { Select } from '../../../components/ui/field'
import { CommandLine } from '../../../components/ui/id-chip'
import { Money } from '../../../components/ui/money'
import { WordsForm } from '../../../components/words-form'
import { client } from '../../../lib/api'
import { shortCount } from '../../../lib/format'
import { taskPath, useGo } from '../../../lib/links'
import { visibleText } from '../../../lib/visible-text'

/** Default message to an interrupted agent. */
const RESUME_MESSAGE =
  'You were interrupted in the middle of your work. Check what is already done, then continue until the work is finished.'

interface ResumeDialogProps {
  sessionId: string
  /** Command that continues in a terminal; `null` if it is not known. */
  command: string | null
  /** The session's own agent CLI; `null` = it can't run. Left out: the session goes on in its own. */
  own?: AgentCli | null
  /** Others in which it can continue. */
  others?: readonly AgentCli[]
  onClose(): void
}

/** Resumes a conversation that has no process, by a task for a worker. */
export function ResumeDialog({ sessionId, command, own, others = [], onClose }: ResumeDialogProps) {
  const go = useGo()
  const choices = own ? [own, ...others] : others
  const [chosen, setChosen] = useState(choices[0]?.name)
  const isOther = chosen !== undefined && chosen !== own?.name
  const title = choices.find(({ name }) => name === chosen)?.title ?? ''
  const { data } = useQuery({
    queryKey: ['session', sessionId, 'replay'],
    queryFn: ({ signal }) => client.sessions.replay(sessionId, { signal }),
  })
  const send = async (text: string, idempotencyKey: string) => {
    const { task } = await client.sessions.resume(
      sessionId,
      { asTask: true, text, ...(isOther && { agentClis: [chosen] }) },
      { idempotencyKey },
    )
    onClose()
    if (task !== null) go(taskPath(task.id))
  }
  return (
    <Dialog title={isOther ? `Continue in ${visibleText(title)}` : 'Resume as a task'} onClose={onClose}>
      {choices.length < 2 ? null : (
        <div className="pb-3">
          <Select label="Agent CLI" value={chosen} onChange={(event) => setChosen(event.target.value)}>
            {choices.map(({ name, title: words }) => (
              <option key={name} value={name}>
                {visibleText(words)}
              </option>
            ))}
          </Select>
        </div>
      )}
      {data === undefined || data.replay === null ? null : (
        <p className="pb-3 text-xs text-ink-3">
          It reads about {shortCount(data.replay.tokens)} tokens again
          {data.replay.costUsd === null ? null : (
            <>
              {' '}
              (<Money cost={{ ...data.replay, isEstimate: true }} /> where its prompt cache is over)
            </>
          )}
          .
        </p>
      )}
      <WordsForm
        label="Message to the agent"
        initial={RESUME_MESSAGE}
        hint={`${
          isOther
            ? 'A worker continues in a new session of that agent CLI, in the same folder: with the conversation translated, or with a summary of it.'
            : 'A worker continues the same conversation in the same folder.'
        } The answer appears on the task’s page.`}
        limit={TASK_LIMITS.text}
        button={{ label: isOther ? 'Continue' : 'Resume', icon: <Play aria-hidden size={13} /> }}
        send={send}
      />
      {command === null ? null : (
        <div className="flex flex-col gap-1 pt-4 text-xs text-ink-3">
          Or continue it yourself in a terminal:
          <CommandLine command={command} />
        </div>
      )}
    </Dialog>
  )
}
