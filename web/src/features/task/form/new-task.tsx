import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Task } from '#domain/task/task'
import { Button } from '../../../components/ui/button'
import { Dialog } from '../../../components/ui/dialog'
import { ErrorLine } from '../../../components/ui/error-card'
import { KeyHint } from '../../../components/ui/key-hint'
import { client } from '../../../lib/api'
import { type KeyBinding, useKeys } from '../../../lib/keys/keys'
import { foldersOf } from './known-folders'
import { type KnownNames, NewTaskFields } from './new-task-fields'
import { draftKey, drop, keepDraft, keepFolder, readDraft } from './task-draft'
import { EMPTY_TASK, type FieldProblems, refusedFields, type TaskForm, taskRequest } from './task-form'

interface NewTaskProps {
  onClose(): void
  onCreated(task: Task): void
  /** ID of the parent task. */
  parent?: string
  /** ID of the issue. */
  issue?: string
  /** Initial values of other fields. A draft of the same parent and issue takes precedence. */
  start?: Partial<TaskForm>
}

/** Creates a task. The draft is stored until it is sent, even if the dialog or the page is closed. */
export function NewTask({ onClose, onCreated, parent = '', issue = '', start }: NewTaskProps) {
  const key = draftKey(parent, issue)
  const [form, setForm] = useState(() => readDraft(key, { ...start, parent, issue }))
  const [problems, setProblems] = useState<FieldProblems>({})
  const sending = useRef<{ request: string; key: string } | null>(null)
  const create = useMutation({
    mutationFn: (request: Parameters<typeof client.tasks.create>[0]) => {
      const text = JSON.stringify(request)
      // A retry of the same request is the same task, because a response may have been lost.
      if (sending.current?.request !== text) sending.current = { request: text, key: crypto.randomUUID() }
      return client.tasks.create(request, { idempotencyKey: sending.current.key })
    },
    onSuccess: ({ task }) => {
      drop(key)
      if (parent === '' && form.dir.trim() !== '') keepFolder(form.dir.trim())
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
          label: 'create the task',
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
      title={parent === '' ? 'New task' : `New child task of ${parent}`}
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
            Create task <KeyHint keys="Mod+Enter" />
          </Button>
        </>
      }
    >
      <NewTaskFields form={form} problems={problems} change={change} known={useKnown()} />
      <FirstProblem problems={problems} />
    </Dialog>
  )
}

/** Focuses the first invalid field, which scrolls it into view. */
function FirstProblem({ problems }: { problems: FieldProblems }) {
  const mark = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (Object.keys(problems).length === 0) return
    mark.current?.closest('dialog')?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problems])
  return <span ref={mark} hidden />
}

/** Sessions whose folders are suggested. */
const MAX_SESSIONS = 200

/** Loads suggestions: folders of sessions, and workers. */
function useKnown(): KnownNames {
  const agents = useQuery({
    queryKey: ['fleet', 'agents'],
    queryFn: ({ signal }) => client.agents.list({}, { signal }),
  })
  const sessions = useQuery({
    // Without a topic, so never refetched: folders change slowly and are only suggestions.
    queryKey: ['folders'],
    queryFn: async ({ signal }) => (await client.sessions.list({ limit: MAX_SESSIONS }, { signal })).sessions,
  })
  return useMemo(
    () => ({
      agents: agents.data?.agents ?? [],
      dirs: foldersOf(sessions.data ?? []),
    }),
    [agents.data, sessions.data],
  )
}
