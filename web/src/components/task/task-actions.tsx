import { useQueryClient } from '@tanstack/react-query'
import {
  Ban,
  CirclePause,
  CirclePlay,
  GitFork,
  type LucideIcon,
  MessageSquare,
  RotateCcw,
  Terminal,
} from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { FINAL_TASK_STATUSES } from '../../../../src/domain/task'
import { copyText } from '../../lib/clipboard'
import { errorOf, hold, isUnderWay, takeBack, useHeld } from '../../lib/held-moves'
import { type KeyBinding, useKeys } from '../../lib/keys'
import { taskOvertaken } from '../../lib/person-moves'
import { possibleMoves, type TaskMove, type TaskOpening, taskOpening } from '../../lib/task-actions'
import { type TaskDetail, useRelated } from '../../lib/task-queries'
import { HeldLine } from '../held-line'
import { Button } from '../ui/button'
import { ErrorLine } from '../ui/error-card'
import { CommandLine } from '../ui/id-chip'
import { KeyHint } from '../ui/key-hint'
import { CancelDialog } from './cancel-dialog'
import { isDialogOpen } from './dialog-open'
import { useNewTask } from './new-task-place'
import { focusMessage } from './send-message'
import { moveTask, useTaskMoves } from './task-moves'

interface MoveLook {
  label: string
  key: string
  icon: LucideIcon
  /** What is told of it while it can be taken back. Without it, it is done at once: what stops an agent doesn't wait. */
  said?: string
}

const MOVES: Readonly<Record<TaskMove, MoveLook>> = {
  resume: { label: 'Resume', key: 'r', icon: CirclePlay, said: 'Resuming' },
  retry: { label: 'Try again', key: 'r', icon: RotateCcw, said: 'Trying again' },
  queue: { label: 'Queue', key: 'r', icon: CirclePlay, said: 'Queueing' },
  pause: { label: 'Pause', key: 'p', icon: CirclePause },
  cancel: { label: 'Cancel', key: 'x', icon: Ban },
}

/** What can be done to a task now; what can't is not there. Each has a key. */
export function TaskActions({ detail }: { detail: TaskDetail }) {
  const { task, attempts } = detail
  const { children } = useRelated(detail)
  const moves = useTaskMoves(task.id)
  const queries = useQueryClient()
  const heldKey = `move ${task.id}`
  const held = useHeld(heldKey)
  const [isAsked, setAsked] = useState(false)
  const [opened, setOpened] = useState<{ opening: TaskOpening; isCopied: boolean } | null>(null)
  const dialog = useNewTask({ keys: 'c', label: 'new child task', parent: task.id })
  const possible = possibleMoves(task)

  const atOnce = (wanted: Parameters<typeof moves.mutate>[0]) => {
    takeBack(heldKey)
    moves.mutate(wanted)
  }
  const act = (move: TaskMove) => {
    const { said } = MOVES[move]
    if (move === 'cancel') setAsked(true)
    else if (said === undefined) atOnce({ move })
    else
      hold({
        key: heldKey,
        said,
        about: task.title,
        send: () => moveTask(queries, task.id, { move }),
        overtakenBy: taskOvertaken(task.id),
      })
  }
  const open = async () => {
    const opening = taskOpening(task, attempts)
    setOpened({ opening, isCopied: opening.canOpen && (await copyText(opening.command)) })
  }
  useActionKeys({ possible, act, open: () => void open() })

  return (
    <>
      {possible.map((move) => {
        const { label, key, icon: Icon } = MOVES[move]
        return (
          <Button
            key={move}
            look={move === 'cancel' ? 'danger' : move === possible[0] && move !== 'pause' ? 'main' : 'plain'}
            icon={<Icon aria-hidden size={13} />}
            isBusy={moves.isPending || (MOVES[move].said !== undefined && isUnderWay(held))}
            onClick={() => act(move)}
          >
            {label} <Hint keys={key} />
          </Button>
        )
      })}
      <HeldLine held={held} />
      <Button icon={<GitFork aria-hidden size={13} />} onClick={dialog.open}>
        Child task <Hint keys="c" />
      </Button>
      <Button icon={<MessageSquare aria-hidden size={13} />} onClick={focusMessage}>
        Message <Hint keys="m" />
      </Button>
      <Button icon={<Terminal aria-hidden size={13} />} onClick={() => void open()}>
        Open in terminal <Hint keys="o" />
      </Button>
      <div className="flex basis-full justify-end empty:hidden">
        <ErrorLine error={moves.error ?? errorOf(held)} />
      </div>
      <output
        aria-live="polite"
        className="flex basis-full flex-wrap items-center justify-end gap-2 text-xs empty:hidden"
      >
        {opened === null ? null : <Opened {...opened} />}
      </output>
      {isAsked ? (
        <CancelDialog
          task={task}
          openChildren={children.filter(({ status }) => !isOver(status)).length}
          onClose={() => setAsked(false)}
          onCancel={(reason) => {
            setAsked(false)
            atOnce({ move: 'cancel', reason })
          }}
        />
      ) : null}
      {dialog.element}
    </>
  )
}

const isOver = (status: string): boolean => (FINAL_TASK_STATUSES as readonly string[]).includes(status)

const Hint = ({ keys }: { keys: string }) => (
  <span className="max-lg:hidden">
    <KeyHint keys={keys} />
  </span>
)

function Opened({ opening, isCopied }: { opening: TaskOpening; isCopied: boolean }) {
  const said = opening.canOpen
    ? isCopied
      ? 'Copied. Paste it in a terminal:'
      : 'Copy this into a terminal:'
    : opening.why
  return (
    <>
      <span className={opening.canOpen ? 'text-ink-2' : 'text-need'}>{said}</span>
      <CommandLine command={opening.command} />
    </>
  )
}

interface ActionKeys {
  possible: readonly TaskMove[]
  act(move: TaskMove): void
  open(): void
}

function useActionKeys(actions: ActionKeys): void {
  const latest = useRef(actions)
  latest.current = actions
  useKeys(
    useMemo((): KeyBinding[] => {
      const group = 'This task'
      const bind = (keys: string, label: string, ...wanted: TaskMove[]): KeyBinding => ({
        keys,
        label,
        group,
        changes: true,
        run: () => {
          const move = wanted.find((one) => latest.current.possible.includes(one))
          if (move === undefined || isDialogOpen()) return false
          latest.current.act(move)
        },
      })
      return [
        bind('p', 'pause', 'pause'),
        bind('r', 'resume, try again, or queue', 'resume', 'retry', 'queue'),
        { ...bind('x', 'cancel (asks once)', 'cancel'), opensField: true },
        {
          keys: 'o',
          label: 'copy the command that opens it in a terminal',
          group,
          run: () => (isDialogOpen() ? false : latest.current.open()),
        },
      ]
    }, []),
  )
}
