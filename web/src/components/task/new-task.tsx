import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Task } from '../../../../src/domain/task'
import { client } from '../../lib/api'
import { type KeyBinding, useKeys } from '../../lib/keys'
import { draftKey, drop, keepDraft, readDraft } from '../../lib/task-draft'
import { EMPTY_TASK, type FieldProblems, refusedFields, type TaskForm, taskRequest } from '../../lib/task-form'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { ErrorLine } from '../ui/error-card'
import { KeyHint } from '../ui/key-hint'
import { type KnownNames, NewTaskFields } from './new-task-fields'

interface NewTaskProps {
  onClose(): void
  onCreated(task: Task): void
  /** The task that it follows up. */
  parent?: string
  /** The issue that it serves. */
  issue?: string
  /** What stands in other fields at first. A draft of the same parent and issue goes before it. */
  start?: Partial<TaskForm>
}

/** Makes a task. What is typed is kept until it is sent, also when the dialog or the page is closed by accident. */
export function NewTask({ onClose, onCreated, parent = '', issue = '', start }: NewTaskProps) {
  const key = draftKey(parent, issue)
  const [form, setForm] = useState(() => readDraft(key, { ...start, parent, issue }))
  const [problems, setProblems] = useState<FieldProblems>({})
  const sending = useRef<{ request: string; key: string } | null>(null)
  const create = useMutation({
    mutationFn: (request: Parameters<typeof client.tasks.create>[0]) => {
      const text = JSON.stringify(request)
      // The same words again are the same task: an answer may have been lost. Other words are another one.
      if (sending.current?.request !== text) sending.current = { request: text, key: crypto.randomUUID() }
      return client.tasks.create(request, { idempotencyKey: sending.current.key })
    },
    onSuccess: ({ task }) => {
      drop(key)
      onCreated(task)
    },
    onError: (error) => setProblems(refusedFields(error)),
  })
  const { mutate, isPending, error } = create

  const change = (next: Partial<TaskForm>) => {
    const typed = { ...form, ...next }
    setForm(typed)
    keepDraft(key, typed)
    setProblems((now) => Object.fromEntries(Object.entries(now).filter(([name]) => !(name in next))))
  }
  const clear = () => {
    drop(key)
    setForm({ ...EMPTY_TASK, ...start, parent, issue })
    setProblems({})
    create.reset()
  }
  const send = () => {
    if (isPending) return
    const made = taskRequest(form)
    setProblems('problems' in made ? made.problems : {})
    if ('request' in made) mutate(made.request)
  }
  const latest = useRef(send)
  latest.current = send
  useKeys(
    useMemo(
      (): KeyBinding[] => [
        {
          keys: 'Mod+Enter',
          label: 'make the task',
          group: 'New task',
          inFields: true,
          run: () => latest.current(),
        },
      ],
      [],
    ),
  )
  const isTold = error !== null && Object.keys(refusedFields(error)).length > 0
  return (
    <Dialog
      title={parent === '' ? 'New task' : `New task below ${parent}`}
      onClose={onClose}
      isWide
      foot={
        <>
          <div className="mr-auto min-w-0 flex-1 basis-full sm:basis-0">
            {isTold ? null : <ErrorLine error={error} />}
          </div>
          <Button look="quiet" onClick={clear}>
            Clear
          </Button>
          <Button onClick={onClose}>Close, keep the draft</Button>
          <Button look="main" isBusy={isPending} onClick={send}>
            Make the task <KeyHint keys="Mod+Enter" />
          </Button>
        </>
      }
    >
      <NewTaskFields form={form} problems={problems} change={change} known={useKnown()} />
      <FirstProblem problems={problems} />
    </Dialog>
  )
}

/** Brings the first field that is wrong into view, and the focus to it. */
function FirstProblem({ problems }: { problems: FieldProblems }) {
  const mark = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (Object.keys(problems).length === 0) return
    mark.current?.closest('dialog')?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problems])
  return <span ref={mark} hidden />
}

/** Folders and agents are asked for when the dialog opens. */
function useKnown(): KnownNames {
  const agents = useQuery({ queryKey: ['fleet', 'agents'], queryFn: ({ signal }) => client.agents.list({ signal }) })
  const sessions = useQuery({
    // Of no topic: the folders of a person's work change slowly, and are only offered.
    queryKey: ['folders'],
    queryFn: async ({ signal }) => (await client.sessions.list({ limit: 200 }, { signal })).sessions,
  })
  return useMemo(
    () => ({
      agents: agents.data?.agents ?? [],
      dirs: [...new Set(sessions.data?.flatMap(({ cwd }) => cwd ?? []) ?? [])].sort(),
    }),
    [agents.data, sessions.data],
  )
}
